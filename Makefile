# `make demo` and `make test` need python3 (3.11 or later) and nothing else: the first run makes .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed
CORPUS_READY := $(VENV)/.corpus-installed
N ?= 300
SEED ?= 1

# Two test processes with one torch thread each.
export OMP_NUM_THREADS := 1
PYTEST := $(BIN)/python -m pytest -n 2
NEEDED := $(READY) $(if $(wildcard $(DEEPALGO_CORPUS)/requirements.txt),$(CORPUS_READY))

.PHONY: demo figures test test-quick tests bench corpus fuzz docs lint types clean

demo: $(READY)
	$(BIN)/python examples/demo.py

figures: $(READY)
	$(BIN)/python -m docs.figures

test: lint types tests

tests: $(NEEDED)
	$(PYTEST)

test-quick: $(READY)
	$(PYTEST) -m "not slow and not corpus and not data"

bench: $(NEEDED)
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.source_bench
	$(BIN)/python -m benchmarks.native_bench $(filter --quick,$(BENCH))
	$(if $(DEEPALGO_CORPUS),$(BIN)/python -m benchmarks.compile_bench $(BENCH),@echo "set DEEPALGO_CORPUS for the comparison with hand-written code")

corpus: $(NEEDED)
	$(BIN)/python -m benchmarks.corpus

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --count $(N) --seed $(SEED) $(if $(KIND),--kind $(KIND)) $(if $(NATIVE),--native) $(if $(GRADIENTS),--gradients $(GRADIENTS)) $(if $(LOG),--log $(LOG)) $(if $(RECORD),--record $(RECORD))

docs: $(READY)
	$(BIN)/python -m mkdocs build --strict --quiet

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("deepalgo needs Python 3.11 or later: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

$(CORPUS_READY): $(READY) $(wildcard $(DEEPALGO_CORPUS)/requirements.txt)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r $(DEEPALGO_CORPUS)/requirements.txt
	@touch $@
