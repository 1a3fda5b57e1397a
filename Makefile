# make run      build and serve on this machine, with a private PostgreSQL and demo data
# make test     run all tests
# make bench    compare with nginx, pgbench, Deno and Go
# make lint     check style and imports
# make format   fix the style
#
# Arguments for the server: make run ARGS="--port 8080 --reset"

SWIFT ?= swift
# Linking the standard library statically saves 3 % CPU and 6 MB of memory. On macOS it is part of the system.
RELEASE := -c release --product swiftlet $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
SOURCES := Package.swift Sources Tests

.PHONY: run test bench lint format setup

run: setup
	@$(SWIFT) build $(RELEASE)
	@exec "$$($(SWIFT) build $(RELEASE) --show-bin-path)/swiftlet" dev $(ARGS)

test:
	@.ci/setup test
	$(SWIFT) build --build-tests
	SWIFT=$(SWIFT) .ci/test $(ARGS)

bench:
	@.ci/setup bench
	$(SWIFT) build $(RELEASE)
	Benchmarks/run $(ARGS)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	$(SWIFT) build --explicit-target-dependency-import-check error

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

setup:
	@.ci/setup
