# SPDX-License-Identifier: MIT
# A front end: CMake builds, tests/run runs the tests. `make help` lists the targets.

BUILD  ?= build
PREFIX ?= /usr/local
DESTDIR ?=
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
NPES   ?= 4
# More arguments for cmake, for mori perf and for ctest.
CMAKE_ARGS ?=
BENCH_ARGS ?=
TEST_ARGS  ?=
# Parts of tests/amd/run; all if empty.
AMD_ARGS   ?=
# Which lines of tests/mutants/list; all if empty.
MUTANTS ?=

# Recipes use these in a shell, because the set-up just before may have installed a tool. CMake
# configures again if a set-up has installed something, if something was missing, or if there are
# arguments for it.
configure = command -v cmake >/dev/null || \
	{ echo "No CMake was found: install the package cmake, or let make demo install everything."; exit 1; }; \
	if [ -f $(1)/build.ninja ]; then gen=Ninja; elif [ -f $(1)/Makefile ]; then gen="Unix Makefiles"; \
	elif command -v ninja >/dev/null; then gen=Ninja; else gen="Unix Makefiles"; fi; \
	if [ ! -f $(1)/CMakeCache.txt ] || [ ! -f $(1)/configured ] || [ .cache/setup.log -nt $(1)/configured ] || \
	grep -qs 'install the package' $(1)/summary.txt || $(if $(strip $(CMAKE_ARGS)),true,false); then \
	mkdir -p $(1); cmake -G "$$gen" -S . -B $(1) $(2) $(CMAKE_ARGS) >$(1)/configure.log 2>&1 || \
	{ cat $(1)/configure.log; command -v "$${CC:-cc}" >/dev/null || \
	echo "No C compiler was found: install the packages gcc and libc6-dev, or let make demo install everything."; \
	exit 1; }; touch $(1)/configured; fi
compile = cmake --build $(1) -j $(JOBS) $(2)
summary = echo; cat $(BUILD)/summary.txt
# Builds the whole tree, after the set-up of the given group.
define prepare
	@tools/setup.sh $(1)
	@$(call configure,$(BUILD))
	@$(call compile,$(BUILD))
endef

.PHONY: all build demo test test-all soak install uninstall clean asan tsan lint check-mutants format generate bench gpu amd help setup
.DEFAULT_GOAL := all

all: build
	@echo
	@echo "Built $(BUILD)/bin/mori and $(BUILD)/lib/libmori_shmem.so. Try next:"
	@echo "  make demo                                  a tour with $(NPES) PEs"
	@echo "  make test                                  the tests"
	@echo "  $(BUILD)/bin/mori info                        what this machine has"
	@echo "  $(BUILD)/bin/mori run -n 4 $(BUILD)/bin/mori-hello   the smallest program"
	@$(summary)

help:
	@echo "make              build into $(BUILD)/ with what this machine has; docs/building.md"
	@echo "make demo         install what is missing, build, run a tour with $(NPES) PEs (NPES=)"
	@echo "make test         install what is missing, build, run the tests (TEST_ARGS=-R name)"
	@echo "make test-all     the same with every combination; make test runs a sample"
	@echo "make soak         random operations on every path, SOAK_SECONDS=300 each"
	@echo "make install      into PREFIX ($(PREFIX)); DESTDIR is honoured"
	@echo "make uninstall    remove what make install put there, with the same PREFIX and DESTDIR"
	@echo "make asan tsan    the tests under ASan and UBSan, under TSan"
	@echo "make check-mutants  break the library in many ways; the tests must notice"
	@echo "make lint         format, static analysis and the other checks of the sources"
	@echo "make generate     write the files that are made from the list of operations"
	@echo "make format       format the sources as make lint requires"
	@echo "make bench        measure (BENCH_ARGS= for mori perf)"
	@echo "make gpu          build what tests/gpu/run needs on a machine with a GPU, in $(BUILD)/gpu"
	@echo "make amd          all kernels for AMD GPUs, on the interpreter, and the host library on ROCm over GPUs in"
	@echo "                  software; AMD_ARGS= for tests/amd/run alone"
	@echo "make clean        remove the build folders"
	@echo "BUILD=, JOBS=, CMAKE_ARGS= and CC= set the folder, jobs, CMake's arguments, compiler."

setup:
	@tools/setup.sh build

# Installs nothing: the summary says what is missing.
build:
	@$(call configure,$(BUILD))
	@$(call compile,$(BUILD))

# A build that found no clang looks again, because clang may have been installed since. If kernels
# do not compile, the tour runs without them.
demo:
	@tools/setup.sh demo
	@[ -d $(BUILD)/lib/mori ] || rm -f $(BUILD)/configured
	@$(call configure,$(BUILD))
	@$(call compile,$(BUILD),--target mori mori-tour) >$(BUILD)/demo.log || { cat $(BUILD)/demo.log; exit 1; }
	@$(call compile,$(BUILD),--target mori-tour-kernels) >>$(BUILD)/demo.log 2>&1 || \
		echo "demo: the kernels did not compile; see $(BUILD)/demo.log"
	@examples/tour/demo.sh $(BUILD) $(NPES)

test:
	$(call prepare,test)
	@tests/run $(BUILD) $(TEST_ARGS)

test-all:
	@TEST_ALL=1 $(MAKE) --no-print-directory test

soak:
	$(call prepare,test)
	@SOAK_SECONDS=$${SOAK_SECONDS:-300} MORI=$(abspath $(BUILD))/bin/mori BUILD=$(abspath $(BUILD)) \
		SRC=$(CURDIR) bash tests/sh_net_soak.sh

gpu:
	$(call prepare,test)
	@$(call compile,$(BUILD),--target gpu)

amd:
	$(call prepare,test)
	@$(call compile,$(BUILD),--target amd)
	@tests/amd/run $(BUILD) $(AMD_ARGS)
	@[ -n "$(AMD_ARGS)" ] || tests/hip/run $(BUILD)

install: build
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@$(summary)

uninstall:
	@DESTDIR="$(DESTDIR)" cmake -DBUILD="$(BUILD)" -DPREFIX="$(PREFIX)" -P cmake/uninstall.cmake

asan:
	@tools/setup.sh test
	@$(call configure,$(BUILD)-asan,-DMORI_SANITIZE=address)
	@$(call compile,$(BUILD)-asan)
	@tests/run $(BUILD)-asan $(TEST_ARGS)

# clang's TSan supports the address-space layout of every kernel; gcc's does not.
tsan:
	@tools/setup.sh test
	@$(call configure,$(BUILD)-tsan,-DMORI_SANITIZE=thread \
		$(if $(filter default undefined,$(origin CC)),$$(command -v clang-19 >/dev/null && echo -DCMAKE_C_COMPILER=clang-19)))
	@$(call compile,$(BUILD)-tsan)
	@tests/run $(BUILD)-tsan $(TEST_ARGS)

lint:
	$(call prepare,ci)
	@tests/run $(BUILD) -L 'lint|check' $(TEST_ARGS)

check-mutants:
	$(call prepare,ci)
	@tests/mutants/run $(BUILD) $(MUTANTS)

# The files of the tree that are made from the list of operations.
generate:
	@tools/setup.sh build
	@$(call configure,$(BUILD))
	@$(call compile,$(BUILD),--target mori-list)
	@tools/generate.sh $(BUILD)/bin/mori-list

# The list of operations is laid out by hand.
format:
	@tools/setup.sh ci
	find include src tools tests bench examples python -name '*.[ch]' ! -name shmem_list.h | \
		xargs clang-format-19 -i

bench: build
	$(BUILD)/bin/mori perf $(BENCH_ARGS)

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-clang
