#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Plants one fault at a time in a copy of the protocol core and expects the
# simulation, or else the unit tests, to find it. Prints TAP. With arguments:
# only mutants whose description contains one of them.
set -u
cd "$(dirname "$0")/../.." || exit 1

seeds=${SEEDS:-400}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/selftests/unit" "$work/include" "$work/kernel"
cp -r kernel/proto "$work/kernel/"
cp -r include/uapi "$work/include/"
cp -r selftests/native selftests/native.mk selftests/sim selftests/unit "$work/selftests/"

build() {
	make -s -j2 -C "$work/selftests/sim" all OUT="$work/out" SAN= CFLAGS=-O1 WARN=-w \
		> "$work/log" 2>&1
}

unit_tests() {
	make -s -j2 -C "$work/selftests/unit" run CC=gcc OUT="$work/unit" SAN= CFLAGS=-O0 \
		WARN=-w CASES=re 2>&1
}

n=0
bad=0
wanted=("$@")

result() {
	n=$((n + 1))
	echo "$1 $n - $2"
	[ "$1" = ok ] || bad=$((bad + 1))
}

is_wanted() {
	local word
	[ ${#wanted[@]} -eq 0 ] && return 0
	for word in "${wanted[@]}"; do
		[[ $1 == *"$word"* ]] && return 0
	done
	return 1
}

# mutant FILE DESCRIPTION PERL-SUBSTITUTION
mutant() {
	local file=$work/kernel/proto/$1 out
	is_wanted "$2" || return
	cp "$file" "$work/original"
	perl -0pi -e "$3" "$file"
	if cmp -s "$file" "$work/original"; then
		result "not ok" "$2 (the mutation does not apply)"
		return
	fi
	if ! build; then
		result "not ok" "$2 (does not compile)"
		sed 's/^/# /' "$work/log" | head -5
	elif ! out=$(timeout 120 "$work/out/sim" --first --seeds "$seeds" 2>&1); then
		result ok "$2"
		grep -m 1 -o 'seed [0-9]* at .*' <<< "$out" | sed 's/^/#   /'
	elif ! out=$(unit_tests); then
		result ok "$2"
		grep -m 1 '^not ok' <<< "$out" | sed 's/^not ok [0-9]* -/#   unit test/'
	else
		result "not ok" "$2 (survived $seeds seeds and the unit tests)"
	fi
	mv "$work/original" "$file"
	touch "$file"
}

echo "TAP version 13"
build || { cat "$work/log"; exit 1; }
timeout 600 "$work/out/sim" --seeds "$seeds" > /dev/null && unit_tests > /dev/null || { echo "Bail out! fails unchanged"; exit 1; }

# sequence numbers
mutant psn.h "PSNs do not wrap" 's/return \(psn \+ n\) & ROX_PSN_MASK/return psn + n/'
mutant responder.c "duplicates are executed" 's/if \(p->psn == r->epsn\)/if (p->psn == r->epsn || p->psn == rox_psn_sub(r->epsn, 1))/'
mutant responder.c "packets after a gap are executed" 's/if \(p->psn == r->epsn\)/if (p->psn == r->epsn || p->psn == rox_psn_add(r->epsn, 1))/'
mutant responder.c "a READ consumes one PSN too many" 's/return res->nr_psn;/return res->nr_psn + 1;/'
mutant responder.c "a READ consumes one PSN" 's/return res->nr_psn;/return 1;/'
mutant responder.c "gaps are not NAKed, and what follows executes" 's/(r->counts.out_of_order\+\+;\n)(\top->drop)/$1\tr->epsn = p->psn; return exec(r, p, op);\n$2/'

# duplicates
mutant responder.c "duplicates get no ACK" 's/if \(!r->nak_due\)\n\t\t\towe_ack\(r\);/;/'
mutant responder.c "a duplicate atomic executes again" 's/(static enum rox_resp_verdict duplicate.*?\n\{\n.*?;\n)/$1\tif (rox_pkt_op(p)->flags & ROX_OPF_ATOMIC) return exec_atomic(r, p, op);\n/s'
mutant responder.c "a replayed READ starts at its beginning" 's/\.va = p->va,/.va = res->va,/'
mutant responder.c "a replayed READ is one packet long" 's/\.nr_psn = nr,/.nr_psn = 1,/'
mutant responder.c "an answer that is gone back in skips a packet" 's/res->sent = i;/res->sent = i + 1;/'
mutant responder.c "an answer goes on where it was" 's/if \(i <= res->sent\) \{/if (0) {/'
mutant responder.c "a part that ends the READ need not lie in it" 's/nr > res->nr_psn - i\)/0)/; s/p->dma_len <= res->len - \(u32\)\(p->va - res->va\)/true/'
mutant resources.c "the oldest record is forgotten too early" 's/age = 1; age <= rs->count; age\+\+\) \{\n\t\tres = /age = 1; age < rs->count || age == 1; age++) {\n\t\tres = /'
mutant resources.c "repeated atomic ACKs of older records are not sent" 's/rs->recent = rs->count;/rs->recent = max(rs->recent, 1u);/'
mutant resources.c "one READ too many is accepted" 's/if \(rs->count < rs->nr\)\n\t\treturn false;\n\treturn !rs->nr \|\| .*?;/return false;/s'
mutant reply.c "a part of an answer counts as an answer" 's/\+\+res->sent < res->nr_psn/(res->answered = true, ++res->sent < res->nr_psn)/'
mutant reply.c "what is repeated begins with MIDDLE" 's/first = rp->sent == rp->from/first = rp->sent == 0 \&\& !rp->from/; s/\.from = res->from,/.from = res->from + (res->from > 0),/'

# replies
mutant reply.c "ACKs overtake READ responses" 's/if \(r->ack_due && .*?\)\)\n/if (r->ack_due)\n/s'
mutant reply.c "NAKs overtake READ responses" 's/if \(data == REPLY_NONE && r->nak_due\)/if (r->nak_due)/'
mutant reply.c "a READ response is one packet short" 's/last = rp->sent \+ 1 == rp->nr_psn;/last = rp->sent + 2 >= rp->nr_psn;/'
mutant reply.c "READ responses carry the newest MSN" 's/rp->sent\), rp->msn,/rp->sent), r->msn,/'
mutant responder.c "ACKs say one PSN too many" 's/r->ack_psn = rox_psn_sub\(r->epsn, 1\)/r->ack_psn = r->epsn/'
mutant responder.c "the MSN counts packets" 's/if \(op->last\)\n\t\tr->msn/if (1)\n\t\tr->msn/'
mutant responder.c "an RNR NAK is sent once only" 's/(if \(r->cfg.service == ROX_SVC_RC\) \{\n)(\t\tr->counts.rnr_naks)/$1\t\tif (r->nak_sent) return;\n$2/'
mutant responder.c "AckReq is ignored" 's/if \(p->ackreq && !answers\)/if (op->last && !answers && (p->psn & 1))/'
mutant responder.c "the NAK of a gap outlives it" 's/r->nak_sent = false;\n\tr->nak_due = false;/;/'

# placing
mutant responder.c "a packet counts before RNR too" 's/op->msg_bytes = before \+ p->payload_bytes;/op->msg_bytes = before + p->payload_bytes; r->msg_bytes = op->msg_bytes;/'
mutant responder.c "a SEND takes a receive with every packet" 's/op->needs_recv = takes_recv && !r->recv_held/op->needs_recv = takes_recv/'
mutant responder.c "a receive stays held after the message" 's/ && !op->completes;/;/'
mutant responder.c "WRITE packets go to the beginning" 's/op->va = \(first \? p->va : r->msg_va\) \+ before/op->va = first ? p->va : r->msg_va/'
mutant responder.c "QP access is not checked" 's/if \(!is_allowed\(r, flags\)\)/if (0)/'
mutant responder.c "the length of a WRITE may differ" 's/return \(flags & ROX_OPF_LAST\) \? bytes == total : bytes < total;/return bytes != total;/'
mutant responder.c "UC goes on in the middle of a message" 's/\t\tskip_message\(r\);\n\t\}\n\tif \(first\)/\t}\n\tif (first)/'
mutant responder.c "UC executes what comes late" 's/if \(rox_psn_before\(p->psn, r->epsn\)\) \{\n\t\tr->counts.duplicates\+\+;\n\t\treturn drop/if (0) {\n\t\treturn drop/'
mutant responder.c "UC loses the receive of a broken message" 's/(static void skip_message.*?\n\{\n)/$1\tr->recv_held = false;\n/s'

# what is sent
mutant requester.c "the window is one too large" 's/inflight \+ n <= r->cfg.window/inflight + n <= r->cfg.window + 1/'
mutant requester.c "one READ too many is in flight" 's/r->rd_inflight >= r->cfg.max_rd_atomic/r->rd_inflight > r->cfg.max_rd_atomic/'
mutant requester.c "no ACK is asked for when the window is full" 's/return rox_req_inflight\(r\) \+ 1 >= r->cfg.window;/return false;/; s/r->since_ackreq \+ 1 >= r->cfg.window \/ 4/0/'
mutant requester.c "no ACK is asked for at the end of a message" 's/if \(last \|\| r->rnr_probing/if (r->rnr_probing/; s/cfg.window \/ 4/cfg.window \/ 2 + 1/'
mutant requester.c "fences are ignored" 's/return \(wr->flags & ROX_SQE_FENCE\) && r->rd_inflight;/return false;/'
mutant requester.c "LOCAL_INV does not wait" 's/return r->oldest != r->next;/return false;/'
mutant requester.c "what is sent again skips a packet" 's/r->cursor = from;/r->cursor = rox_psn_add(from, 1);/'
mutant requester.c "going back forgets the WR" 's/r->again = r->oldest;\n\tr->since/r->since/'
mutant requester.c "what arrived is sent again" 's/(static u32 nr_arrived.*?\n\{\n)/$1\treturn 0;\n/s'
mutant requester.c "what is missing is not sent again" 's/return rox_req_got\(r, r->cursor\);/return 1;/'
mutant requester.c "a resent pass does not end" 's/rox_psn_add\(r->cursor, 1\) == r->resend_end/false/; s/last \|\| r->rnr_probing \|\| r->since_ackreq/r->rnr_probing || r->since_ackreq/'
mutant requester.c "only the first gap of a READ piece is asked for" 's/(n = min\(n, rox_psn_sub\(r->resend_end, r->cursor\)\);)/n = 1;/'
mutant requester.c "after RNR a whole window follows" 's/if \(r->rnr_probing && r->cursor != r->una\)/if (0)/'
mutant requester.c "READ pieces ask from the beginning" 's/h->va = wr->remote_addr \+ pkt->offset;/h->va = wr->remote_addr;/'
mutant requester.c "the last READ piece is too long" 's/h->dma_len = min\(wr->length - pkt->offset, (.*?)\);/h->dma_len = $1;/'
mutant requester.c "draining begins new work" 's/if \(r->state == ROX_REQ_DRAINING\)\n/if (0)\n/'
mutant requester.c "the Q_Key of the QP is not used" 's/if \(h->qkey & ROX_QKEY_PRIVILEGED\)/if (0)/'
mutant requester.c "every packet is solicited" 's/h->solicited = last && /h->solicited = /; s/\(wr->flags & ROX_SQE_SOLICITED\) &&\n\t\t       !/!/'
mutant requester.c "a malformed WR overtakes" 's/if \(r->oldest != r->next\)\n\t\t\treturn ROX_REQ_BLOCKED;/;/'
mutant requester.c "a failed WR overtakes" 's/wr->state = ROX_WR_FAILED;/rox_req_fail_wr(r, wr, status); return;/'
mutant requester.c "an error is reported for the newest WR" 's/rox_req_fail_wr\(r, rox_req_wr\(r, r->oldest\), status\)/rox_req_fail_wr(r, rox_req_wr(r, r->head - 1), status)/; s/wr->status = status;\n\twr->state = ROX_WR_DONE;\n\tenter/wr = rox_req_wr(r, r->head - 1);\n\twr->status = status;\n\twr->state = ROX_WR_DONE;\n\tenter/'

# what responses do
mutant requester_ack.c "an ACK acknowledges one more" 's/rox_psn_add\(p->psn, 1\)/rox_psn_add(p->psn, 2)/'
mutant requester_ack.c "an ACK acknowledges one less" 's/rox_psn_add\(p->psn, 1\)/p->psn/'
mutant requester_ack.c "an ACK finishes READs" 's/if \(!rox_wr_wants_data\(wr\)\)/if (1)/'
mutant requester_ack.c "a lost response is not asked for again" 's/if \(r->una != r->reached\)\n/if (0)\n/'
mutant requester_ack.c "a lost response is asked for with every answer" 's/r->asked = r->reached;\n/;\n/'
mutant requester_ack.c "parts of READs are asked for in any order" 's/rox_req_resend\(r, lowest_missing\(r, r->asked\), r->reached\)/rox_req_resend(r, r->asked, r->reached)/; s/(static u32 lowest_missing)/__attribute__((unused)) $1/'
mutant requester_ack.c "answers are placed twice" 's/if \(rox_req_got\(r, p->psn\)\)/if (0)/'
mutant requester_ack.c "old marks of answers stay" 's/set_got\(r, r->una, false\);/;/'
mutant requester_ack.c "a sequence NAK is obeyed again and again" 's/if \(r->nak_seen && r->nak_psn == p->psn\)/if (0)/'
mutant requester_ack.c "READ data is placed one packet too far" 's/place->offset = i \* r->cfg.pmtu;/place->offset = (i + (i > 0)) * r->cfg.pmtu;/'
mutant requester_ack.c "READs in flight are not counted down" 's/r->rd_inflight--;/;/'
mutant requester_ack.c "progress behind the cursor is missed" 's/if \(rox_psn_before\(r->cursor, r->una\)\)/if (0)/'
mutant requester_ack.c "stale responses count" 's/if \(rox_psn_sub\(p->psn, r->una\) >= rox_req_inflight\(r\)\)/if (rox_psn_sub(p->psn, r->una) >= rox_req_inflight(r) && rox_psn_sub(r->una, p->psn) != 1)/'
mutant requester_ack.c "ghosts count" 's/>= rox_req_inflight\(r\)\)/> rox_req_inflight(r))/'
mutant requester_ack.c "one RNR retry too few" 's/!r->rnr_left--/!--r->rnr_left/'
mutant requester_ack.c "RNR retries are not refilled" 's/r->rnr_left = r->cfg.rnr_retry;/;/; s/r->cfg.rnr_retry != 7/1/'
mutant requester_ack.c "a fatal NAK blames the oldest WR" 's/rox_req_fail_wr\(r, wr_of_psn\(r, p->psn\), status\)/rox_req_fail_wr(r, rox_req_wr(r, r->oldest), status)/'
mutant requester_ack.c "a fatal NAK acknowledges nothing" 's/(enum rox_wc_status status, u64 now\)\n\{\n)\treach\(r, p->psn, now\);/$1\t(void)now;/'
mutant requester_ack.c "all fatal NAKs are access errors" 's/ROX_WC_REM_INV_REQ_ERR/ROX_WC_REM_ACCESS_ERR/'

# runs of packets, within a host
mutant responder.c "a run consumes one PSN" 's/u32 psns = p->run;/u32 psns = 1;/'
mutant responder.c "a run need not be full" 's/return p->payload_bytes == p->run \* r->cfg.pmtu;/return true;/'
mutant reply.c "a run of responses counts as one" 's/\.sent \+= pkt->hdr.run/.sent += 1/; s/sent_data\(pkt->res, pkt->hdr.run\)/sent_data(pkt->res, 1)/'
mutant requester.c "a run begins a READ piece that it does not end" 's/run - run % r->cfg.read_chunk/run/'
mutant segment.c "a run is cut a byte too far" 's/run->payload_bytes - i \* pmtu/run->payload_bytes - i * pmtu + (i > 1)/'
mutant segment.c "the second packet of a run begins a message too" 's/if \(i == 0\)/if (i < 2)/'
mutant requester.c "the last packet of a run is full" 's/min\(wr->length - pkt->offset, h->run \* r->cfg.pmtu\)/h->run * r->cfg.pmtu/'
mutant requester_ack.c "a run of responses answers one packet" 's/r->rx_run = p->run;/r->rx_run = 1;/'

# messages as a whole, within a host
mutant requester.c "a whole message overtakes" 's/r->next == r->head \|\| r->una != r->psn \|\|/r->next == r->head ||/; s/r->oldest != r->next \|\| r->cfg.service/r->cfg.service/'
mutant requester.c "a whole message consumes one PSN" 's/r->psn = rox_psn_add\(p->psn, p->run\);/r->psn = rox_psn_add(p->psn, 1);/'
mutant requester.c "a whole message is not reached" 's/(r->una = r->psn;\n)\tr->reached = r->psn;/$1/'
mutant responder.c "a whole message interrupts another" 's/r->dead \|\| r->in_msg \|\|/r->dead ||/'
mutant responder.c "a whole message is written without being allowed to" 's/p->payload_bytes > r->cfg.max_msg \|\| !is_allowed\(r, flags\)/p->payload_bytes > r->cfg.max_msg/'

# time
mutant rto.c "the RNR wait is not kept" 's/r->rnr_waiting = true;/;/'
mutant rto.c "the RNR wait is half as long" 's/now \+ rox_rnr_ns\(code\)/now + rox_rnr_ns(code) \/ 2/'
mutant rto.c "one retry too few" 's/\(r->cfg.retry_cnt \+ 1\) \* ack_timeout/(u64)r->cfg.retry_cnt * ack_timeout/; s/ && r->retries >= r->cfg.retry_cnt//'
mutant rto.c "retries never end" 's/if \(now >= budget_end\(r\)/if (0/'
mutant rto.c "the budget is not refilled" 's/r->progress_at = now;\n\tr->retries = 0;/;/'
mutant rto.c "the timer is not armed after progress" 's/if \(rox_req_inflight\(r\)\)\n\t\tarm\(r, now\);/if (0)\n\t\t;/'
mutant rto.c "the timer is not armed after RNR" 's/r->rnr_waiting = false;\n\tr->progress_at = now;\n\tarm\(r, now\);/r->rnr_waiting = false;\n\tr->rto_at = ROX_TIME_NEVER;/'
mutant rto.c "the time-out ignores the round-trip time" 's/r->srtt \+ 4 \* r->rttvar/r->srtt \/ 4/; s/, r->cfg.min_rto_ns\);\n\treturn/, 1000);\n\treturn/'
mutant rto.c "a time-out does not go back" 's/rox_req_resend\(r, r->una, r->psn\);\n\tarm/arm/'

echo "1..$n"
echo "# $((n - bad)) of $n found"
exit $((bad > 0))
