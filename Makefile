# `make run` starts the app, `make test` runs every check. Both set up what they need and are quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
REPLICAS ?= 2
LESSONS ?= lessons
SAMPLE ?= 400
SEED ?= 0

.PHONY: run serve lessons test test-oldest docker-steps mutants results first-figures lint clean

run: $(VENV)/.run-ready
	@$(if $(PRIVDEMO_HOSTS),,echo "For this computer alone; on the page “Ask your class”, “Open to this room” lets telephones answer a poll.")
	$(BIN)/streamlit run app.py --server.port $(PORT) $(if $(PRIVDEMO_HOSTS),,--browser.serverAddress localhost)

# For more visitors than one process can serve: replicas behind HAProxy. See docs/serving.md.
serve: $(VENV)/.run-ready
	$(BIN)/python -m deploy.replicas $(REPLICAS) --port $(PORT)

# Four lessons for a course page, each a file that needs no server. See docs/lessons.md.
lessons: $(VENV)/.run-ready
	$(BIN)/python -m privdemo lessons $(LESSONS)

test: $(VENV)/.test-ready lint
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/browser/find_chromium.py --install
	$(BIN)/python -m pytest --numprocesses 3 --dist loadgroup --no-loadscope-reorder

# The lower bounds of requirements.txt, each at its oldest, against every test that needs no browser.
test-oldest:
	$(PYTHON) -m venv $(VENV)-oldest
	sed -n 's/^\([a-z-]*\)\(\[[a-z]*\]\)\{0,1\}>=\([^,]*\),.*/\1==\3/p' requirements.txt > $(VENV)-oldest/constraints.txt
	$(VENV)-oldest/bin/python -m pip install --quiet -r requirements-test.txt -c $(VENV)-oldest/constraints.txt
	$(VENV)-oldest/bin/python -m pytest --numprocesses 2 --dist loadgroup -m "not browser"

# What Dockerfile says, tried without Docker in a fresh Debian, as root: some two minutes. See docs/serving.md.
docker-steps: $(VENV)/.test-ready
	$(BIN)/python -m tests.deploy.docker_steps

# Do the tests notice when the code is wrong? By hand, half an hour or so: see docs/mutants.md.
mutants: $(VENV)/.test-ready
	$(BIN)/python -m pip install --quiet --requirement tests/mutants/requirements.txt
	$(BIN)/python -m tests.mutants.run --sample $(SAMPLE) --seed $(SEED)

# The pictures of charts that are shown before Plotly has started in a browser. See docs/serving.md.
first-figures: $(VENV)/.test-ready
	$(BIN)/python -m tests.browser.first_figures

# The tables of docs/results.md, from the results files that the package ships.
results: $(VENV)/.run-ready
	$(BIN)/python -m docs.results_tables

lint: $(VENV)/.test-ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "privdemo needs Python 3.11 or newer; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No venv: on Debian, apt install python3-venv."; exit 1; }

$(VENV)/.run-ready: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	@touch $@

$(VENV)/.test-ready: requirements.txt requirements-test.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --requirement requirements-test.txt
	@touch $@ $(VENV)/.run-ready

clean:
	rm -rf $(VENV) $(VENV)-oldest
