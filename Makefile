# Segue's short commands; CMakePresets.json has the longer ones.
PREFIX ?= /usr/local
BUILD   = build/release
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps:
	@scripts/install-deps

build: deps ## build the library and the program, build/release/segue
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS)

# What the paper needs: the program alone.
program: deps
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target segue

# It plays only what changed since, and continues what was interrupted.
run: program ## the whole paper: every table and figure, and a report, in build/paper
	@$(BUILD)/segue paper --resume --out build/paper

pythondeps:
	@scripts/install-deps python

test: pythondeps build ## the tests, without valgrind and those that take a core more than 10 s
	@scripts/run-tests $(BUILD) ctest --preset release --label-exclude "long|valgrind"

check: pythondeps build ## all tests
	@scripts/run-tests $(BUILD) ctest --preset release

# Configure again: the headers of Python may be new.
python: pythondeps ## the Python package: a wheel in build/wheel, installed into build/venv and tested there
	@cmake --preset release > /dev/null
	@cmake --build --preset release --parallel $(JOBS) --target python_module segue segue_shared python_failing_malloc
	@rm -rf build/wheel
	@cd bindings/python && /usr/bin/python3 -m build --wheel --no-isolation --outdir ../../build/wheel > ../../build/wheel.log 2>&1 || { cat ../../build/wheel.log; exit 1; }
	@scripts/test-wheel build/wheel/*.whl
	@ls build/wheel/*.whl build/venv/bin/python

# Once configured so, later builds keep it up to date.
playground: ## the playground for browsers, in segue serve and build/release/playground (installs emscripten)
	@scripts/install-deps playground
	@scripts/install-deps
	@cmake --preset release -DSEGUE_PLAYGROUND=ON > /dev/null
	@cmake --build --preset release --parallel $(JOBS) --target segue playground

# Configure again: the headers of Python may be new.
docs: pythondeps ## the documentation as one site for browsers, build/docs/index.html; with playground and report if they were made
	@scripts/install-deps docs
	@cmake --preset release > /dev/null
	@cmake --build --preset release --parallel $(JOBS) --target python_module
	@docs/site/make_site.py $(BUILD) build/docs build/paper/report.html

bench: build ## speed of kernels, policies and learners, beside that of the random numbers
	@$(BUILD)/segue bench --long --save build/bench.json --label "$$(git rev-parse --short HEAD)"
	@echo
	@$(BUILD)/bench/bench_policies
	@echo
	@$(BUILD)/bench/bench_learner
	@$(BUILD)/bench/bench_types
	@$(BUILD)/bench/bench_large
	@$(BUILD)/bench/bench_log

lint: ## formatting, clang-tidy, cppcheck, ABI
	@scripts/install-deps lint
	@scripts/lint

install: build ## install under PREFIX (default /usr/local), into DESTDIR if set
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@test "$$(id -u)" != 0 -o -n "$(DESTDIR)" || ldconfig # the loader's list of libraries

deb: ## the Debian packages, in build/deb
	@scripts/install-deps packages
	@scripts/make-deb build/deb

deb-test: ## install, test, upgrade and purge the packages of build/deb in a clean Debian
	@scripts/install-deps packages
	@scripts/test-deb build/deb

deb-repro: ## build the packages again elsewhere, and compare their bytes with build/deb
	@scripts/install-deps packages
	@scripts/compare-deb build/deb

release: ## tag, archive, packages and checksums, in build/release-VERSION; with DRY_RUN=1 only the checks
	@scripts/release $(if $(DRY_RUN),--dry-run)

clean: ## remove all that was built
	@rm -rf build

.PHONY: help deps pythondeps build program run test check python playground docs bench lint install deb deb-test deb-repro release clean
