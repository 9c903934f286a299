"""The composition root: what a cold start loads, and what it registers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrators import ORCHESTRATORS
from shared import settings
from shared.executors import ACTIVITIES
from timers import TIMERS

ROOT = Path(__file__).parents[3]
# Only activities and requests for sites need these: management SDKs take a second or two each.
HEAVY = ("azure.keyvault.certificates", "azure.mgmt", "azure.storage", "frontend.sites.", "kubernetes", "installer")
PROBE = """
import json, logging, sys
import function_app
functions = function_app.app.get_functions()
print(json.dumps({
    "modules": sorted(sys.modules),
    "warns": [
        name
        for name in ("urllib3.connection", "urllib3.connectionpool")
        if logging.getLogger(name).isEnabledFor(logging.WARNING)
    ],
    "functions": {
        function.get_function_name(): [binding["type"] for binding in function.get_bindings_dict()["bindings"]]
        for function in functions
    },
}))
"""


@pytest.fixture(scope="module")
def loaded() -> dict[str, dict[str, list[str]]]:
    """Import the app in a process of its own, as the worker does."""
    run = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found: dict[str, dict[str, list[str]]] = json.loads(run.stdout.splitlines()[-1])
    return found


def test_a_cold_start_loads_no_management_or_kubernetes_sdk(loaded: dict[str, dict[str, list[str]]]) -> None:
    """Activities import theirs on their first call, so the first PUT is answered in a second or two."""
    assert [name for name in loaded["modules"] if name.startswith(HEAVY)] == []


def test_every_function_is_registered_with_its_trigger(loaded: dict[str, dict[str, list[str]]]) -> None:
    """Activities, orchestrators and timers come from their tables; everything else is HTTP."""
    kinds = {
        name: next(kind for kind in types if kind.endswith("Trigger")) for name, types in loaded["functions"].items()
    }
    assert {name for name, kind in kinds.items() if kind == "activityTrigger"} == ACTIVITIES
    assert {name for name, kind in kinds.items() if kind == "orchestrationTrigger"} == set(ORCHESTRATORS)
    assert {name for name, kind in kinds.items() if kind == "timerTrigger"} == set(TIMERS)
    assert set(kinds.values()) >= {"httpTrigger"}


def test_the_http_client_logs_no_addresses(loaded: dict[str, list[str]]) -> None:
    """It warned of an answer that broke off in its headers, and quoted the address with its signature."""
    assert loaded["warns"] == []


def test_the_host_serves_routes_without_a_prefix() -> None:
    """ARM's paths are the functions' paths."""
    host = json.loads((ROOT / "host.json").read_text(encoding="utf-8"))
    assert host["extensions"]["http"]["routePrefix"] == ""


def test_the_host_takes_the_name_of_its_task_hub_from_the_setting_that_the_code_reads() -> None:
    """Operations store the name, so host and code have to mean the same hub."""
    host = json.loads((ROOT / "host.json").read_text(encoding="utf-8"))
    assert host["extensions"]["durableTask"]["hubName"] == "%TASK_HUB%"
    assert "TASK_HUB" in settings.table()
