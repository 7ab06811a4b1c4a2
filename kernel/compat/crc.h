/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where the CPU's carry-less multiplication is found. Newer kernels use it in
 * crc32_le(). Before that it was in the crypto API only, and crc32_le() took
 * eight bytes at a time from tables. Included by crc.c alone.
 */
#ifndef ROX_COMPAT_CRC_H
#define ROX_COMPAT_CRC_H

#include <linux/crc32.h>

#ifdef CRC32_LE_OPTIMIZATION

static inline void rox_compat_crc_init(void)
{
}

static inline void rox_compat_crc_exit(void)
{
}

static inline const char *rox_compat_crc_name(void)
{
	return crc32_optimizations() & CRC32_LE_OPTIMIZATION ?
	       "crc32_le by the CPU's instructions" : "crc32_le by tables";
}

static inline u32 rox_compat_crc32(u32 crc, const void *data, size_t bytes)
{
	return crc32_le(crc, data, bytes);
}

#else

#include <crypto/hash.h>

/* Shorter runs are not worth the FPU's state. */
#define ROX_CRC_SHASH_BYTES	79

static struct crypto_shash *rox_crc_shash;

static inline void rox_compat_crc_init(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("crc32", 0, 0);

	if (IS_ERR(tfm))
		return;
	/* The state is asked for and set directly: one plain u32. */
	if (crypto_shash_descsize(tfm) != sizeof(u32)) {
		crypto_free_shash(tfm);
		return;
	}
	rox_crc_shash = tfm;
}

static inline void rox_compat_crc_exit(void)
{
	if (rox_crc_shash)
		crypto_free_shash(rox_crc_shash);
	rox_crc_shash = NULL;
}

static inline const char *rox_compat_crc_name(void)
{
	return rox_crc_shash ? crypto_shash_driver_name(rox_crc_shash) : "crc32_le";
}

static inline u32 rox_compat_crc32(u32 crc, const void *data, size_t bytes)
{
	struct {
		struct shash_desc shash;
		u32 crc;
	} desc;

	if (bytes < ROX_CRC_SHASH_BYTES || !rox_crc_shash)
		return crc32_le(crc, data, bytes);

	desc.shash.tfm = rox_crc_shash;
	*(u32 *)shash_desc_ctx(&desc.shash) = crc;
	if (crypto_shash_update(&desc.shash, data, bytes))
		return crc32_le(crc, data, bytes);
	return *(u32 *)shash_desc_ctx(&desc.shash);
}

#endif /* CRC32_LE_OPTIMIZATION */

#endif
