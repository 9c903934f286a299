"""Where the operators' credentials come from, and what the operators say when the credentials give no access."""

import asyncio
import base64
import datetime as dt
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from emulator import entra
from emulator.arm.access.roles import CONTRIBUTOR, OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.openshift.boot.timeline import NotYetError
from emulator.openshift.operators import access, credentials, ingress
from emulator.run import arm
from tests.emulator.groups import ensure_group
from tests.emulator.unit.openshift.conftest import Stage

WORLD = World()
CLIENT, SECRET = "99999999-0000-4000-8000-000000000001", "first-secret"
GROUP = f"/subscriptions/{WORLD.subscription_id}/resourceGroups/aro"
OWNER_OF_ALL = Principal("11111111-1111-4111-8111-111111111111", "owner", WORLD.tenant_id, "owner", "", {})
OPERATORS = {
    "cloud-controller-manager",
    "cloud-credential",
    "image-registry",
    "ingress",
    "machine-api",
    "network",
    "storage",
}
# Much longer than any wait.
LATER = 10 * access.RETRY_SECONDS


def _data(secret: str, **more: str) -> dict[str, str]:
    members = {
        "azure_tenant_id": WORLD.tenant_id,
        "azure_client_id": CLIENT,
        "azure_client_secret": secret,
        "azure_subscription_id": WORLD.subscription_id,
        "azure_resourcegroup": "aro",
    }
    return {name: base64.b64encode(value.encode()).decode() for name, value in (members | more).items()}


def _put_root(stage: Stage, secret: str) -> None:
    metadata = {"name": credentials.ROOT[0], "namespace": credentials.ROOT[1]}
    stage.cluster.objects.put({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": _data(secret)})


def _secrets(stage: Stage) -> dict[tuple[str, str], str]:
    """Return the client secret that each Secret of an operator holds."""
    found = {}
    for row in credentials.requests(stage.cluster):
        secret = stage.cluster.objects.get("Secret", row.secret, row.namespace)
        if secret is not None:
            found[row.namespace, row.secret] = base64.b64decode(secret["data"]["azure_client_secret"]).decode()
    return found


def _degraded(stage: Stage) -> dict[str, str]:
    found = stage.cluster.objects.list("ClusterOperator.config.openshift.io")
    return {
        one["metadata"]["name"]: condition["message"]
        for one in found
        for condition in one["status"]["conditions"]
        if (condition["type"], condition["status"]) == ("Degraded", "True")
    }


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Stage]:
    """Make a cluster without credentials, in a subscription whose directory knows its principal."""
    moment = [dt.datetime(2026, 3, 1, tzinfo=dt.UTC)]
    platform = Platform(tmp_path, clock=Clock(source=lambda: moment[0]), world=WORLD)
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3}
    platform.services += [entra.create(platform), arm.create(platform)]
    model, directory = platform.model(ArmModel), platform.model(EntraModel)
    directory.ensure_tenant(WORLD.tenant_id, "Customer", "customer.example")
    directory.ensure_application(CLIENT, "cluster", tenant_id=WORLD.tenant_id, secrets=[SECRET])
    object_id = directory.ensure_service_principal(WORLD.tenant_id, CLIENT)
    model.subscriptions.ensure(WORLD.subscription_id, WORLD.tenant_id, "Customer")
    ensure_group(model, WORLD.subscription_id, "aro", "eastus")
    ensure_role(model, GROUP, object_id, CONTRIBUTOR)
    ensure_role(model, GROUP, OWNER_OF_ALL.object_id, OWNER)
    stage = Stage(platform, moment)

    def tell(whose: str) -> None:
        # Look the cluster up at each call: a restart replaces it.
        stage.cluster.access_changed(whose)

    platform.on_access_change(tell)
    yield stage
    platform.journal.close()
    platform.store.close()


@pytest.fixture
def stage(bare: Stage) -> Stage:
    """Make a cluster whose operators have the credentials that they need."""
    _put_root(bare, SECRET)
    asyncio.run(credentials.provide(bare.cluster))
    bare.after(LATER)
    return bare


def test_without_a_root_secret_there_is_nothing_to_make(bare: Stage) -> None:
    """The operator waits for the Secret and names it."""
    with pytest.raises(NotYetError, match="kube-system/azure-credentials"):
        asyncio.run(credentials.provide(bare.cluster))


def test_each_request_of_the_release_has_its_secret(stage: Stage) -> None:
    """The Secret is where the operator looks for it, and the request's status says so."""
    assert set(_secrets(stage).values()) == {SECRET}
    assert len(_secrets(stage)) == len(credentials.REQUESTS)
    for request in stage.cluster.objects.list(credentials.KIND):
        assert request["status"]["provisioned"]
        assert request["status"]["lastSyncTimestamp"]
    assert _degraded(stage) == {}


def test_a_changed_root_secret_is_passed_through_after_a_while(stage: Stage) -> None:
    """The change does not show at once, so its author has to wait."""
    _put_root(stage, "second-secret")
    stage.after(1)
    assert set(_secrets(stage).values()) == {SECRET}
    stage.after(credentials.SYNC_SECONDS)
    assert set(_secrets(stage).values()) == {"second-secret"}


def test_what_the_operator_made_is_made_again(stage: Stage) -> None:
    """The operator restores a Secret that somebody deletes, and its own pod."""
    row = credentials.REQUESTS[0]
    stage.cluster.objects.delete("Secret", row.secret, row.namespace)
    (pod,) = stage.cluster.objects.list("Pod", credentials.NAMESPACE)
    stage.cluster.objects.delete("Pod", pod["metadata"]["name"], credentials.NAMESPACE)
    stage.after(1)
    stage.after(credentials.SYNC_SECONDS)
    assert _secrets(stage)[row.namespace, row.secret] == SECRET
    (other,) = stage.cluster.objects.list("Pod", credentials.NAMESPACE)
    assert other["metadata"]["name"] != pod["metadata"]["name"]


def test_a_request_of_somebody_else_is_served_or_says_what_is_missing(stage: Stage) -> None:
    """The target namespace of the request may not exist."""
    own = credentials.REQUESTS[0]
    row = credentials.Request("own", "own", "nowhere", "none", "", ())
    stage.cluster.objects.put(credentials._request(row))
    stage.after(1)
    stage.after(credentials.SYNC_SECONDS)
    request = stage.cluster.objects.get(credentials.KIND, "own", credentials.NAMESPACE) or {}
    assert [each["type"] for each in request["status"]["conditions"]] == ["MissingTargetNamespace"]
    assert not request["status"]["provisioned"]
    assert _secrets(stage)[own.namespace, own.secret] == SECRET


def _revoke(stage: Stage) -> None:
    stage.platform.model(EntraModel).update_application(CLIENT, {"secrets": []})


def _give_back(stage: Stage) -> None:
    stage.platform.model(EntraModel).add_secret(CLIENT, SECRET)


def _principal(stage: Stage, *, enabled: bool) -> None:
    stage.platform.model(EntraModel).update_service_principal(WORLD.tenant_id, CLIENT, {"accountEnabled": enabled})


def _disable(stage: Stage) -> None:
    _principal(stage, enabled=False)


def _enable(stage: Stage) -> None:
    _principal(stage, enabled=True)


def _object_id(stage: Stage) -> str:
    return stage.platform.model(EntraModel).ensure_service_principal(WORLD.tenant_id, CLIENT)


def _unassign(stage: Stage) -> None:
    model = stage.platform.model(ArmModel)
    for each in list(model.scan(f"{GROUP}/providers/Microsoft.Authorization/roleAssignments/")):
        asyncio.run(_delete(model, each["id"]))


async def _delete(model: ArmModel, resource_id: str) -> None:
    await model.delete_resource(OWNER_OF_ALL, resource_id, "2022-04-01")


def _assign(stage: Stage) -> None:
    ensure_role(stage.platform.model(ArmModel), GROUP, _object_id(stage), CONTRIBUTOR)


@pytest.mark.parametrize(
    ("take", "give", "says"),
    [
        (_revoke, _give_back, "AADSTS7000215"),
        (_disable, _enable, "AADSTS7000112"),
        (_unassign, _assign, "AuthorizationFailed"),
    ],
    ids=["a revoked secret", "a disabled principal", "a removed role"],
)
def test_operators_say_that_they_have_no_access_until_they_have(
    stage: Stage, take: Callable[[Stage], None], give: Callable[[Stage], None], says: str
) -> None:
    """Operators quote the error that they get; a cluster that restarts in the meantime still shows it."""
    take(stage)
    stage.after(0)
    assert set(_degraded(stage)) == OPERATORS
    assert all(says in message for message in _degraded(stage).values())
    assert "is degraded" in str(stage.cluster.objects.get("ClusterVersion.config.openshift.io", "version"))
    stage.restart()
    stage.after(1)
    assert set(_degraded(stage)) == OPERATORS
    give(stage)
    stage.after(LATER)
    assert _degraded(stage) == {}


def test_only_the_principal_of_a_cluster_makes_it_look(stage: Stage) -> None:
    """A directory with many applications changes all the time."""
    stage.platform.access_changed("somebody-else")
    assert stage.cluster.part(access.Access).due is None
    stage.platform.access_changed(CLIENT.upper())
    assert stage.cluster.part(access.Access).due is not None


def test_from_4_16_on_the_cloud_controller_has_the_credentials_of_its_request(stage: Stage) -> None:
    """The installer of such a release makes no Secret `azure-cloud-provider`."""
    metadata = {"name": "cloud-provider-config", "namespace": "openshift-config"}
    settings = {"vnetName": "vnet"}
    stage.cluster.objects.put(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"config": json.dumps(settings)}}
    )
    account, found = ingress.cloud_provider(stage.cluster)
    assert (account.client_id, account.client_secret, account.resource_group) == (CLIENT, SECRET, "aro")
    assert found == settings
