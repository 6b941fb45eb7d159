# What a developer types. Each goal runs the set-up first, which does nothing where everything is there.
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
export BIRDFOOT_VENV ?= $(CURDIR)/build/venv

.PHONY: build demo test bench lint clean install

build:
	@tools/setup.sh
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS)

test: build
	@tools/setup.sh --tests
	@tools/setup_peers.sh
	@tools/run_tests.sh $(BUILD)

demo: build
	@tools/setup.sh --tests
	@bench/demo.sh $(BUILD)

bench: build
	@tools/setup.sh --tests
	@tools/setup_peers.sh
	@bench/run.sh $(BUILD)

lint:
	@tools/lint.sh

clean:
	rm -rf build/release build/dev build/debug build/coverage build/clang build/fuzz
