# Everything here sets itself up: the first target that needs the virtual environment makes it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STORE ?= ladder.db
MATCHES ?= 64
MOVE_TIME ?= 100ms
SEED ?= gin-arena
TEST_ARGS ?=

.PHONY: ladder test lint proto bench docs clean setup

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "gin-arena needs Python 3.11 or later: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[speed,test,lint]'
	@touch $@

ladder: setup  ## Play a local ladder of the shipped bots; a second call goes on where the first stopped.
	$(BIN)/arena ladder add @random @simple @mc --store $(STORE)
	$(BIN)/arena ladder run --matches $(MATCHES) --move-time $(MOVE_TIME) --seed $(SEED) --store $(STORE)

test: setup  ## Pass the tests.
	$(BIN)/python -m pytest -n auto --dist loadfile $(TEST_ARGS)

lint: setup  ## Style, types and the direction of imports.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	for bot in sample_bots/*-python; do (cd $$bot && $(abspath $(BIN))/mypy --config-file= --strict .) || exit 1; done
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check

$(VENV)-proto/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-proto
	$(VENV)-proto/bin/pip install --quiet 'grpcio-tools==1.75.1' 'mypy-protobuf==3.7.0' setuptools
	@touch $@

proto: $(VENV)-proto/.installed  ## Regenerate the protocol's code; CHECK=1 only checks that it is current.
	$(VENV)-proto/bin/python proto/generate.py $(if $(CHECK),--check)

bench: setup  ## Run the benchmarks; each prints its method.
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/referee.py
	$(BIN)/python benchmarks/startup.py

clean:  ## Remove what the other targets made, the ladder included.
	rm -rf $(VENV) $(VENV)-proto build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -f $(STORE) $(STORE)-wal $(STORE)-shm $(STORE).lock
