"""Rows that begin work and poll: none is done before its work is, whatever happens to the calls that begin it.

The rows are those of the plans. Each has a world in which its status could be true too early: what an earlier attempt
or update has left. The interpreter decides which call comes next.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
import requests.adapters
import urllib3

from activities.azure import deployments
from activities.runtime.wrapper import perform
from activities.targets import ACTIVITIES
from orchestrators import plans, retry, verdicts
from orchestrators.plans import site_plans
from orchestrators.plans.rows import Row
from orchestrators.plans.site_plans import Work
from orchestrators.tries import begin_tries
from shared import settings
from shared.steps import Caller, RowKind
from tests.product.unit import azure_fake
from tests.product.unit.activities.azure import network_fake, test_outbound
from tests.product.unit.activities.azure.test_domain_certificates import API, INGRESS
from tests.product.unit.activities.calls import as_json, call, payload
from tests.product.unit.activities.cluster.test_principal_rotation import MACHINES, _machines
from tests.product.unit.activities.machines.test_bootstrap_removal import parts
from tests.product.unit.activities.machines.test_expired_machines import blobs, expired
from tests.product.unit.activities.machines.test_gallery_image import BLOB, WHOLE, becomes
from tests.product.unit.activities.machines.test_gallery_image import blobs as disks
from tests.product.unit.activities.machines.test_machines import sealed
from tests.product.unit.activities.power.stoppable_cluster import INTERFACES, MASTERS, WORKERS, stoppable
from tests.product.unit.activities.test_delete import deleting, group
from tests.product.unit.azure_fake import FakeAzure, Reply, Request
from tests.product.unit.key_vault_fake import FakeCertificates
from tests.product.unit.product_world import CLUSTER_GROUP, World

__all__ = ["blobs", "deleting", "disks", "expired", "parts", "sealed"]

OLD = "of an earlier update"
# Does what a request asks for; and what happens to a request instead.
Do = Callable[[], requests.Response]
Way = Callable[[Do, requests.PreparedRequest], requests.Response]
BROKEN = requests.exceptions.ConnectionError("Connection reset by peer")


@dataclass(frozen=True)
class Begun:
    """A row's world.

    Args:
        done: tells whether the work of the row is done.
        time_passes: lets Azure go on between two calls.
    """

    done: Callable[[], bool]
    time_passes: Callable[[], None] = lambda: None


def _deployment(world: World, name: str) -> Begun:
    """Let an older deployment of the name have succeeded."""
    path = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/{name}".lower()
    older = {"properties": {"provisioningState": "Succeeded"}, "tags": {deployments.DIGEST: OLD}, "name": name}
    world.azure.resources[path] = older
    return Begun(lambda: world.azure.resources[path]["tags"][deployments.DIGEST] != OLD)


def _template(name: str) -> Callable[[pytest.FixtureRequest], Begun]:
    def begin(request: pytest.FixtureRequest) -> Begun:
        world: World = request.getfixturevalue("accepted")
        network_fake.lay(world)
        call("validate_service_principal")
        return _deployment(world, name)

    return begin


def _machines_template(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("sealed")
    for kind in ("virtualMachines", "disks"):
        world.azure.on("GET", f"/aro-c1/.*/{kind}$", lambda _request: (200, {"value": []}, {}))
    return _deployment(world, "machines")


def _expired_machines(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("expired")
    return Begun(lambda: "install" not in world.properties and not _left(world, "virtualMachines", "disks"))


def _left(world: World, *kinds: str) -> list[str]:
    return [path for path in world.azure.resources if any(f"/{kind.lower()}/" in path for kind in kinds)]


def _private_endpoint(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("accepted")
    network_fake.lay(world)
    network_fake.endpoint(world, "Failed")
    failed = world.azure.resources[network_fake.ENDPOINT]

    def time_passes() -> None:
        if world.azure.resources[network_fake.ENDPOINT] is not failed:
            network_fake.endpoint(world, "Succeeded")

    return Begun(lambda: world.azure.resources[network_fake.ENDPOINT] is not failed, time_passes)


def _certificate(name: str) -> Callable[[pytest.FixtureRequest], Begun]:
    def begin(request: pytest.FixtureRequest) -> Begun:
        world: World = request.getfixturevalue("accepted")
        vault = FakeCertificates(world.azure)
        row = "create_api_server_certificate" if name == API else "create_ingress_certificate"
        # One that expired, of an earlier create.
        call(row)
        vault.issue(name, exp=1)

        def time_passes() -> None:
            if vault.orders[name]["status"] == "inProgress":
                vault.issue(name)

        return Begun(lambda: len(vault.ordered) > 1 and vault.orders[name]["status"] == "completed", time_passes)

    return begin


def _remove_bootstrap(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("accepted")
    ids: list[str] = request.getfixturevalue("parts")
    return Begun(lambda: not world.azure.resources.keys() & {one.lower() for one in ids})


def _outbound(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("accepted")
    balanced = test_outbound.Balanced(world)
    test_outbound.ask(world, 1)
    assert test_outbound.until_done() == {"outcome": "done"}
    test_outbound.ask(world, 3)
    return Begun(lambda: len(balanced.sending) == len(balanced.effective) == 3)


def _start_machines(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("accepted")
    powers = {"a": "deallocated", "b": "running"}
    _machines(world, **powers)

    def start(sent: Request) -> Reply:
        _machines(world, **powers | {sent.path.split("/")[-2]: "running"})
        return 202, None, {}

    world.azure.on("POST", "/start$", start)
    views = [f"{MACHINES}/{name}/instanceView".lower() for name in powers]
    return Begun(lambda: all("PowerState/running" in str(world.azure.resources[view]) for view in views))


def _switch(names: list[str], before: str, after: str) -> Callable[[pytest.FixtureRequest], Begun]:
    """Let some machines of a cluster have another power than they are to get."""

    def begin(request: pytest.FixtureRequest) -> Begun:
        cluster = stoppable(request.getfixturevalue("accepted"), request.getfixturevalue("monkeypatch"))
        cluster.powers = dict.fromkeys(cluster.powers, before)
        return Begun(lambda: {cluster.powers[name] for name in names} == {after}, cluster.arrive)

    return begin


def _pin_master_addresses(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("accepted")
    stoppable(world, request.getfixturevalue("monkeypatch"))
    interfaces = [f"{INTERFACES}/{name}-nic".lower() for name in MASTERS]
    return Begun(lambda: all("Static" in str(world.azure.resources[interface]) for interface in interfaces))


def _cancel_superseded(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("deleting")
    group(world)
    states = {"storage": "Running", "network": "Succeeded"}

    def listed(_request: Request) -> Reply:
        value = [{"name": name, "properties": {"provisioningState": state}} for name, state in states.items()]
        return 200, {"value": value}, {}

    def cancel(_request: Request) -> Reply:
        states["storage"] = "Canceled"
        return 204, None, {}

    world.azure.on("GET", "/deployments/?$", listed)
    world.azure.on("POST", "/deployments/storage/cancel$", cancel)
    return Begun(lambda: states["storage"] == "Canceled" and "supersededOperationId" not in world.cluster)


def _delete_private_endpoint(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("deleting")
    network_fake.endpoint(world, "Succeeded")
    return Begun(lambda: network_fake.ENDPOINT not in world.azure.resources)


def _delete_resource_group(request: pytest.FixtureRequest) -> Begun:
    world: World = request.getfixturevalue("deleting")
    group(world)
    return Begun(lambda: CLUSTER_GROUP.lower() not in world.azure.resources)


def _copy_machine_disk(request: pytest.FixtureRequest) -> Begun:
    """Let an earlier copy have failed."""
    disks = request.getfixturevalue("disks")
    call("copy_machine_disk")
    becomes(disks, "failed")
    copies = len(disks.writes)

    def time_passes() -> None:
        if len(disks.writes) > copies:
            becomes(disks, "success", bytes(WHOLE))

    return Begun(lambda: disks.blobs[BLOB].headers["x-ms-copy-status"] == "success", time_passes)


def _image_template(request: pytest.FixtureRequest) -> Begun:
    disks = request.getfixturevalue("disks")
    call("copy_machine_disk")
    becomes(disks, "success", bytes(WHOLE))
    return _deployment(request.getfixturevalue("accepted"), "image")


# How the world of each executor begins.
WORLDS: dict[str, Callable[[pytest.FixtureRequest], Begun]] = {
    "remove_expired_machines": _expired_machines,
    "deploy_storage_template": _template("storage"),
    "deploy_deny_assignment": _template("deny"),
    "settle_deny_assignment": _template("deny"),
    "deploy_network_template": _template("network"),
    "copy_machine_disk": _copy_machine_disk,
    "deploy_image_template": _image_template,
    "deploy_machines_template": _machines_template,
    "create_private_endpoint": _private_endpoint,
    "create_api_server_certificate": _certificate(API),
    "create_ingress_certificate": _certificate(INGRESS),
    "remove_bootstrap": _remove_bootstrap,
    "reconcile_load_balancer_profile": _outbound,
    "start_machines": _start_machines,
    "pin_master_addresses": _pin_master_addresses,
    "stop_workers": _switch(WORKERS, "running", "deallocated"),
    "stop_masters": _switch(MASTERS, "running", "deallocated"),
    "start_workers": _switch(WORKERS, "deallocated", "running"),
    "start_masters": _switch(MASTERS, "deallocated", "running"),
    "cancel_superseded": _cancel_superseded,
    "delete_private_endpoint": _delete_private_endpoint,
    "delete_resource_group": _delete_resource_group,
}
# Its calls go to a cluster, so its test needs an API server.
ELSEWHERE = {Work.RUN: "tests/product/integration/phases/test_lost_calls.py"}
ROWS = {
    f"{name}: {row.name}": row
    for name, rows in plans.PLANS.items()
    for row in rows
    if row.kind is RowKind.BEGIN_AND_POLL
}


def test_every_row_that_begins_and_polls_is_here() -> None:
    """One that is added to a plan needs a world, or a test elsewhere."""
    assert {row.executor for row in ROWS.values()} == WORLDS.keys()
    row = site_plans.resolve("p", [_declared_phase()], settings.AZURES_PACE)["rows"][0]
    assert (row["kind"], row["executor"]) == (RowKind.BEGIN_AND_POLL, Work.RUN)
    assert all((Path(__file__).parents[5] / path).is_file() for path in ELSEWHERE.values())


def _declared_phase() -> site_plans.DeclaredPhase:
    return site_plans.DeclaredPhase({"namespace": "", "name": "a"}, "it", timedelta(minutes=1), timedelta(seconds=1))


def _answered(status: int, code: str) -> Way:
    """Refuse a request without doing anything."""
    azure = FakeAzure()

    def way(_do: Do, sent: requests.PreparedRequest) -> requests.Response:
        azure.fails(str(sent.method), "", status, code)
        return azure_fake.send(azure, sent)

    return way


def _not_sent(_do: Do, _sent: requests.PreparedRequest) -> requests.Response:
    raise BROKEN


def _lost(do: Do, _sent: requests.PreparedRequest) -> requests.Response:
    do()
    raise BROKEN


def _cut(do: Do, _sent: requests.PreparedRequest) -> requests.Response:
    answer = do()
    whole = answer.raw.read()
    answer.raw = urllib3.HTTPResponse(
        io.BytesIO(whole[: len(whole) // 2]),
        headers={"Content-Length": str(len(whole) or 2)},
        status=answer.status_code,
        preload_content=False,
        enforce_content_length=True,
    )
    return answer


TROUBLES: dict[str, Way] = {
    "refused": _answered(503, "ServerUnavailable"),
    # Another deployment of the name, or another change of the resource, began between the row's look and its request.
    "busy": _answered(409, "DeploymentActive"),
    "not sent": _not_sent,
    "lost answer": _lost,
    "cut answer": _cut,
}


@pytest.mark.parametrize("way", TROUBLES.values(), ids=TROUBLES)
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_is_done_only_once_its_work_is(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    row: Row,
    way: Way,
) -> None:
    """The first call's changes meet trouble; then Azure is well."""
    begun = WORLDS[row.executor](request)
    assert not begun.done()
    usual = requests.adapters.HTTPAdapter.send
    met: list[requests.PreparedRequest] = []

    def send(adapter: Any, sent: requests.PreparedRequest, **more: Any) -> requests.Response:
        def do() -> requests.Response:
            return usual(adapter, sent, **more)

        if polls or sent.method == "GET" or "login" in str(sent.url):
            return do()
        met.append(sent)
        return way(do, sent)

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", send)
    resolved: Any = plans._resolve_row(row, {}, settings.load())
    start: Any = {"plan": {"retryPolicies": retry.resolve([row.retry], settings.load())}}
    start |= dict.fromkeys(Caller.__annotations__, "")
    now = datetime(2026, 3, 1, 9, tzinfo=UTC)
    tries = begin_tries(start, resolved, now)
    for polls in range(30):
        outcome: Any = as_json(perform(ACTIVITIES[row.executor], payload(resolved, tries["verb"], polls=polls)))
        begun.time_passes()
        ending, tries = verdicts.decide(tries, outcome, now := now + timedelta(seconds=tries["delaySeconds"]))
        if ending is not None:
            assert ending["outcome"] == "done", ending
            assert begun.done()
            assert met
            return
    raise AssertionError(f"it never ended: {outcome}")
