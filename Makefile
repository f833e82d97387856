# Targets to set up, build, test and show the extension; the work is done by scripts/.
PG ?= 15
VARIABLES := PG PG_CONFIG OLD_PG_CONFIG PGN PORT NODES GAMES RUNS BUILDS BUDGET LIMIT BUFFERS KEEP BITS SIZES MOST ACCEPT FUZZ_SECONDS
# one that is not given would be exported as empty
export $(foreach name,$(VARIABLES),$(if $($(name)),$(name)))

.DEFAULT_GOAL := help
.PHONY: help setup tools all build install uninstall demo demo-stop clean-demo cluster cluster-stop dist release deb image wheel desk-image test test-all test-rest regress installcheck isolation fuzz deny check-docs bench bench-web bench-scale web fmt clean

help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):[^#]*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16
	@echo 'Variables:'
	@echo '  PG=15           PostgreSQL major version, installed from the distribution where missing'
	@echo '  PG_CONFIG=path  pg_config of another installation (overrides PG)'
	@echo '  OLD_PG_CONFIG=path  that of an older major version: make test-all upgrades from it with pg_upgrade'
	@echo '  PGN=file.pgn    games for make demo and make cluster instead of the built-in ones'
	@echo '  PORT=n          where make demo shows the page (8765, or a free port)'
	@echo '  NODES=n         servers of make cluster, beside the coordinator (4)'
	@echo '  GAMES=n RUNS=n  generated games and repetitions of make bench (30000, 5)'
	@echo '  BUILDS=n        how often make bench builds tables and indexes (3)'
	@echo '  FUZZ_SECONDS=n  how long make fuzz runs each target (60)'
	@echo '  ACCEPT=1        make regress writes its results to tests/pg_regress/expected'

setup: ## install what is missing: PostgreSQL and its headers, clang, and Chromium for the tests
	@scripts/setup.sh test

# packages for building, without those that only tests need
tools:
	@scripts/setup.sh

build: tools ## compile in release mode into target/
	@scripts/build.sh

# names by which pgxn builds and tests
all: build
installcheck: regress

install: tools ## compile and install into PostgreSQL (with sudo only where needed)
	@scripts/install.sh

uninstall: ## remove the extension's files from PostgreSQL (first DROP EXTENSION chess in each database)
	@scripts/install.sh remove

# its build from nothing has a budget of five minutes, which the crates of Parquet would take a good part of
demo: export WITHOUT_PARQUET = 1
demo: install ## load games into a private server, show the main queries, and open the explorer's page
	@scripts/demo.sh start

demo-stop: ## stop the demo's server, keep its data
	@scripts/demo.sh stop

clean-demo: ## stop the demo's server and remove its data
	@scripts/demo.sh clean

cluster: tools ## private servers that hold games together, and a coordinator that asks them all (NODES=n, PGN="file …")
	@scripts/private.sh scripts/shards.sh start

cluster-stop: ## stop the servers of make cluster and remove their data
	@scripts/shards.sh stop

dist: ## the archive for PGXN, into target/
	@scripts/dist.sh

release: tools ## what a released version consists of: archives, Debian packages, notes, checksums, in one folder
	@scripts/release.sh

deb: tools ## Debian packages of the extension and the programs, into target/deb
	@scripts/deb.sh

image: tools ## the image that CloudNativePG mounts into PostgreSQL 18 or later (PG=18), into target/
	@scripts/image.sh

wheel: tools ## chess-desk for Python's pip: extension, programs and page, with a PostgreSQL of its own, into target/wheel
	@scripts/wheel.sh

desk-image: tools ## chess-desk as an image for containers: page on port 8765, games in the volume /data, into target/
	@scripts/desk-image.sh

test: setup ## format, unit and regression tests, the programs, the page, docs
	@scripts/test.sh

test-all: setup ## make test, plus lints and what takes minutes: crashes, backup, load, memory, cancelling, pg_upgrade
	@scripts/test.sh all

test-rest: setup ## what make test-all has beyond make test
	@scripts/test.sh rest

regress: tools ## only the SQL regression tests
	@scripts/private.sh scripts/regress.sh

isolation: tools ## only the tests with concurrent sessions
	@SUITE=isolation scripts/private.sh scripts/regress.sh

fuzz: tools ## the fuzzer on every entrance of the core (FUZZ_SECONDS=n for each target)
	@scripts/fuzz.sh

deny: ## cargo deny: licences, sources, versions and known vulnerabilities of the dependencies
	@scripts/deny.sh

check-docs: tools ## only the documentation's snippets and completeness
	@scripts/private.sh scripts/check-docs.sh

bench: tools ## measure the core and the server against their peers (PGN=file, GAMES=n, RUNS=n)
	@scripts/private.sh scripts/bench.sh

bench-web: tools ## 10,000 questions to chess-web over HTTP by 16 clients (PGN=file or GAMES=n)
	@scripts/private.sh scripts/bench-web.sh

bench-scale: tools ## twenty million games on one server, end to end, in an hour (GAMES=n, PGN=file, BUDGET=seconds, KEEP=directory)
	@scripts/private.sh scripts/bench-scale.sh

web: ## bundle the page of chess-web again (crates/chess-web/ui into assets; needs npm)
	@scripts/build-web.sh

fmt: ## format the Rust code
	@cargo fmt --all

clean: clean-demo cluster-stop ## remove everything built
	@for link in target/postgresql-* target/pgrx/postgresql-*; do [ ! -L "$$link" ] || rm -rf "$$(readlink "$$link")"; done
	@cargo clean
