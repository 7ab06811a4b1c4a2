# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rox: kernel module, rdma-core provider, and their tests. "make help" lists what there is.

KDIR		?= /lib/modules/$(shell uname -r)/build
RDMA_CORE_SRC	?=
BUILD		?= $(CURDIR)/build/provider
DESTDIR		?=
export RDMA_CORE_SRC BUILD DESTDIR

all: modules provider

## Building
modules:		## rox.ko for KDIR (default: the running kernel's headers)
	@tools/build/require modules "$(KDIR)"
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

provider:		## librox for the installed rdma-core, or for RDMA_CORE_SRC=
	@tools/build/require provider
	$(MAKE) -C provider all

install: install-modules install-provider ## both; DESTDIR is honoured

install-modules: modules ## rox.ko below DESTDIR/lib/modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates $(if $(DESTDIR),DEPMOD=true )modules_install

install-provider: provider ## librox, its driver file, headers, man page and udev rule
	$(MAKE) -C provider install

uninstall:		## remove what install put there
	rm -f $(DESTDIR)/lib/modules/*/updates/rox.ko*
	$(if $(DESTDIR),,depmod -a)
	$(MAKE) -C provider uninstall

clean:			## remove what was built in this tree
	@if [ -d "$(KDIR)" ]; then $(MAKE) -s -C $(KDIR) M=$(CURDIR) clean; fi
	rm -rf build

## Running
demo:			## see it work, in a guest (HOST=1 NETDEV=eth0: on this kernel)
	@tools/demo/demo

check:			## all tests; installs what it needs (DEBUG=short: some on a debug kernel too)
	@selftests/check

bench:			## rox beside rdma_rxe and TCP, in one guest, on KERNEL=6.12
	@selftests/bench/run.sh self

bench-netns:		## the same over a veth between namespaces, MTU 1500 and 9000
	@selftests/bench/run.sh netns

bench-wire:		## the same between two guests
	@selftests/bench/run.sh wire

bench-full:		## all sizes, latencies, numbers of queue pairs, processor time, in all three; JSON and charts in build/bench
	@selftests/bench/run.sh --full self netns wire

bench-cost:		## instructions for an operation, beside rdma_rxe
	@tools/vm/run --kernel 6.12 --icount --timeout 600 selftests/bench/cost.sh

bench-profile:		## which functions these are, of WHAT='rox ib_write_bw -s 64'
	@selftests/bench/profile/profile.sh $(WHAT)

check-native:		## the tests that need no guest
	@selftests/check native

check-long:		## what takes longer: everything on every kernel, 100 rounds, long fuzzing
	@selftests/check long

check-storm:		## all storms, DURATION=3600 seconds of them, on KERNEL=6.12
	@selftests/check storm

check-debug:		## on kernels built to catch faults, which it builds first (KERNEL=debug-6.12 on that one)
	@selftests/check debug

help:			## this list
	@awk -F ':.*## *' '/^## /{print "\n" substr($$0, 4) ":"} \
		/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: all modules provider install install-modules install-provider uninstall \
	clean demo bench bench-netns bench-wire bench-full bench-cost bench-profile check check-native check-long check-storm check-debug help
