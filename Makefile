# Frazil's commands. `make build` leaves build/frazil; `make test` runs everything CI runs.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.PHONY: build test dev bench fuzz interop torture format check clean install help

PYTHON := .deps/venv/bin/python
SUITES := python3 tools/run_suites.py
FUZZ_SECONDS ?= 60
TORTURE_SECONDS ?= 180
BENCH ?=
BENCH_OPTIONS ?=
DEV_ONCE ?=

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 22

install:  ## install what building needs
	@scripts/install_dependencies.sh build

build: install  ## release build: build/frazil
	@mkdir -p build && cmake --preset release >build/configure.log || { cat build/configure.log; exit 1; }
	cmake --build --preset release

test:  ## everything: checks, unit tests, corpora, sanitizers, clang-tidy, interop, end to end
	@$(SUITES) --set test

check:  ## the quick part: generated files, layers, names, format
	@$(SUITES) --set check

interop:  ## our own codecs against other people's
	@$(SUITES) --set interop

dev:  ## embedded Kafka and registry, a small shop, Frazil, two answered queries; Ctrl-C ends it (DEV_ONCE=1: at once)
	@scripts/install_dependencies.sh dev
	@[ -x build/frazil ] || $(MAKE) --no-print-directory build
	@exec $(PYTHON) scripts/dev.py $(if $(DEV_ONCE),--once)

fuzz: install  ## every fuzzer for FUZZ_SECONDS
	@python3 tools/run_fuzzers.py --seconds $(FUZZ_SECONDS)

torture: build  ## an hour of loads in memory, kill -9 under load for TORTURE_SECONDS, many reads with little memory
	@scripts/install_dependencies.sh test
	FRAZIL_HISTORY_LOADS=360000 FRAZIL_HISTORY_MILLISECONDS=3600000 build/table_test --gtest_filter='HistoryTest.ManyLoads*'
	@$(PYTHON) tests/torture/torture.py --seconds $(TORTURE_SECONDS)
	@$(PYTHON) tests/torture/memory.py

bench:  ## every benchmark against its bar and its peer (BENCH="fetch scan": these; BENCH_OPTIONS=--write: docs/benchmarks.md)
	@scripts/install_dependencies.sh bench
	@mkdir -p build && cmake --preset release -DFRAZIL_BENCH_PEERS=ON >build/configure.log || { cat build/configure.log; exit 1; }
	cmake --build --preset release --target frazil bench
	@$(PYTHON) bench/run.py $(BENCH_OPTIONS) $(BENCH)

format: install  ## clang-format over all sources
	@git ls-files -z '*.h' '*.cc' | xargs -0 clang-format-19 -i

clean:  ## remove what was built; what was installed stays in .deps
	@rm -rf build build-asan build-tsan build-tidy build-fuzz .run
