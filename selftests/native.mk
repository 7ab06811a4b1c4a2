# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the native lanes: how the protocol core is compiled in user space.
# Set OUT to build elsewhere; CC to gcc or clang; add a lane's own -I to CPPFLAGS.
# Link $(PROTO_OBJS): the core and what user space lends it (native/).

ROOT	:= $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
OUT	?= $(ROOT)/build/native/$(notdir $(CURDIR))
SAN	?= -fsanitize=address,undefined -fno-sanitize-recover=all
WARN	:= -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wundef
CFLAGS	?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) $(SAN) -fno-omit-frame-pointer \
	$(CPPFLAGS) -I$(ROOT)/kernel -I$(ROOT)/include/uapi -I$(ROOT)/include/uapi/rdma -MMD -MP

PROTO_SRCS := $(wildcard $(ROOT)/kernel/proto/*.c)
NATIVE_SRCS := $(wildcard $(ROOT)/selftests/native/*.c)
PROTO_OBJS := $(patsubst $(ROOT)/kernel/proto/%.c,$(OUT)/proto/%.o,$(PROTO_SRCS)) \
	$(patsubst $(ROOT)/selftests/native/%.c,$(OUT)/native/%.o,$(NATIVE_SRCS))

# An object is as old as the flags it was made with.
FLAGS_FILE := $(OUT)/flags
$(shell mkdir -p $(OUT); \
	echo '$(CC) $(CFLAGS) $(SAN)' | cmp -s - $(FLAGS_FILE) || \
	echo '$(CC) $(CFLAGS) $(SAN)' > $(FLAGS_FILE))

$(OUT)/proto/%.o: $(ROOT)/kernel/proto/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(OUT)/native/%.o: $(ROOT)/selftests/native/%.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(OUT)/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

-include $(wildcard $(OUT)/*.d $(OUT)/*/*.d)
