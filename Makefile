# Everything one does with a checkout. `make` alone lists the targets.
# Needed: Python 3.11 or newer and make. The rest is installed into .venv, real services by deploy/dev.

SHELL := /bin/sh
ENV := .venv
BIN := $(ENV)/bin
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --constraints constraints.txt --build-constraints constraints.txt
PINS := pyproject.toml constraints.txt
ARGS ?=

# The Python that the environment is made of: `make setup PYTHON=/path/to/python` chooses another.
PYTHON ?=
PYTHONS := $(or $(PYTHON),python3.13 python3.12 python3.11 python3)

.DEFAULT_GOAL := help
.PHONY: help setup setup-full demo test test-quick lint format bench services services-stop constraints clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'

setup: $(ENV)/.dev  ## install for development: server extra and tools, without torch
setup-full: $(ENV)/.full  ## the same with sentence-transformers, which brings torch (5.6 GB)

demo: $(ENV)/.light  ## index the sample corpus, change it, ask it: the promises with real numbers
	@$(BIN)/python -m deploy.demo $(ARGS)

test: $(ENV)/.full  ## the whole test suite, against real services; ARGS="-k publish" for a part
	@$(BIN)/python -m deploy.dev run -- $(BIN)/python -m pytest $(ARGS)

test-quick: $(ENV)/.dev  ## the tests that need Python alone
	@$(BIN)/python -m pytest -m "not services and not torch" $(ARGS)

lint: $(ENV)/.dev  ## style, format, types, import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(ENV)/.dev  ## rewrite the source in the common format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(ENV)/.dev  ## measure: ratios within one run; ARGS="save throughput" for some
	@$(BIN)/python -m bench $(ARGS)

services: $(ENV)/.dev  ## start PostgreSQL, OpenSearch and Redis and leave them running
	@$(BIN)/python -m deploy.dev start

services-stop: $(ENV)/.dev  ## end them
	@$(BIN)/python -m deploy.dev stop

constraints: $(ENV)/.uv  ## pin the newest versions that fit pyproject.toml
	@printf 'uv\nhatchling\n' | $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
		--all-extras --group dev --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		pyproject.toml - --output-file $(ENV)/constraints.new
	@{ sed -n '/^#/p;/^[^#]/q' constraints.txt; grep -v '^ *#' $(ENV)/constraints.new; } > $(ENV)/constraints.whole
	@mv $(ENV)/constraints.whole constraints.txt

clean:  ## end services and remove what the targets made here (not the jars in ~/.cache/lockstep)
	@if [ -d .cache/dev ]; then $(firstword $(wildcard $(BIN)/python) python3) -m deploy.dev stop --delete-data; fi
	rm -rf $(ENV) .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: an environment is touched again only when the pins have changed.

$(ENV)/.light: $(ENV)/.uv $(PINS)
	@echo "installing Lockstep into $(ENV) ..."
	@$(INSTALL) --editable .
	@touch $@

$(ENV)/.dev: $(ENV)/.uv $(PINS)
	@echo "installing Lockstep and the development tools into $(ENV) ..."
	@$(INSTALL) --editable '.[server]' --group dev
	@touch $@ $(ENV)/.light

$(ENV)/.full: $(ENV)/.dev
	@echo "installing sentence-transformers with torch into $(ENV) (gigabytes, a few minutes) ..."
	@$(INSTALL) --editable '.[server,sentence-transformers]' --group dev
	@touch $@

$(ENV)/.uv:
	@for python in $(PYTHONS); do \
		if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			{ [ -x $(BIN)/python ] || $$python -m venv $(ENV); } && \
			$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv && \
			touch $@ && exit 0; \
			exit 1; \
		fi; \
	done; \
	echo "make: no Python 3.11 or newer with venv among: $(PYTHONS)." \
		"Install one (Debian: apt-get install python3 python3-venv) or say PYTHON=/path/to/python" >&2; \
	exit 1
