# make run     starts the app and prints its address (another port: make run PORT=8600)
# make test    runs every test, browser tests included
# Both make .venv and install what they need, the first time and when the requirements change.

VENV ?= .venv
PYTHON ?=
PORT ?=
ARGS ?=

BIN := $(VENV)/bin
# The stamp files say: this virtual environment has what that requirements file asks for.
APP := $(VENV)/app.stamp
DEV := $(VENV)/dev.stamp

.PHONY: run test lint types bench bench-quick clean

run: $(APP)
	@exec $(BIN)/python -m streamlit run app.py $(if $(PORT),--server.port $(PORT))

test: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m pytest $(ARGS)

lint: $(DEV)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

types: $(DEV)
	$(BIN)/python -m mypy

bench: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m benchmarks $(ARGS)

bench-quick: $(DEV)
	@$(BIN)/python tools/find_chromium.py --install
	$(BIN)/python -m benchmarks --quick $(ARGS)

clean:
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(APP): requirements.txt
	@tools/install.sh $(VENV) app $(PYTHON)
	@touch $@

$(DEV): requirements.txt requirements-dev.txt
	@tools/install.sh $(VENV) dev $(PYTHON)
	@touch $(APP) $@
