"""A cluster's API that fails for a moment: the phase ends as done only once its objects are what the bundle says.

Each request of a phase meets each trouble in turn, on the service and on one's own machine, as the interpreter calls
them. Nothing sleeps: only the interpreter's decisions are run, with the time that it would wait.
"""

import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import urllib3
import yaml
from kubernetes.client import ApiClient

from activities.phases import site_phases
from activities.phases.objects import Cluster
from activities.runtime.wrapper import perform
from orchestrators import verdicts
from orchestrators.plans import site_plans
from orchestrators.plans.site_plans import DeclaredPhase, Work
from orchestrators.tries import Tries, begin_tries
from phases.local.operations import Operations
from phases.local.phase_runs import Runner
from shared.phase_documents.kubeconfigs import Kubeconfigs
from shared.phase_documents.site import Site, load
from shared.settings import AZURES_PACE
from tests.emulator.integration.kubernetes.servers import EmulatedApi
from tests.product.integration.phases.conftest import client_of
from tests.product.unit.activities.calls import payload
from tests.product.unit.phases.bundles import PHASES, write
from tests.product.unit.product_world import ENVIRONMENT, World, world

__all__ = ["world"]

# Calls an activity as the interpreter does: the state of the row to its outcome.
Perform = Callable[[Tries], Any]
# Returns what performs the activities of a plan, on a site.
Begin = Callable[[Site, Any], Perform]


def answer(status: int) -> Callable[[], Any]:
    """Make a server that refuses: it does nothing and answers with a status."""
    body = b'{"kind": "Status", "message": "It is not well."}'
    headers = {"Content-Length": str(len(body))}

    def refuse() -> Any:
        return SimpleNamespace(
            status=status, response=urllib3.HTTPResponse(io.BytesIO(body), headers, preload_content=False)
        )

    return refuse


def broken(error: Exception) -> Callable[[], Any]:
    """Make a connection that breaks."""

    def fail() -> Any:
        raise error

    return fail


@dataclass(frozen=True)
class Trouble:
    """What happens to some requests, one after the other.

    Args:
        instead: what comes instead of the answer.
        count: to how many requests.
        done: whether the server does what it is asked nevertheless.
    """

    instead: Callable[[], Any]
    count: int = 1
    done: bool = False


CUT = urllib3.exceptions.ProtocolError("Connection broken", urllib3.exceptions.IncompleteRead(10, 20))
TROUBLES = {
    "503": Trouble(answer(HTTPStatus.SERVICE_UNAVAILABLE)),
    "reset": Trouble(broken(urllib3.exceptions.ProtocolError("Connection aborted.", ConnectionResetError()))),
    "silence": Trouble(broken(urllib3.exceptions.ReadTimeoutError(None, "", "read timed out"))),  # type: ignore[arg-type] # no pool is needed
    "three 500s": Trouble(answer(HTTPStatus.INTERNAL_SERVER_ERROR), count=3),
    "cut answer": Trouble(broken(CUT), done=True),
    "lost answer": Trouble(
        broken(urllib3.exceptions.ProtocolError("Connection aborted.", ConnectionResetError())), done=True
    ),
}
# Where phases run, and which requests meet trouble: each one in one of the places, for the executor is the same.
STRIDES = {"on_the_service": 1, "on_ones_machine": 5}


@dataclass
class Wire:
    """The connection to the cluster.

    Args:
        api: the cluster.
        client: the client whose requests meet trouble.
    """

    api: EmulatedApi
    client: ApiClient
    trouble: Trouble | None = None
    skip: int = 0
    met: int = 0
    _sent: int = 0
    _call: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        """Come between the client and the server."""
        self._call = self.client.call_api
        self.client.call_api = self._answer  # type: ignore[method-assign] # the client is between

    def break_at(self, trouble: Trouble, number: int) -> None:
        """Let the request of this number, and those after it, meet trouble."""
        self.trouble, self.skip, self.met, self._sent = trouble, number, 0, 0

    def versions(self, namespace: str) -> dict[str, str]:
        """Return the version that each ConfigMap of the bundle has."""
        found = self.api.client().get(f"/api/v1/namespaces/{namespace}/configmaps").json()["items"]
        return {one["metadata"]["name"]: one["data"]["version"] for one in found}

    def _answer(self, *arguments: Any, **options: Any) -> Any:
        number, self._sent = self._sent, self._sent + 1
        if self.trouble is None or not self.skip <= number < self.skip + self.trouble.count:
            return self._call(*arguments, **options)
        self.met += 1
        if self.trouble.done:
            self._call(*arguments, **options)
        return self.trouble.instead()


@pytest.fixture
def wire(emulated_api: EmulatedApi) -> Wire:
    """Give a connection of its own to the emulated API server."""
    return Wire(emulated_api, client_of(emulated_api))


@pytest.fixture
def sites(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> list[Site]:
    """Give two versions of a site with one phase."""
    declared_phases = PHASES.replace("name: policies, clusterName", f"name: {name}, clusterName")
    declared_phases = declared_phases.replace("- name: policies", f"- name: {name}")
    made = []
    for version in ("1", "2"):
        objects: list[dict[str, Any]] = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "settings", "namespace": name},
                "data": {"version": version},
            },
        ]
        files = {"site/phases/phases.yaml": declared_phases, "site/policies/policy.yaml": yaml.safe_dump_all(objects)}
        made.append(load(write(tmp_path / version, files)))
    # kustomize takes longer than all requests.
    rendered = {str(site.bundle): site.render(site.phase(name)) for site in made}
    monkeypatch.setattr(Site, "render", lambda site, _phase: rendered[str(site.bundle)])
    return made


@pytest.fixture
def on_the_service(world: World, monkeypatch: pytest.MonkeyPatch, wire: Wire) -> Begin:
    """Run phases as activities of the service."""
    world.cosmos["Sites"].create_item(
        {
            "id": "edge-1",
            "key": "/sites/edge-1",
            "bundle": "b1",
            "metadata": "metadata.yaml",
            "asyncOperationId": "op",
            "attempt": 1,
        }
    )
    world.cosmos["AsyncOperations"].create_item({"id": "op", "siteName": "edge-1", "taskHub": ENVIRONMENT["TASK_HUB"]})
    monkeypatch.setattr(site_phases, "_bundles", lambda: SimpleNamespace(fetch=None))
    monkeypatch.setattr(site_phases, "_clusters", lambda _site: lambda _name: Cluster(wire.client))

    def begin(site: Site, _plan: Any) -> Perform:
        monkeypatch.setattr(site_phases, "load_stored", lambda *_: site)
        return call

    def call(tries: Tries) -> Any:
        more = {"clusterKey": "/sites/edge-1", "clusterDocumentId": "edge-1", "polls": tries["polls"]}
        return perform(f"activities.phases.site_phases:{Work.RUN}", payload(tries["row"], tries["verb"], **more))

    return begin


@pytest.fixture
def on_ones_machine(tmp_path: Path, wire: Wire) -> Begin:
    """Run phases as the command does."""

    def begin(site: Site, plan: Any) -> Perform:
        operation = Operations(tmp_path / "state").begin(plan, "digest")
        runner = Runner(site, Kubeconfigs(site, str, lambda *_: None, trusted=True), lambda _line: None)
        runner._clients["managed"] = wire.client

        def call(tries: Tries) -> Any:
            given = {name: tries[name] for name in ("verb", "row", "polls", "startTime", "deadline")}
            return runner._activity(operation, Work.RUN, given | {"step": tries["row"]["name"], "attempt": 1})

        return call

    return begin


def until_ended(plan: Any, act: Perform) -> Any:
    """Call the plan's phase until the interpreter ends it; return how."""
    now = datetime(2026, 3, 1, 9, tzinfo=UTC)
    start: Any = defaultdict(str, plan=plan)
    tries = begin_tries(start, plan["rows"][0], now)
    for _ in range(20):
        ending, tries = verdicts.decide(tries, act(tries), now := now + timedelta(seconds=tries["delaySeconds"]))
        if ending is not None:
            return ending
    raise AssertionError(f"it never ended: {tries}")


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
@pytest.mark.parametrize("where", STRIDES)
def test_a_phase_is_done_only_once_its_objects_are_what_the_bundle_says(
    request: pytest.FixtureRequest, wire: Wire, sites: list[Site], trouble: Trouble, where: str
) -> None:
    """The first version of a bundle, and the next one, whichever request meets the trouble."""
    begin: Begin = request.getfixturevalue(where)
    (phase,) = [one for one in sites[0].phases.values() if one.entry_point == "policies"]
    row = DeclaredPhase(
        {"namespace": "", "name": phase.name.name, "bundle": "b1", "metadata": "metadata.yaml"},
        "the objects",
        timedelta(minutes=10),
        timedelta(seconds=10),
    )
    plan: Any = site_plans.resolve("site", [row], AZURES_PACE)
    for number in range(0, 100, STRIDES[where]):
        for version, site in enumerate(sites, 1):
            wire.break_at(trouble, number)
            ending = until_ended(plan, begin(site, plan))
            assert ending["outcome"] == "done", (number, version, ending)
            assert wire.versions(phase.name.name) == {"settings": str(version)}, number
        if not wire.met:
            return
    raise AssertionError("every request met trouble")
