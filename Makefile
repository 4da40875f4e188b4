# Segue's short commands; CMakePresets.json has the longer ones.
PREFIX ?= /usr/local
BUILD   = build/release
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps:
	@scripts/install-deps

build: deps ## build the library and the program, build/release/segue
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build --preset release --parallel $(JOBS)

# It plays only what changed since, and continues what was interrupted.
run: build ## the whole paper: every table and figure, and a report, in build/paper
	@$(BUILD)/segue paper --resume --out build/paper

test: build ## all tests
	@scripts/run-tests $(BUILD) ctest --preset release

# Configure again: the headers of Python may be new.
python: ## the Python package: a wheel in build/wheel
	@scripts/install-deps python
	@cmake --preset release > /dev/null
	@cmake --build --preset release --parallel $(JOBS) --target python_module
	@rm -rf build/wheel
	@cd bindings/python && /usr/bin/python3 -m build --wheel --no-isolation --outdir ../../build/wheel > ../../build/wheel.log 2>&1 || { cat ../../build/wheel.log; exit 1; }
	@ls build/wheel/*.whl

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

clean: ## remove all that was built
	@rm -rf build

.PHONY: help deps build run test python bench lint install clean
