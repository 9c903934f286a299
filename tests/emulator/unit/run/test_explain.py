"""What `explain` says about operations, from the state folder alone."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.cosmos import CosmosModel
from emulator.run.command_error import RunError
from emulator.run.commands.explain import explain, recent
from emulator.run.state import StateFolder
from tests.cosmos_containers import ensure_container

Add = Callable[..., None]
CLUSTER = "/subscriptions/s/resourcegroups/g/providers/microsoft.redhatopenshift/openshiftclusters/c"


@pytest.fixture
def add(tmp_path: Path) -> Iterator[Add]:
    """Return a function that stores operations in a state folder."""
    (tmp_path / "lock").touch()
    platform = Platform(tmp_path, clock=Clock(), world=World())
    model, database = CosmosModel(platform), "ARO"
    for account in ("of-up", "of-deploy-md"):
        model.ensure_account(account, "tenant")
        model.ensure_database(account, database)
        for name, key in (("AsyncOperations", "/id"), ("OperationProgress", "/operationId")):
            ensure_container(model, account, database, name, key)

    def store(
        name: str,
        start: str,
        status: str = "Failed",
        *,
        account: str = "of-up",
        inside: bool = False,
        **members: Any,
    ) -> None:
        plan = {"plan": {"name": "create", "rows": [], **members}}
        operation = {
            "id": name,
            "openShiftClusterKey": CLUSTER,
            "asyncOperation": {"status": status, "startTime": start},
        }
        items = model.items(account, database, "AsyncOperations")
        items.create(operation | (plan if inside else {}), name)
        if not inside:
            items.create({"id": f"{name}-plan", "planOf": name, **plan}, f"{name}-plan")

    yield store
    asyncio.run(platform.stop())


@pytest.mark.parametrize(
    "inside", [False, True], ids=["a plan of its own", "a plan inside, as earlier builds stored it"]
)
def test_rows_that_an_earlier_operation_has_done_are_not_called_outstanding(
    add: Add, tmp_path: Path, *, inside: bool
) -> None:
    """A resumed operation continues after those rows."""
    rows = [{"name": "decide_names", "needs": []}, {"name": "create_dns", "needs": ["decide_names"]}]
    add("b", "2026-01-01T00:00:02+00:00", rows=rows, done=["decide_names"], inside=inside)
    text = "\n".join(explain(StateFolder(tmp_path), "b"))
    assert "decide_names          done by an earlier operation" in text
    assert "create_dns            not begun, needs decide_names" in text


def test_without_an_id_the_operations_are_listed_in_the_order_of_time(add: Add, tmp_path: Path) -> None:
    """Clients that poll do not show the id."""
    add("a", "2026-01-01T00:00:02+00:00")
    add("b", "2026-01-01T00:00:01+00:00", status="Succeeded")
    assert list(recent(StateFolder(tmp_path))) == [
        f"b  2026-01-01T00:00:01  create  Succeeded  {CLUSTER}",
        f"a  2026-01-01T00:00:02  create  Failed  {CLUSTER}",
    ]


def test_the_operations_of_every_service_are_told(add: Add, tmp_path: Path) -> None:
    """One that was deployed by hand, as docs/deploy.md does, has a database of its own."""
    add("a", "2026-01-01T00:00:02+00:00")
    add("b", "2026-01-01T00:00:01+00:00", account="of-deploy-md")
    assert [line.split()[0] for line in recent(StateFolder(tmp_path))] == ["b", "a"]
    assert "Failed, begun 2026-01-01T00:00:01" in "\n".join(explain(StateFolder(tmp_path), "b"))


@pytest.mark.usefixtures("add")
def test_an_empty_list_says_so(tmp_path: Path) -> None:
    """Nothing at all looks like a command that does not work."""
    (line,) = recent(StateFolder(tmp_path))
    assert line.startswith(f"No service in {tmp_path} has an operation of the last seven days.")


def test_an_unknown_operation_is_an_error(add: Add, tmp_path: Path) -> None:
    """It says which, where, and how to see those that there are."""
    add("a", "2026-01-01T00:00:02+00:00")
    with pytest.raises(RunError, match=rf"no operation b in {tmp_path}; without an id, all are listed"):
        list(explain(StateFolder(tmp_path), "b"))


def test_a_folder_without_a_local_azure_has_no_operations(tmp_path: Path) -> None:
    """The error names the folder, because the default may not be the one that was meant."""
    with pytest.raises(RunError, match=str(tmp_path)):
        list(recent(StateFolder(tmp_path / "nothing")))
