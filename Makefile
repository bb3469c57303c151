# One command each. Everything runs in a virtual environment of its own, made on first use.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUNS := $(VENV)/.runs
BYTECODE := $(VENV)/.bytecode
TYPES := $(VENV)/.types
TYPES_CACHE ?= $(VENV)/.mypy_cache
BENCH ?=
TASKS ?= bench/quality/packages.jsonl
TREES ?=
QUALITY ?=
PEERS ?=
ECONOMY ?=
DEEP ?= tests
WORKERS ?= 3
CLIENTS ?= $(VENV)/clients
# The tests that need programs which `make check` does without: where they are not installed, it skips them.
CLIENT_TESTS := tests/clients tests/conformance tests/examples tests/bench/peers \
	tests/repo_mcp/cli/test_init_with_clients.py tests/repo_mcp/exact/test_ripgrep_oracle.py
FUZZ_SECONDS ?= 600
# Per cent of the rounds of `make deep`, all of which take hours.
SHARE ?= 10
DEEP_WORKERS ?= 2
QUERY ?= where is the manifest committed
ROOT ?= .

export PYTHONHASHSEED := random
# Processes that tests start would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup check release-check clients lint types test bench calls golden deep quality economy bench-peers try dump verify docs dist

help:
	@echo 'make try [ROOT=.] [QUERY="..."]   index a repository and search it'
	@echo 'make check                        lint, format, types, tests: what CI runs'
	@echo 'make clients                      install real clients, the Inspector, the conformance suite; run their tests'
	@echo 'make release-check                check, clients, deep and bench: everything'
	@echo 'make test | lint | types          parts of it'
	@echo 'make golden                       the golden files alone'
	@echo 'make deep [SHARE=10] [DEEP=tests] long property, crash and fuzz runs: a percentage of their rounds; 100: all'
	@echo 'make bench [TREE=DIR]             the benchmarks, on a generated corpus or a real tree, compared with the stored run'
	@echo 'make calls [TREE=DIR]             the modules that a search enters and the functions it calls'
	@echo 'make quality [TASKS=FILE TREES=DIR] how good the ranking is, on our own questions or on others'
	@echo 'make economy [ECONOMY=--store]     what answers cost a model, compared with ripgrep and the stored run'
	@echo 'make bench-peers TREE=DIR         compared with other search engines, with a picture in bench/results/'
	@echo 'make docs                         docs/tools.md and the ready lists of tools, from their tables'
	@echo 'make dist                         wheel and sdist in dist/, built twice and compared'
	@echo 'make dump INDEX=DIR               an index as text; DIR: .repo_mcp/index-...'
	@echo 'make verify INDEX=DIR             read every byte of an index'

setup: $(STAMP)

$(STAMP): pyproject.toml requirements.txt requirements-dev.txt
	@.ci/install $(PYTHON) $(VENV) all
	@touch $(RUNS) $(STAMP)

# What `make try` needs: the dependencies of the program, and none of its tests.
$(RUNS): requirements.txt
	@.ci/install $(PYTHON) $(VENV) run
	@touch $(RUNS)

# Types are checked by one process, while others make bytecode of the tests, once for all processes that run them, and
# begin to run them: they leave a quarter of two cores idle. What is wrong with types is printed at the end.
check: lint
	@$(MAKE) --no-print-directory types >$(TYPES) 2>&1 & types=$$!; trap "kill $$types 2>/dev/null" EXIT INT TERM; \
		$(MAKE) --no-print-directory $(BYTECODE) test; tested=$$?; \
		wait $$types || { cat $(TYPES); exit 1; }; exit $$tested

$(BYTECODE): $(STAMP)
	@$(BIN)/python -m tests.bytecode
	@touch $(BYTECODE)

release-check:
	$(MAKE) check
	$(MAKE) clients
	$(MAKE) deep
	$(MAKE) bench

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy --strict --cache-dir $(TYPES_CACHE) -p repo_mcp -p index_format -p bench

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --benchmark-disable

clients: $(STAMP)
	@.ci/clients $(CLIENTS)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]' 2>/dev/null || \
		echo 'Going on without bm25s and tantivy, which cannot be installed here' >&2
	PATH="$(abspath $(CLIENTS))/node_modules/.bin:$$PATH" REQUIRE_CLIENTS=1 \
		$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --benchmark-disable $(CLIENT_TESTS)

golden: $(STAMP)
	$(BIN)/python -m pytest tests/golden

# For an hour; all rounds: SHARE=100. A part: make deep DEEP=tests/deep/test_damage.py, or DEEP="tests/deep -k kills".
deep: $(STAMP)
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris==3.0.0 2>/dev/null || \
		echo 'Going on without atheris, which cannot be installed here' >&2
	@$(BIN)/python -c 'import distributed' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[distributed]' 2>/dev/null || \
		echo 'Going on without Dask, which cannot be installed here' >&2
	DEEP_SHARE=$(SHARE) FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest -p no:randomly \
		-n $(DEEP_WORKERS) --dist worksteal --durations=20 -m 'deep or recipe or sized' $(DEEP)

bench: $(STAMP)
	$(BIN)/python -m pytest bench --benchmark-only -p no:randomly --benchmark-sort=fullname \
		--benchmark-columns=min,median,iqr,rounds $(if $(TREE),--tree "$(TREE)") $(BENCH)

calls: $(STAMP)
	@$(BIN)/python -m bench.calls "$(or $(TREE),tests/corpus/tiny_repo)"

quality: $(STAMP)
	$(BIN)/python -m bench.quality --tasks "$(TASKS)" \
		--trees "$(or $(TREES),$(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'))" $(QUALITY)

economy: $(STAMP)
	$(BIN)/python -m bench.economy $(ECONOMY)

bench-peers: $(STAMP)
	@test -d "$(TREE)" || { echo 'usage: make bench-peers TREE=DIR [PEERS="--runs 3 --slow"]' >&2; exit 2; }
	@$(BIN)/python -c 'import bm25s, tantivy' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]' || \
		echo 'Going on with what is installed' >&2
	@$(BIN)/python -m bench.peers "$(TREE)" $(PEERS)

try: $(RUNS)
	@$(BIN)/python -m repo_mcp search "$(QUERY)" --repo-root "$(ROOT)"

docs: $(STAMP)
	@$(BIN)/python -m tests.architecture.tools_document > docs/tools.md.new && mv docs/tools.md.new docs/tools.md
	@$(BIN)/python -m tests.architecture.listings

# The time in the archives is that of the last commit, so that anybody who has it gets the same bytes.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800)
dist: $(STAMP)
	@rm -rf dist
	@$(BIN)/python -m hatchling build --directory dist/again >/dev/null
	@$(BIN)/python -m hatchling build --directory dist >/dev/null
	@cd dist && for file in *.whl *.tar.gz; do cmp "$$file" "again/$$file" || exit 1; done
	@rm -rf dist/again && cd dist && sha256sum * 2>/dev/null || shasum -a 256 *

dump: $(STAMP)
	@$(BIN)/index-format dump "$(or $(wildcard $(INDEX)),$(INDEX))"

verify: $(STAMP)
	@$(BIN)/index-format verify "$(or $(wildcard $(INDEX)),$(INDEX))"
