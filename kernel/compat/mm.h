/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Flags of a VMA are changed by functions since 6.3. */
#ifndef ROX_COMPAT_MM_H
#define ROX_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

static inline void rox_vm_flags_mod(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#else
	vm_flags_mod(vma, set, clear);
#endif
}

#endif
