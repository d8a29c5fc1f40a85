# Needs Python >= 3.11 with venv and pip, git and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
# Where `make demo` plays; empty: a scratch folder that the demo names.
DIR ?=
# How many agent starts `make soak` plays.
STARTS ?= 300
# A process a core; `make test PYTEST_FLAGS=` for one after the other. For `make adversaries` and `make realcli` too.
PYTEST_FLAGS ?= -n auto

.DEFAULT_GOAL := help
.PHONY: help demo test adversaries realcli soak bench clean

help:
	@echo "make demo         create .venv, install, run the sample (DIR=folder: play there)"
	@echo "make test         create .venv; lint, format, types, tests with the coverage gate"
	@echo "make adversaries  who earns a false flag, by policy: a table"
	@echo "make realcli      real agent programs (npm) against a mock model API, on loopback only"
	@echo "make soak         a night in minutes: 300 iterations of all that goes wrong (STARTS=n: so many)"
	@echo "make bench        time per iteration against a plain bash loop"
	@echo "make clean        remove .venv and all caches"

demo: $(VENV)/.installed
	$(BIN)/prd-ralph demo $(if $(DIR),--dir "$(DIR)")

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --cov --cov-report=term-missing:skip-covered $(PYTEST_FLAGS)

adversaries: $(VENV)/.installed-dev
	$(BIN)/python -m tests.adversaries $(PYTEST_FLAGS)

realcli: $(VENV)/.installed-dev
	$(BIN)/python -m tests.realcli $(PYTEST_FLAGS)

soak: $(VENV)/.installed-dev
	$(BIN)/python -m tests.soak $(STARTS)

bench: $(VENV)/.installed
	$(BIN)/python tests/bench/bench.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* build dist
	find prd_ralph tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed: pyproject.toml
	@command -v git >/dev/null || { echo "git is missing: install it, then run make again" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@# An editable install is not compiled by pip; where Python may not write bytecode, every start would compile it anew.
	@$(BIN)/python -m compileall -q prd_ralph
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) --editable '.[dev]'
	@touch $@
