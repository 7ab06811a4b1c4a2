/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "../wqe.h"
#include "tap.h"

#define MAX_INLINE 40

/* Exactly one slot, so that the sanitizer sees a byte too many. */
static struct rox_sqe *new_sqe(void)
{
	struct rox_sqe *sqe = malloc(sizeof(*sqe) + MAX_INLINE);

	memset(sqe, 0xff, sizeof(*sqe) + MAX_INLINE);
	rox_sqe_start(sqe, 0x1122334455667788, ROX_WR_SEND, ROX_SQE_SIGNALED);
	return sqe;
}

static void abi__sizes(void)
{
	EXPECT_EQ(sizeof(struct rox_ring_hdr), ROX_RING_DATA);
	EXPECT_EQ(sizeof(struct rox_sqe), 48);
	EXPECT_EQ(sizeof(struct rox_rqe), 16);
	EXPECT_EQ(sizeof(struct rox_sge), 16);
	EXPECT_EQ(sizeof(struct rox_cqe), 64);
}

static void sqe_start__clears_a_used_slot(void)
{
	struct rox_sqe *sqe = new_sqe();

	EXPECT_EQ(sqe->wr_id, 0x1122334455667788);
	EXPECT_EQ(sqe->opcode, ROX_WR_SEND);
	EXPECT_EQ(sqe->flags, ROX_SQE_SIGNALED);
	EXPECT_EQ(sqe->num_sge, 0);
	EXPECT_EQ(sqe->reserved, 0);
	EXPECT_EQ(sqe->inline_len, 0);
	free(sqe);
}

static void sqe_inline__appends_up_to_the_limit(void)
{
	struct rox_sqe *sqe = new_sqe();
	const char *payload = rox_sqe_payload(sqe);
	char data[MAX_INLINE];

	memset(data, 'x', sizeof(data));
	EXPECT(rox_sqe_inline(sqe, "abc", 3, MAX_INLINE));
	EXPECT(rox_sqe_inline(sqe, NULL, 0, MAX_INLINE));
	EXPECT(rox_sqe_inline(sqe, "de", 2, MAX_INLINE));
	EXPECT(!rox_sqe_inline(sqe, data, MAX_INLINE - 4, MAX_INLINE));
	EXPECT(!rox_sqe_inline(sqe, data, SIZE_MAX, MAX_INLINE));
	EXPECT(rox_sqe_inline(sqe, data, MAX_INLINE - 5, MAX_INLINE));
	EXPECT_EQ(sqe->inline_len, MAX_INLINE);
	EXPECT_EQ(sqe->flags, ROX_SQE_SIGNALED | ROX_SQE_INLINE);
	EXPECT(!memcmp(payload, "abcdexxxx", 9));
	free(sqe);
}

static void sqe_inline__empty_message_is_inline(void)
{
	struct rox_sqe *sqe = new_sqe();

	EXPECT(rox_sqe_inline(sqe, NULL, 0, 0));
	EXPECT(sqe->flags & ROX_SQE_INLINE);
	EXPECT_EQ(sqe->inline_len, 0);
	free(sqe);
}

static void sqe_sges__copied(void)
{
	struct rox_sge sges[2] = { { 1, 2, 3 }, { ~0ULL, ~0U, 6 } };
	struct rox_sqe *sqe = new_sqe();

	rox_sqe_sges(sqe, sges, 2);
	EXPECT_EQ(sqe->num_sge, 2);
	EXPECT(!memcmp(rox_sqe_payload(sqe), sges, sizeof(sges)));
	rox_sqe_sges(sqe, NULL, 0);
	EXPECT_EQ(sqe->num_sge, 0);
	free(sqe);
}

static void sqe_ud__overlays(void)
{
	struct rox_sqe *sqe = new_sqe();

	rox_sqe_ud(sqe, 7, 0xabcdef, 0x80010000);
	EXPECT_EQ(sqe->rkey, 7);
	EXPECT_EQ(sqe->compare_add, 0xabcdef);
	EXPECT_EQ(sqe->swap, 0x80010000);
	free(sqe);
}

static void rqe_fill__clears_a_used_slot(void)
{
	struct rox_sge sge = { 1, 2, 3 };
	struct rox_rqe *rqe = malloc(sizeof(*rqe) + sizeof(sge));

	memset(rqe, 0xff, sizeof(*rqe) + sizeof(sge));
	rox_rqe_fill(rqe, 9, &sge, 1);
	EXPECT_EQ(rqe->wr_id, 9);
	EXPECT_EQ(rqe->num_sge, 1);
	EXPECT_EQ(rqe->reserved, 0);
	EXPECT(!memcmp(rqe + 1, &sge, sizeof(sge)));
	rox_rqe_fill(rqe, 10, NULL, 0);
	EXPECT_EQ(rqe->num_sge, 0);
	free(rqe);
}

static const struct tap_case cases[] = {
	TAP_CASE(abi__sizes),
	TAP_CASE(sqe_start__clears_a_used_slot),
	TAP_CASE(sqe_inline__appends_up_to_the_limit),
	TAP_CASE(sqe_inline__empty_message_is_inline),
	TAP_CASE(sqe_sges__copied),
	TAP_CASE(sqe_ud__overlays),
	TAP_CASE(rqe_fill__clears_a_used_slot),
};

TAP_MAIN(cases)
