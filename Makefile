# make run      build and serve on this machine, with a private PostgreSQL and demo data
# make build    build the release binary, as make run does
# make test     run all tests
# make console-test   run the console's acceptance in Chromium, pictures in .build-pictures
# make chaos    kill servers and PostgreSQL under load by a seed, and check what was promised
# make asleep   have a client sleep for a minute while the server is killed, and check that everything arrives once
# make fuzz     send requests by grammar, with valid tokens, and look for what may never be answered
# make fuzz-parsers   feed each parser of what peers send with damaged examples, for SWIFTLET_FUZZ_SECONDS each
# make failover  take the primary away under load, with Patroni, and check what was promised
# make bench    compare with nginx, pgbench, Deno, Go and other queues
# make day      ten minutes of many phones at ten times the speed: p99 by route, memory
# make lint     check style and imports
# make docs     build the documentation and the reference of Swiftlet and SwiftletClient as a site
# make format   fix the style
#
# Arguments for the server: make run ARGS="--port 8080 --reset"

SWIFT ?= swift
# Linking the standard library statically saves 3 % CPU and 6 MB of memory. On macOS it is part of the system.
# Inlining across modules, and no checks of exclusive access at run time (debug builds, and so all tests, have them): a
# manifest with such flags could not be depended on by version, so they are given here.
FAST := -Xswiftc -cross-module-optimization -Xswiftc -enforce-exclusivity=unchecked
RELEASE := -c release --product swiftlet $(FAST) $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
# A server whose jobs do nothing and whose messages go to a local server, for the bench.
WORK := --package-path Benchmarks/work --scratch-path .build-work $(RELEASE:swiftlet=work)
SOURCES := Package.swift Sources Tests Snippets Examples Benchmarks/decoding Benchmarks/work

.PHONY: run build test console-test chaos asleep failover fuzz fuzz-parsers bench day lint docs format setup

run: build
	@exec "$$($(SWIFT) build $(RELEASE) --show-bin-path)/swiftlet" dev $(ARGS)

build: setup
	@$(SWIFT) build $(RELEASE)

test:
	@.ci/setup test
	$(SWIFT) build --build-tests
	SWIFT=$(SWIFT) .ci/test $(ARGS)
	SWIFT=$(SWIFT) .ci/example
	SWIFT=$(SWIFT) .ci/stranger
	.build-python/bin/python Tests/Python/console_browser.py --smoke "$$($(SWIFT) build --show-bin-path)/swiftlet"
	.build-python/bin/python Tests/Python/console_pictures.py --only desktop "$$($(SWIFT) build --show-bin-path)/swiftlet" .build-pictures

console-test:
	@.ci/setup test
	$(SWIFT) build --product swiftlet
	CONSOLE_PICTURES=.build-pictures .build-python/bin/python Tests/Python/console_browser.py \
		"$$($(SWIFT) build --show-bin-path)/swiftlet" $(ARGS)
	.build-python/bin/python Tests/Python/console_pictures.py "$$($(SWIFT) build --show-bin-path)/swiftlet" .build-pictures

chaos:
	@.ci/setup
	$(SWIFT) build --product swiftlet
	python3 Tests/Python/chaos.py "$$($(SWIFT) build --show-bin-path)/swiftlet" $(ARGS)

asleep:
	@.ci/setup
	$(SWIFT) build --product swiftlet
	python3 Tests/Python/asleep.py "$$($(SWIFT) build --show-bin-path)/swiftlet" $(ARGS)

failover:
	@.ci/setup failover
	$(SWIFT) build --product swiftlet
	.build-patroni/bin/python Tests/Python/failover.py "$$($(SWIFT) build --show-bin-path)/swiftlet" $(ARGS)

fuzz:
	@.ci/setup
	$(SWIFT) build --product swiftlet
	python3 Tests/Python/fuzz.py "$$($(SWIFT) build --show-bin-path)/swiftlet" $(ARGS)

fuzz-parsers:
	@.ci/setup test
	$(SWIFT) build --build-tests
	SWIFT=$(SWIFT) SWIFTLET_FUZZ_SECONDS=$${SWIFTLET_FUZZ_SECONDS:-30} .ci/test --filter "ParserFuzzTests|TokenFuzzTests|ClaimsScannerTests"

bench:
	@.ci/setup bench
	$(SWIFT) build $(RELEASE)
	$(SWIFT) run -c release --package-path Benchmarks/decoding --scratch-path .build-decoding decoding
	Benchmarks/run $(ARGS)
	$(SWIFT) build $(WORK)
	Benchmarks/jobs
	Benchmarks/backup

day:
	@.ci/setup bench
	$(SWIFT) build $(RELEASE)
	Benchmarks/day $(ARGS)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	$(SWIFT) build --explicit-target-dependency-import-check error

docs:
	SWIFT=$(SWIFT) .ci/docs

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

setup:
	@.ci/setup
