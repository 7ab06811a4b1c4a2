/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion statuses, equal to enum ib_wc_status and enum ibv_wc_status (the
 * kernel side asserts that they are).
 */
#ifndef ROX_PROTO_STATUS_H
#define ROX_PROTO_STATUS_H

enum rox_wc_status {
	ROX_WC_SUCCESS		= 0,
	ROX_WC_LOC_LEN_ERR	= 1,
	ROX_WC_LOC_QP_OP_ERR	= 2,
	ROX_WC_LOC_PROT_ERR	= 4,
	ROX_WC_WR_FLUSH_ERR	= 5,
	ROX_WC_MW_BIND_ERR	= 6,
	ROX_WC_BAD_RESP_ERR	= 7,
	ROX_WC_LOC_ACCESS_ERR	= 8,
	ROX_WC_REM_INV_REQ_ERR	= 9,
	ROX_WC_REM_ACCESS_ERR	= 10,
	ROX_WC_REM_OP_ERR	= 11,
	ROX_WC_RETRY_EXC_ERR	= 12,
	ROX_WC_RNR_RETRY_EXC_ERR = 13,
	ROX_WC_FATAL_ERR	= 19,
	ROX_WC_GENERAL_ERR	= 21,
};

#endif
