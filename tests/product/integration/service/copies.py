"""A local Azure with a finished cluster: made once in a session, and copied for each story that begins with one.

All that a local Azure is stands in its state folder, and `up` continues it. A copy costs half of a create, it needs no
delete, and what a story does to it disturbs nobody.
"""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.customer import Customer
from tests import local_azure
from tests.local_azure import TIME_SCALE, LocalAzure
from tests.product.integration.service.stage import Cluster, prepare

# What belongs to a run and not to the state: the copy gets ports of its own, and its logs begin with its story.
OF_A_RUN = ("ports.json", "logs", "lock", "*.sock")


def original(folder: Path, name: str) -> Path:
    """Return the state folder of a local Azure with a finished cluster; whoever comes first makes it.

    Args:
        folder: the folder of the session.
        name: name of the cluster.
    """
    state, owner = folder / "finished" / "local-azure", folder / "finished" / "owner.json"
    state.parent.mkdir(exist_ok=True)
    with (folder / "finished.lock").open("w", encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not owner.exists():
            # What a worker before has left, whose create has failed.
            shutil.rmtree(state, ignore_errors=True)
            with local_azure.running(state) as azure:
                (cluster,) = prepare(azure, name)
                cluster.succeed(cluster.create())
            owner.write_text(json.dumps({"name": name, "principal": cluster.customer.principal}), encoding="utf-8")
    return state


@contextmanager
def copied(finished: Path, state: Path, time_scale: float = TIME_SCALE) -> Iterator[Cluster]:
    """Run a copy of a local Azure with a finished cluster; give the cluster.

    Args:
        finished: the state folder that is copied.
        state: the state folder of the copy.
        time_scale: how many times faster than Azure the copy is.
    """
    shutil.copytree(finished, state, ignore=shutil.ignore_patterns(*OF_A_RUN))
    # Azurite notes where its files are.
    for file in (state / "azurite").glob("*.json"):
        file.write_text(file.read_text(encoding="utf-8").replace(str(finished), str(state)), encoding="utf-8")
    owner = json.loads((finished.parent / "owner.json").read_text(encoding="utf-8"))
    with local_azure.running(state, time_scale) as azure:
        yield Cluster(azure, _owner(azure, **owner))


def _owner(azure: LocalAzure, name: str, principal: dict[str, str]) -> Customer:
    """Return the owner of the cluster, who reaches the copy at its own addresses."""
    group = f"group-{name}"
    return Customer(azure.endpoints, group=group, cluster=name, options=azure.client_options, own_principal=principal)
