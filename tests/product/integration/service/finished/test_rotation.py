"""A cluster's service principal, or its secret, is replaced: the cluster uses the new one, and the old one can go."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.authorization import AuthorizationManagementClient

from demo.customer import assign_roles, make_principal
from shared.json_object import Json
from tests.local_azure import unique, wait_for
from tests.product.integration.service.copies import copied
from tests.product.integration.service.directory import Application
from tests.product.integration.service.forbidden_changes import Inside
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, begun, fault

pytestmark = pytest.mark.slow(60)

# Secrets that the installer and the cloud-credential operator make in release 4.19.
HELD = {
    ("kube-system", "azure-credentials"),
    ("openshift-machine-api", "azure-cloud-credentials"),
    ("openshift-ingress-operator", "cloud-credentials"),
    ("openshift-image-registry", "installer-cloud-credentials"),
    ("openshift-cluster-csi-drivers", "azure-disk-credentials"),
    ("openshift-cluster-csi-drivers", "azure-file-credentials"),
    ("openshift-cloud-controller-manager", "azure-cloud-credentials"),
    ("openshift-cloud-network-config-controller", "cloud-credentials"),
}
# Operators that call Azure.
ACTING = {
    "cloud-controller-manager",
    "cloud-credential",
    "image-registry",
    "ingress",
    "machine-api",
    "network",
    "storage",
}
# Rows of a rotation that write to the cluster.
WRITES = (
    "update_root_credentials",
    "restart_cloud_credential_operator",
    "update_cloud_provider_credentials",
    "redeploy_control_plane",
)
# At this time scale the deadlines leave room for many restarts of a worker in a row.
PATIENT_SCALE = 40
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
USER_ACCESS_ADMINISTRATOR = "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"


@pytest.mark.xdist_group("standing")
def test_a_rotated_secret_reaches_whatever_acts_in_azure(standing: Cluster, tmp_path: Path) -> None:
    """All Secrets hold the new value; after the old one is revoked in Entra ID, a new worker machine still comes up."""
    cluster, api = standing, KubernetesApi(standing.customer, tmp_path)
    principal = cluster.customer.principal
    application = Application(cluster.customer, principal["client_id"])
    (old,) = application.secrets()
    assert _holding(api, principal["client_secret"]) == HELD

    secret = application.add_secret()
    cluster.succeed(patch(cluster, client_id=principal["client_id"], client_secret=secret))

    assert _holding(api, secret) == HELD
    assert _holding(api, principal["client_secret"]) == set()
    _expect_no_restart(api)
    application.revoke(old)
    workers = api.workers()
    api.scale_up()
    wait_for(lambda: _running(api) > len(workers), "a new worker machine")
    assert api.degraded() == {}

    _expect_loss_and_recovery(cluster, api, application)


def _expect_loss_and_recovery(cluster: Cluster, api: KubernetesApi, application: Application) -> None:
    """Revoke the secret in use; check that operators report it, and that an update with another secret helps."""
    (used,) = application.secrets()
    application.revoke(used)
    wait_for(lambda: set(api.degraded()) == ACTING, "operators without access to Azure")
    assert all("AADSTS7000215" in message for message in api.degraded().values())
    api.scale_up()
    wait_for(lambda: "Failed" in api.workers().values(), "a machine that cannot be made")

    client_id = cluster.customer.principal["client_id"]
    cluster.succeed(patch(cluster, client_id=client_id, client_secret=application.add_secret()))

    wait_for(lambda: not api.degraded(), "operators that have access again")


def _holding(api: KubernetesApi, value: str) -> set[tuple[str, str]]:
    """Return the Secrets that contain a value."""
    return {name for name, data in api.secrets().items() if any(value in text for text in data.values())}


def _running(api: KubernetesApi) -> int:
    return list(api.workers().values()).count("Running")


def _expect_no_restart(api: KubernetesApi) -> None:
    """Check that the control plane goes on: from 4.16 on it has no cloud provider whose credentials it would read."""
    for operator in ("kubeapiservers", "kubecontrollermanagers"):
        found = api.get(f"/apis/operator.openshift.io/v1/{operator}/cluster")
        assert not found["spec"].get("forceRedeploymentReason")
        assert {node["currentRevision"] for node in found["status"]["nodeStatuses"]} == {1}


def patch(cluster: Cluster, **principal: str) -> str:
    """PATCH the cluster's principal; return the operation's id."""
    names = {"client_id": "clientId", "client_secret": "clientSecret"}
    profile = {names[name]: value for name, value in principal.items() if name in names}
    return begun(cluster.send("PATCH", body={"properties": {"servicePrincipalProfile": profile}}))


def patch_tags(cluster: Cluster, **tags: str) -> str:
    """PATCH only the cluster's tags; return the operation's id."""
    return begun(cluster.send("PATCH", body={"tags": tags}))


@pytest.mark.thorough
def test_a_rotation_is_finished_although_its_worker_is_killed(finished: Path, tmp_path: Path) -> None:
    """The worker is killed at each write; the rotation still finishes, and repeats nothing that was done."""
    with copied(finished, tmp_path / "local-azure", PATIENT_SCALE) as cluster:
        api = KubernetesApi(cluster.customer, tmp_path)
        client_id = cluster.customer.principal["client_id"]
        secret = Application(cluster.customer, client_id).add_secret()

        operation_id = patch(cluster, client_id=client_id, client_secret=secret)
        for step in WRITES:
            cluster.wait_for_step(operation_id, step)
            cluster.azure.kill("functions: worker")
        cluster.succeed(operation_id)

        assert _holding(api, secret) == HELD
        assert _holding(api, cluster.customer.principal["client_secret"]) == set()
        _expect_no_restart(api)


def test_another_application_takes_over(own_cluster: Cluster, rng: random.Random, tmp_path: Path) -> None:
    """The former one keeps its role and its exemption until the cluster runs without it; foreign assignments stay."""
    cluster = replace(own_cluster, correlation_id=str(uuid4()))
    api = KubernetesApi(cluster.customer, tmp_path)
    former = dict(cluster.customer.principal)
    foreign = _assign_foreign(cluster)
    made = make_principal(cluster.customer, unique(rng))

    # Without its role on the network the application is refused, and nothing changes; a PATCH of tags still works.
    error = cluster.fail(patch(cluster, **made))
    assert "InvalidServicePrincipalPermissions" in str(error)
    cluster.succeed(patch_tags(cluster, a="1"))
    shown = cluster.send("GET").json()
    assert (shown["tags"], _client_id(shown)) == ({"a": "1"}, former["client_id"])
    assert _assigned(cluster) == {former["object_id"]: 1} | foreign
    assert _holding(api, former["client_secret"]) == HELD
    assign_roles(cluster.customer, [made["object_id"]])

    # The update fails in the middle: both principals stay exempt, and the cluster holds the new one. The way back needs
    # no secret.
    _fail_in_the_middle(cluster, made)
    assert _assigned(cluster) == {former["object_id"]: 1, made["object_id"]: 1} | foreign
    assert _spared(cluster) == {former["object_id"], made["object_id"]}
    assert _holding(api, made["client_secret"]) == HELD
    cluster.succeed(patch(cluster, client_id=former["client_id"]))
    assert _holding(api, former["client_secret"]) == HELD
    assert _assigned(cluster) == {former["object_id"]: 1} | foreign
    assert _spared(cluster) == {former["object_id"]}

    # The update fails at the same point again, and a PATCH of tags resumes it.
    _fail_in_the_middle(cluster, made)
    cluster.succeed(patch_tags(cluster, a="2"))
    assert _client_id(cluster.send("GET").json()) == made["client_id"]
    assert _holding(api, made["client_secret"]) == HELD
    assert _assigned(cluster) == {made["object_id"]: 1} | foreign
    assert _spared(cluster) == {made["object_id"]}
    application = Application(cluster.customer, former["client_id"])
    for key_id in application.secrets():
        application.revoke(key_id)
    workers = api.workers()
    api.scale_up()
    wait_for(lambda: _running(api) > len(workers), "a new worker machine")
    assert api.degraded() == {}
    group = cluster.send("GET").json()["properties"]["clusterProfile"]["resourceGroupId"]
    with taken(cluster.azure.state) as inventory:
        names = {each["name"].rpartition("/")[2] for each in inventory.resources(f"{group}/")}
    # Each of these updates has deployed the storage template again.
    assert "aro" in names
    assert "ignition" not in names


def _fail_in_the_middle(cluster: Cluster, principal: dict[str, str]) -> None:
    """PATCH a principal, and make the update fail after the cluster's operators have the new one."""
    wish = {"service": "arm", "operation": "PUT Microsoft.Resources/deployments", "status_code": 400}
    with fault(cluster.azure, correlation_id=cluster.correlation_id, step="settle_deny_assignment", **wish):
        assert "settle_deny_assignment" in str(cluster.fail(patch(cluster, **principal)))


def _client_id(shown: Json) -> str:
    return str(shown["properties"]["servicePrincipalProfile"]["clientId"])


def _assign_foreign(cluster: Cluster) -> dict[str, int]:
    """Assign somebody a role on the cluster's own group, as the cluster's principal, which no deny assignment stops."""
    customer, inside = cluster.customer, Inside(cluster)
    subscription = f"/subscriptions/{customer.subscription_id}"
    group, roles = f"{subscription}/resourceGroups/{inside.group}", f"{subscription}/providers/Microsoft.Authorization"

    def assign(client: Any, scope: str, role: str, object_id: str) -> None:
        body: Any = {
            "properties": {
                "roleDefinitionId": f"{roles}/roleDefinitions/{role}",
                "principalId": object_id,
                "principalType": "ServicePrincipal",
            }
        }
        client.role_assignments.create(scope, str(uuid4()), body)

    own = customer.principal["object_id"]
    assign(customer.client(AuthorizationManagementClient), subscription, USER_ACCESS_ADMINISTRATOR, own)
    somebody = str(cluster.azure.endpoints["rp_object_id"])
    as_cluster = inside.client(AuthorizationManagementClient)

    def assigned() -> bool:
        try:
            assign(as_cluster, group, READER, somebody)
        except HttpResponseError as error:
            if error.error is None or error.error.code != "AuthorizationFailed":
                raise
            return False
        return True

    wait_for(assigned, "the role by which roles are assigned")
    return {somebody: 1}


def _assigned(cluster: Cluster) -> dict[str, int]:
    """Count the role assignments on the cluster's own group, by principal."""
    found: dict[str, int] = {}
    for each in _authorization(cluster, "roleAssignments"):
        principal = each["properties"]["principalId"]
        found[principal] = found.get(principal, 0) + 1
    return found


def _spared(cluster: Cluster) -> set[str]:
    (denial,) = _authorization(cluster, "denyAssignments")
    return {each["id"] for each in denial["properties"]["excludePrincipals"]}


def _authorization(cluster: Cluster, kind: str) -> list[Json]:
    customer = cluster.customer
    group = f"/subscriptions/{customer.subscription_id}/resourcegroups/aro-{customer.cluster}"
    with taken(cluster.azure.state) as inventory:
        return inventory.resources(f"{group}/providers/microsoft.authorization/{kind}/")
