"""The table of times: the only place for them, and what other files say agrees with it."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from shared import durations

ROOT = Path(__file__).parents[3]
# The plans have tables of their own; the engine's figures are about rows. The installer runs on its own, too.
TABLES = ("orchestrators/", "shared/durations.py", "shared/settings.py", "installer/", "phases/")


def own_times(path: Path) -> Iterator[str]:
    """Yield the constants of a module that are times, and are not taken from the table."""
    for statement in ast.parse(path.read_text()).body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        name, value = statement.targets[0].id, ast.unparse(statement.value)
        is_time = re.fullmatch(r"timedelta\(.*\)", value) or (
            name.endswith("SECONDS") and re.fullmatch(r"[\d. *]+", value)
        )
        if is_time:
            yield f"{path.relative_to(ROOT)}: {name}"


def test_no_module_has_a_time_of_its_own() -> None:
    """A time that two modules decide is decided differently one day."""
    modules = [path for folder in ("http", "activities", "shared", "timers") for path in (ROOT / folder).rglob("*.py")]
    assert len(modules) > 150
    found = [each for path in modules if not str(path.relative_to(ROOT)).startswith(TABLES) for each in own_times(path)]
    assert found == []


def test_every_time_says_why() -> None:
    """A name in capitals, a length, and a sentence."""
    assert len({each.name for each in durations.TABLE}) == len(durations.TABLE)
    for each in durations.TABLE:
        assert getattr(durations, each.name) == each.value
        assert each.value.total_seconds() > 0
        assert each.why.endswith(".")


def test_the_database_keeps_operations_as_long_as_the_code_says() -> None:
    """The containers' own time holds for what is written without one."""
    template = json.loads((ROOT / "infra" / "service.json").read_text())
    kept = {each["name"]: each["ttl"] for each in template["variables"]["containers"]}
    seconds = durations.OPERATIONS_KEPT.total_seconds()
    names = ("AsyncOperations", "OperationProgress", "TaskHubs", "ClusterConditions")
    assert {name: kept[name] for name in names} == dict.fromkeys(names, seconds)


def test_the_host_ends_a_function_when_the_table_says() -> None:
    """Whoever waits for requests that died waits that long."""
    host = json.loads((ROOT / "host.json").read_text())
    assert host["functionTimeout"] == f"0{durations.LONGEST_FUNCTION}"


def test_one_root_takes_less_than_the_request_that_renders_it() -> None:
    """So a root that takes too long is refused as such; and the parts of a request fit into it."""
    assert durations.ROOT_RENDERING < durations.RENDERING
    assert durations.REQUEST_CALL < durations.REQUEST
    assert durations.OLDEST_BOOTSTRAP < durations.IGNITION_LINK
    assert durations.SWEEP_RUN < durations.LONGEST_FUNCTION
