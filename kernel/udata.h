/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the provider hands in and gets back with a verb. Fields added later must
 * be refused by a module that does not know them, so a request longer than the
 * known one has to end in zeros.
 */
#ifndef ROX_UDATA_H
#define ROX_UDATA_H

#include <rdma/ib_verbs.h>

/**
 * rox_udata_in - fetch the provider's request
 * @udata: from the verb
 * @req:   filled
 * @bytes: size of *@req
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (too short), -EOPNOTSUPP (more than is known), -EFAULT.
 */
static inline int rox_udata_in(struct ib_udata *udata, void *req, size_t bytes)
{
	if (udata->inlen < bytes)
		return -EINVAL;
	if (udata->inlen > bytes &&
	    !ib_is_udata_cleared(udata, bytes, udata->inlen - bytes))
		return -EOPNOTSUPP;
	return ib_copy_from_udata(req, udata, bytes);
}

/**
 * rox_udata_no_flags - fetch a request that is a 64-bit flags word, all unused
 * @udata: from the verb
 *
 * Context: process, may sleep. Return: as rox_udata_in().
 */
static inline int rox_udata_no_flags(struct ib_udata *udata)
{
	u64 flags;
	int err = rox_udata_in(udata, &flags, sizeof(flags));

	if (err)
		return err;
	return flags ? -EOPNOTSUPP : 0;
}

/**
 * rox_udata_out - give the provider its answer
 * @udata: from the verb
 * @resp:  the answer
 * @bytes: size of *@resp
 *
 * Context: process, may sleep. Return: 0, -EINVAL (no room), -EFAULT.
 */
static inline int rox_udata_out(struct ib_udata *udata, void *resp, size_t bytes)
{
	return udata->outlen < bytes ? -EINVAL : ib_copy_to_udata(udata, resp, bytes);
}

#endif
