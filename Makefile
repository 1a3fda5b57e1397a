# make run     build and serve on this machine, with a private PostgreSQL and demo data
# make test    every test          make bench   measure beside nginx, pgbench, Deno and Go
# make lint    style and imports   make format  mend the style
#
# Arguments for the server: make run ARGS="--port 8080 --reset"

SWIFT ?= swift
# With the standard library in the binary: 3 % less CPU and 6 MB less memory. macOS brings its own.
RELEASE := -c release --product swiftlet $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
SOURCES := Package.swift Sources Tests

.PHONY: run test bench lint format setup

run: setup
	@$(SWIFT) build $(RELEASE)
	@exec "$$($(SWIFT) build $(RELEASE) --show-bin-path)/swiftlet" dev $(ARGS)

test:
	@.ci/setup test
	$(SWIFT) build --build-tests
	# One after the other: hundreds of tests at once on two cores starve those that wait for a server.
	$(SWIFT) test --skip-build --no-parallel $(ARGS)

bench: setup
	$(SWIFT) build $(RELEASE)
	Benchmarks/run $(ARGS)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	$(SWIFT) build --explicit-target-dependency-import-check error

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

setup:
	@.ci/setup
