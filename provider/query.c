/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <stdio.h>
#include <time.h>

#include <util/util.h>

#include "rox.h"

/* Completion time stamps are nanoseconds of CLOCK_MONOTONIC. */
#define ROX_CORE_CLOCK_KHZ 1000000

static void set_fw_ver(struct ibv_device_attr *attr, uint64_t version)
{
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%u.%u.%u",
		 (unsigned int)(version >> 32) & 0xffff,
		 (unsigned int)(version >> 16) & 0xffff,
		 (unsigned int)version & 0xffff);
}

/* rox_query_device_ex - the kernel's answer, plus what only we know of */
int rox_query_device_ex(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp,
				       &resp_size);
	if (ret)
		return ret;

	set_fw_ver(&attr->orig_attr, resp.base.fw_ver);
	if (attr_size >= offsetofend(struct ibv_device_attr_ex,
				     completion_timestamp_mask))
		attr->completion_timestamp_mask = UINT64_MAX;
	if (attr_size >= offsetofend(struct ibv_device_attr_ex, hca_core_clock))
		attr->hca_core_clock = ROX_CORE_CLOCK_KHZ;
	return 0;
}

int rox_query_port(struct ibv_context *context, uint8_t port_num,
		   struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(context, port_num, attr, &cmd, sizeof(cmd));
}

/* rox_query_rt_values - the clock that completions are stamped with */
int rox_query_rt_values(struct ibv_context *context,
			struct ibv_values_ex *values)
{
	uint32_t want = values->comp_mask;

	if (!check_comp_mask(want, IBV_VALUES_MASK_RAW_CLOCK))
		return EOPNOTSUPP;
	if (want & IBV_VALUES_MASK_RAW_CLOCK)
		clock_gettime(CLOCK_MONOTONIC, &values->raw_clock);
	return 0;
}
