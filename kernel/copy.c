// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* All bytes that move between registered memory and packets move here. */
#include <linux/atomic.h>

#include "copy.h"
#include "device.h"
#include "mr.h"

/* One range of a region: if it is not one piece, it is moved run by run. */
struct span {
	struct rox_mr *mr;
	u64 addr;
	u32 bytes;
	u8 *piece;
};

/* False: not granted. Else close_span(). */
static bool open_span(struct span *s, struct ib_pd *pd, u32 key, int access)
{
	s->mr = rox_mr_get_piece(pd, key, s->addr, s->bytes, access, &s->piece);
	return s->mr;
}

static void close_span(const struct span *s)
{
	rox_mr_put(s->mr);
}

static void read_span(const struct span *s, u8 *dst)
{
	u64 addr = s->addr;
	u32 left = s->bytes;
	u32 run;
	u8 *p;

	if (s->piece) {
		memcpy(dst, s->piece, left);
		return;
	}
	while (left) {
		run = left;
		p = rox_mr_run(s->mr, addr, &run);
		memcpy(dst, p, run);
		dst += run;
		addr += run;
		left -= run;
	}
}

static int take_chunks(const struct rox_buf *src, u32 offset, u8 *to, u32 bytes)
{
	u32 nr = offset / src->chunk_bytes, n;

	for (offset -= nr * src->chunk_bytes; bytes; nr++, offset = 0) {
		n = min(bytes, src->chunk_bytes - offset);
		memcpy(to, src->chunks + nr * (src->chunk_bytes + src->gap_bytes) + offset, n);
		to += n;
		bytes -= n;
	}
	return 0;
}

static int take_elsewhere(const struct rox_buf *src, u32 offset, u8 *to, u32 bytes)
{
	if (src->sgl)
		return rox_copy_from_sgl(src->sgl, src->offset + offset, to, bytes) ?
		       -EFAULT : 0;
	/* Not shorter than its headers say: the parser saw to that. */
	if (src->skb)
		return skb_copy_bits(src->skb, src->offset + offset, to, bytes);
	return take_chunks(src, offset, to, bytes);
}

static inline int take(const struct rox_buf *src, u32 offset, u8 *to, u32 bytes)
{
	if (!src->mem)
		return take_elsewhere(src, offset, to, bytes);
	memcpy(to, (const u8 *)src->mem + offset, bytes);
	return 0;
}

static int write_runs(const struct span *s, const struct rox_buf *src, u32 offset)
{
	u64 addr = s->addr;
	u32 left = s->bytes;
	u32 run;
	int err;
	u8 *p;

	while (left) {
		run = left;
		p = rox_mr_run(s->mr, addr, &run);
		err = take(src, offset, p, run);
		if (err)
			return err;
		offset += run;
		addr += run;
		left -= run;
	}
	return 0;
}

static inline int write_span(const struct span *s, const struct rox_buf *src, u32 offset)
{
	if (s->piece)
		return take(src, offset, s->piece, s->bytes);
	return write_runs(s, src, offset);
}

/* The entry that holds byte *@offset from here, which becomes a place in it. */
static const struct rox_sge *seek(const struct rox_sge *sge,
				  const struct rox_sge *end, u32 *offset)
{
	for (; sge != end; sge++) {
		if (*offset < sge->length)
			return sge;
		*offset -= sge->length;
	}
	return NULL;
}

/**
 * rox_copy_from_sgl - gather message bytes into plain memory
 * @sgl:    the list, a private copy
 * @offset: first byte of the message wanted
 * @dst:    room for @bytes
 * @bytes:  0 is nothing
 *
 * Context: bottom halves disabled.
 * Return: 0; -EINVAL if the list is shorter; -EACCES if a key does not allow it.
 */
int rox_copy_from_sgl(const struct rox_sgl *sgl, u32 offset, void *dst, u32 bytes)
{
	const struct rox_sge *sge = sgl->sge;
	const struct rox_sge *end = sge + sgl->num_sge;
	struct span s;

	for (; bytes; sge++, offset = 0) {
		sge = seek(sge, end, &offset);
		if (!sge)
			return -EINVAL;
		s.bytes = min(bytes, sge->length - offset);
		s.addr = sge->addr + offset;
		if (!open_span(&s, sgl->pd, sge->lkey, sgl->access))
			return -EACCES;
		read_span(&s, dst);
		close_span(&s);
		dst += s.bytes;
		bytes -= s.bytes;
	}
	return 0;
}

/**
 * rox_source_open - what a run of packets is to carry
 * @s:      result
 * @sgl:    the list, a private copy
 * @offset: first byte of the message
 * @bytes:  1 or more
 *
 * Held is only a program's memory, as by rox_hold_payload().
 * Context: bottom halves disabled until rox_source_close().
 */
void rox_source_open(struct rox_source *s, const struct rox_sgl *sgl, u32 offset, u32 bytes)
{
	u32 at = offset;
	const struct rox_sge *sge = seek(sgl->sge, sgl->sge + sgl->num_sge, &at);
	struct rox_mr *mr;

	*s = (struct rox_source){ .sgl = sgl };
	if (!sge || sge->length - at < bytes)
		return;
	mr = rox_mr_get(sgl->pd, sge->lkey, sge->addr + at, bytes, sgl->access);
	if (mr && mr->kind == ROX_MR_USER) {
		s->mr = mr;
		s->addr = sge->addr + at - offset;
	} else if (mr) {
		rox_mr_put(mr);
	}
}

/**
 * rox_source_read - gather some of it
 * @s:      open
 * @offset: first byte of the message wanted
 * @dst:    room for @bytes
 * @bytes:  0 is nothing
 *
 * Context: bottom halves disabled. Return: as rox_copy_from_sgl().
 */
int rox_source_read(const struct rox_source *s, u32 offset, void *dst, u32 bytes)
{
	const struct span span = { .mr = s->mr, .addr = s->addr + offset, .bytes = bytes };

	if (!s->mr)
		return rox_copy_from_sgl(s->sgl, offset, dst, bytes);
	read_span(&span, dst);
	return 0;
}

/* All of it was read. */
void rox_source_close(const struct rox_source *s)
{
	if (s->mr)
		rox_mr_put(s->mr);
}

/**
 * rox_copy_to_sgl - scatter bytes over a list
 * @sgl:    the list, a private copy; its keys must grant local write
 * @offset: message byte that @src begins with
 * @src:    where from
 * @bytes:  0 is nothing
 *
 * Context: bottom halves disabled.
 * Return: 0; -EINVAL if the list is shorter; -EACCES if a key does not allow it;
 * -EFAULT if @src cannot be read.
 */
int rox_copy_to_sgl(const struct rox_sgl *sgl, u32 offset,
		    const struct rox_buf *src, u32 bytes)
{
	const struct rox_sge *sge = sgl->sge;
	const struct rox_sge *end = sge + sgl->num_sge;
	struct span s;
	u32 done = 0;
	int err;

	for (; done < bytes; sge++, offset = 0) {
		sge = seek(sge, end, &offset);
		if (!sge)
			return -EINVAL;
		s.bytes = min(bytes - done, sge->length - offset);
		s.addr = sge->addr + offset;
		if (!open_span(&s, sgl->pd, sge->lkey, IB_ACCESS_LOCAL_WRITE))
			return -EACCES;
		err = write_span(&s, src, done);
		close_span(&s);
		if (err)
			return err;
		done += s.bytes;
	}
	return 0;
}

/**
 * rox_copy_to_key - write a remote peer's range
 * @pd:    the QP's protection domain
 * @rkey:  must grant remote write
 * @va:    first byte
 * @src:   where from
 * @bytes: 0 is nothing, and is granted
 *
 * Context: bottom halves disabled.
 * Return: 0; -EACCES; -EFAULT if @src cannot be read.
 */
int rox_copy_to_key(struct ib_pd *pd, u32 rkey, u64 va,
		    const struct rox_buf *src, u32 bytes)
{
	struct span s = { .addr = va, .bytes = bytes };
	int err;

	if (!bytes)
		return 0;
	if (!open_span(&s, pd, rkey, IB_ACCESS_REMOTE_WRITE))
		return -EACCES;
	err = write_span(&s, src, 0);
	close_span(&s);
	return err;
}

/**
 * rox_check_key - does a key grant an access?
 * @pd:     the QP's protection domain
 * @rkey:   the key
 * @va:     first byte
 * @bytes:  0 is granted
 * @access: IB_ACCESS_*
 *
 * Context: bottom halves disabled. Return: 0 or -EACCES.
 */
int rox_check_key(struct ib_pd *pd, u32 rkey, u64 va, u64 bytes, int access)
{
	struct rox_mr *mr;

	if (!bytes)
		return 0;
	mr = rox_mr_get(pd, rkey, va, bytes, access);
	if (!mr)
		return -EACCES;
	rox_mr_put(mr);
	return 0;
}

/**
 * rox_check_sgl - could bytes be gathered?
 * @sgl:    the list, a private copy
 * @offset: first byte of the message
 * @bytes:  0 is granted
 *
 * Context: bottom halves disabled. Return: as rox_copy_from_sgl() would.
 */
int rox_check_sgl(const struct rox_sgl *sgl, u32 offset, u32 bytes)
{
	const struct rox_sge *sge = sgl->sge;
	const struct rox_sge *end = sge + sgl->num_sge;
	u32 part;

	for (; bytes; sge++, offset = 0) {
		sge = seek(sge, end, &offset);
		if (!sge)
			return -EINVAL;
		part = min(bytes, sge->length - offset);
		if (rox_check_key(sgl->pd, sge->lkey, sge->addr + offset, part,
				  sgl->access))
			return -EACCES;
		bytes -= part;
	}
	return 0;
}

static struct rox_mr *hold_piece(const struct rox_sgl *sgl, u32 offset, u32 bytes,
				 const void **mem)
{
	const struct rox_sge *sge = seek(sgl->sge, sgl->sge + sgl->num_sge, &offset);
	struct rox_mr *mr;
	u8 *piece;

	if (!sge || sge->length - offset < bytes)
		return NULL;
	mr = rox_mr_get_piece(sgl->pd, sge->lkey, sge->addr + offset, bytes,
			      sgl->access, &piece);
	if (!mr)
		return NULL;
	if (piece && mr->kind == ROX_MR_USER) {
		*mem = piece;
		return mr;
	}
	rox_mr_put(mr);
	return NULL;
}

/**
 * rox_hold_payload - see that bytes can be read, and where, before anything is done
 * @buf:   whose sgl becomes plain memory, if it is of one piece
 * @bytes: of it
 * @held:  set to the region that the piece is of, for rox_mr_put(), or NULL
 *
 * Held for longer than a copy is only a program's memory: who deregisters that sleeps
 * meanwhile. A kernel user's may be invalidated by who completes the message, spinning.
 *
 * Context: bottom halves disabled until rox_mr_put().
 * Return: 0; or as rox_check_sgl().
 */
int rox_hold_payload(struct rox_buf *buf, u32 bytes, struct rox_mr **held)
{
	*held = NULL;
	if (buf->mem || !buf->sgl || !bytes)
		return 0;
	*held = hold_piece(buf->sgl, buf->offset, bytes, &buf->mem);
	return *held ? 0 : rox_check_sgl(buf->sgl, buf->offset, bytes);
}

static u64 run_atomic(u64 *p, bool cas, u64 compare, u64 swap_add)
{
	if (cas)
		return cmpxchg64(p, compare, swap_add);
	return atomic64_fetch_add(swap_add, (atomic64_t *)p);
}

/**
 * rox_copy_atomic - compare and swap, or fetch and add, on 8 aligned bytes
 * @pd:       the QP's protection domain
 * @rkey:     must grant remote atomics
 * @va:       first byte
 * @cas:      else fetch and add
 * @compare:  for @cas
 * @swap_add: new value or addend
 * @orig:     the value before, host order
 *
 * Exact among all users of that memory, by the CPU's own atomics.
 *
 * Context: bottom halves disabled.
 * Return: 0; -EACCES; -EINVAL if misaligned.
 */
int rox_copy_atomic(struct ib_pd *pd, u32 rkey, u64 va, bool cas, u64 compare,
		    u64 swap_add, u64 *orig)
{
	u32 run = sizeof(u64);
	struct rox_mr *mr;
	int err = 0;
	u8 *p;

	if (!IS_ALIGNED(va, sizeof(u64)))
		return -EINVAL;
	mr = rox_mr_get(pd, rkey, va, sizeof(u64), IB_ACCESS_REMOTE_ATOMIC);
	if (!mr)
		return -EACCES;
	p = rox_mr_run(mr, va, &run);
	/* An iova need not be aligned like the memory behind it. */
	if (IS_ALIGNED((uintptr_t)p, sizeof(u64)))
		*orig = run_atomic((u64 *)p, cas, compare, swap_add);
	else
		err = -EINVAL;
	rox_mr_put(mr);
	return err;
}
