# Every task of a developer. `make` alone lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
RUST_SOURCES := Cargo.toml $(shell find rust/archives rust/markup rust/policy rust/python -name target -prune -o \( -name '*.rs' -o -name '*.txt' -o -name Cargo.toml \) -print 2>/dev/null)

SECONDS_EACH ?= 60
EXAMPLES ?= 20000
CASES ?= 200000
KILLS ?= 200
SEED ?= $(shell date +%s)

# Hundreds of tests start Python. Without its byte code each of them compiles the package first.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo programs quick test test-python test-rust lint types lint-python lint-rust format fuzz instructions soak engines integrations lowest bench docs site crawlers licences wheel clean

help: ## List the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The stamps lie in the virtual environment and go with it: what has not changed is not installed or built again.
$(VENV)/.made: tools/make-venv
	@tools/make-venv $(VENV)
	@touch $@

# What is imported is compiled then; most of it never is.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := install --no-compile

$(VENV)/.tools: pyproject.toml | $(VENV)/.made
	@echo "installing the tools of a developer"
	@$(PIP) $(INSTALL) pip==26.3  # which knows dependency groups
	@$(PIP) $(INSTALL) --group dev
	@touch $@

# The profiles are those of Cargo.toml.
BUILD := env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --quiet --profile

$(VENV)/.native: $(VENV)/.tools $(RUST_SOURCES)
	@echo "building the native core and installing acap in $(VENV)"
	@log=$$($(BUILD) quick 2>&1) || { echo "$$log" >&2; exit 1; }
	@touch $@

setup: $(VENV)/.native ## Make .venv with acap (editable) and the tools of a developer
	@$(BIN)/acap --version

demo: setup ## A small newspaper, three crawlers: what each may do and did
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo

programs: ## Install PostgreSQL, nginx and Chromium, which tests need; where that may not be done, print the command
	@tools/system-programs

quick: $(VENV)/.native ## In about a minute: style, types, direction of imports, and the tests of what is fast
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist loadfile --no-loadscope-reorder -m "not slow"

# Processes that start at once would each compile what the tests import, a third of a minute of processor time.
$(VENV)/.compiled: | $(VENV)/.native
	@log=$$($(BIN)/python -m pytest --collect-only --quiet --quiet 2>&1) || { echo "$$log" >&2; exit 1; }
	@touch $@

test: ## Everything that CI checks
	@# What compiles goes beside what is installed, and whatever is left goes beside the tests, which wait half of their time.
	@# They come as soon as the core is built; the types are checked before, as the samples of the pages start from that.
	$(MAKE) --no-print-directory --jobs=3 programs types test-python test-rust lint-python instructions site lint-rust

test-python: $(VENV)/.native $(VENV)/.compiled programs ## The tests of the Python package
	@# Three processes more than there are cores: tests of browsers, servers and crawls wait half of their time.
	$(BIN)/python -m pytest --numprocesses $$(($$(getconf _NPROCESSORS_ONLN) + 3)) --dist loadfile --no-loadscope-reorder

test-rust: $(VENV)/.made ## The tests of the native core
	PYO3_PYTHON="$(CURDIR)/$(BIN)/python" cargo test --workspace --quiet

lint: lint-python lint-rust ## Style, types, stub, direction of imports, clippy

types: $(VENV)/.tools ## The types of the Python package, its tests and its tools
	$(BIN)/mypy

lint-python: $(VENV)/.native types ## The Python part of lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m mypy.stubtest acap._native --mypy-config-file tools/stubtest.ini
	$(BIN)/lint-imports --no-cache

lint-rust: $(VENV)/.native ## The Rust part of lint
	cargo fmt --all --check
	cargo fmt --manifest-path rust/fuzz/Cargo.toml --check
	@# In the profile of the build: macros and build scripts, half of the work, are there already.
	PYO3_CONFIG_FILE="$$(ls -t "$(CURDIR)"/target/maturin/pyo3-config-*.txt | head -n 1)" \
		cargo clippy --workspace --all-targets --profile quick --quiet -- -D warnings
	CUSTOM_LIBFUZZER_PATH=/unused cargo clippy --manifest-path rust/fuzz/Cargo.toml --target-dir target --quiet -- -D warnings

format: $(VENV)/.tools ## Bring Python and Rust into the one format
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	cargo fmt --all
	cargo fmt --manifest-path rust/fuzz/Cargo.toml

fuzz: ## Fuzz each target of the native core for SECONDS_EACH (60); needs a C++ compiler
	@tools/fuzz $(SECONDS_EACH)

instructions: $(VENV)/.native ## Count what the core needs for fixed work, and compare; needs valgrind
	$(BIN)/python -m benchmarks.instructions

soak: $(VENV)/.native ## Laws and kills at length, from a new SEED: EXAMPLES a law, CASES for both engines, KILLS
	ACAP_KILLS=$(KILLS) ACAP_SEED=$(SEED) $(BIN)/python -m pytest tests/test_kill_crawl.py tests/test_kill_sweep.py
	ACAP_CASES=$(CASES) ACAP_PAIRS=$(CASES) ACAP_SEED=$(SEED) ACAP_EXAMPLES=$(EXAMPLES) \
		$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder --hypothesis-profile=soak tests/property
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder --hypothesis-profile=soak -m portion
	ROUNDS=$(CASES) PYO3_PYTHON="$(CURDIR)/$(BIN)/python" cargo test --release --package acap-policy

$(VENV)/peers/.installed: $(VENV)/.tools $(wildcard benchmarks/requirements*.txt benchmarks/drivers/*/* benchmarks/drivers/*/*/*) benchmarks/install-peers
	@benchmarks/install-peers $(BIN)/python $(VENV)/peers
	@touch $@

# Each has an environment of its own, for they pin what others need otherwise; what it lacks comes from ours.
LIBRARIES := crawl4ai img2dataset

$(LIBRARIES:%=$(VENV)/with-%) $(VENV)/with-engines $(VENV)/with-site: $(VENV)/with-%: pyproject.toml | $(VENV)/.tools
	@echo "installing $*"
	@$(BIN)/python -m venv $@
	@$@/bin/python -m pip --disable-pip-version-check --quiet $(INSTALL) pip==26.3
	@$@/bin/python -m pip --disable-pip-version-check --quiet $(INSTALL) --group $*
	@site='import sysconfig; print(sysconfig.get_path("purelib"))'; \
		$(BIN)/python -c "$$site" > "$$($@/bin/python -c "$$site")/zz-acap.pth"
	@touch $@

engines: $(VENV)/.native $(VENV)/with-engines ## Audit on Spark and Ray with real processes; needs Java 17
	PYTHONPATH="$(CURDIR)/src" $(VENV)/with-engines/bin/python -m pytest tests/test_audit_spark.py tests/test_audit_ray.py

integrations: $(VENV)/.native $(LIBRARIES:%=$(VENV)/with-%) ## Run the programs of the how-tos with the real crawl4ai and img2dataset
	@for name in $(LIBRARIES); do \
		PYTHONPATH="$(CURDIR)/src" $(VENV)/with-$$name/bin/python -m pytest tests/test_$$name.py; \
	done

lowest: $(VENV)/.native ## Try the lowest version of every dependency that pyproject.toml permits
	@tools/lowest-versions $(VENV) $(VENV)/lowest

bench: $(VENV)/.native $(VENV)/peers/.installed ## Measure reading, deciding and memory beside other implementations
	@$(BUILD) release && touch $(VENV)/.native
	PYTHONPATH=src $(VENV)/peers/bin/python -m benchmarks
	$(BIN)/python -m benchmarks --threads --harvest --publisher --decisions --survey --audit

docs: $(VENV)/.native ## Build the reference in build/reference/, refresh the examples of docs/, check every link
	$(BIN)/python -m tools.docs

site: $(VENV)/.native $(VENV)/with-site ## Build the documents as a site in build/site/, to be read without a network, and check its links
	@$(BIN)/python -m tools.site stage
	@NO_MKDOCS_2_WARNING=1 $(VENV)/with-site/bin/mkdocs --quiet build --config-file build/site-source/mkdocs.yml
	@$(BIN)/python -m tools.site finish

crawlers: $(VENV)/.native ## Refresh the list of known crawlers from AI_ROBOTS and USER_AGENTS, two free lists as files
	$(BIN)/python -m tools.crawlers $(AI_ROBOTS) $(USER_AGENTS)

licences: $(VENV)/.made ## Write THIRD-PARTY.txt, the licences of the crates in the native core, anew
	@$(BIN)/python -m tools.licences

wheel: $(VENV)/.tools ## Build the wheel and prove it with every Python there is, without compilers
	@tools/prove-wheel $(VENV)

clean: ## Remove what was built, .venv included
	rm -rf $(VENV) target rust/fuzz/target dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find src tests tools benchmarks examples -name __pycache__ -prune -exec rm -rf {} +
	rm -f src/acap/*.so
