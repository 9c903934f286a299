"""Changes of a finished cluster's identities: one is replaced, and one is added for the next minor version."""

from collections.abc import Iterator
from contextlib import contextmanager

from emulator.run.provider.catalogue import ROLE_SETS_ROUTE
from emulator.run.provider.operators import as_operator
from shared.json_object import Json
from tests.local_azure import wait_for
from tests.product.integration.service.identities import Identities
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, begun, fault

REPLACED, SUCCESSOR, ADDED = "disk-csi-driver", "disk-successor", "next-driver"
SECRET, ADDED_SECRET = ("openshift-cluster-csi-drivers", "azure-disk-credentials"), ("openshift-next", "credentials")
CLOUD_CREDENTIAL = "/apis/config.openshift.io/v1/clusteroperators/cloud-credential"


def replace_one(identities: Identities, api: KubernetesApi) -> None:
    """Replace an operator's identity, by an update that fails after the operators use it, and by its repetition."""
    cluster = identities.cluster
    identities.add_operator(SUCCESSOR, identities.roles()[REPLACED])
    former = trusted(identities, REPLACED)
    assert former
    wanted = _patch_body({REPLACED: identities.resource_id(SUCCESSOR)})
    # No other cluster of the platform has a step of this name.
    with fault(cluster.azure, service="arm", step="remove_former_identities", status_code=400):
        assert "remove_former_identities" in str(cluster.fail(begun(cluster.send("PATCH", body=wanted))))
    assert trusted(identities, REPLACED) == former
    assert trusted(identities, SUCCESSOR) == former
    assert api.degraded() == {}
    cluster.succeed(begun(cluster.send("PATCH", body=wanted)))
    assert trusted(identities, REPLACED) == set()
    assert trusted(identities, SUCCESSOR) == former
    assert api.secrets()[SECRET]["azure_client_id"] == _operators(cluster)[REPLACED]["clientId"]
    assert api.degraded() == {}


def add_one(identities: Identities, api: KubernetesApi) -> None:
    """Add the identity of an operator that only the next minor version has; the same request again changes nothing."""
    cluster = identities.cluster
    version = cluster.send("GET").json()["properties"]["clusterProfile"]["version"]
    minor = f"4.{int(version.split('.')[1]) + 1}"
    assert _upgradeable(api) == "False"
    with _one_operator_more(cluster, minor):
        identities.add_operator(ADDED, identities.roles()[REPLACED])
        wanted = _patch_body({ADDED: identities.resource_id(ADDED)}, upgradeableTo=f"{minor}.0")
        cluster.succeed(begun(cluster.send("PATCH", body=wanted)))
        wait_for(lambda: _upgradeable(api) == "True", "the cloud-credential operator to allow the upgrade")
        assert api.secrets()[ADDED_SECRET]["azure_client_id"] == _operators(cluster)[ADDED]["clientId"]
        before = _state(identities, api)
        cluster.succeed(begun(cluster.send("PATCH", body=wanted)))
        assert _state(identities, api) == before


@contextmanager
def _one_operator_more(cluster: Cluster, minor: str) -> Iterator[None]:
    """Let a minor version have one operator more for the duration of the block."""
    path, where = f"{ROLE_SETS_ROUTE}/{minor}", cluster.azure.endpoints
    before = {"properties": as_operator(where, "GET", path)["properties"]}
    roles = before["properties"]["platformWorkloadIdentityRoles"]
    (like,) = [role for role in roles if role["operatorName"] == REPLACED]
    namespace, name = ADDED_SECRET
    more = like | {
        "operatorName": ADDED,
        "serviceAccounts": [f"system:serviceaccount:{namespace}:{ADDED}"],
        "secretLocation": {"namespace": namespace, "name": name},
    }
    properties = before["properties"] | {"platformWorkloadIdentityRoles": [*roles, more]}
    as_operator(where, "PUT", path, {"properties": properties})
    try:
        yield
    finally:
        as_operator(where, "PUT", path, before)


def _patch_body(operators: dict[str, str], **profile: str) -> Json:
    named = {name: {"resourceId": resource_id} for name, resource_id in operators.items()}
    return {"properties": {"platformWorkloadIdentityProfile": {"platformWorkloadIdentities": named} | profile}}


def _operators(cluster: Cluster) -> Json:
    profile: Json = cluster.send("GET").json()["properties"]["platformWorkloadIdentityProfile"]
    operators: Json = profile["platformWorkloadIdentities"]
    return operators


def trusted(identities: Identities, name: str) -> set[tuple[str, str]]:
    """Return the issuer and the subject of each token that an identity trusts."""
    found = (each["properties"] for each in identities.credentials_of(name))
    return {(each["issuer"], each["subject"]) for each in found}


def _upgradeable(api: KubernetesApi) -> str:
    conditions = api.get(CLOUD_CREDENTIAL)["status"]["conditions"]
    (status,) = [str(each["status"]) for each in conditions if each["type"] == "Upgradeable"]
    return status


def _state(identities: Identities, api: KubernetesApi) -> list[object]:
    """Return what an update of identities may change: ids, what is trusted, and the cluster's Secrets."""
    secrets = {one["metadata"]["uid"]: one["metadata"]["resourceVersion"] for one in api.list("/api/v1/secrets")}
    names = (*identities.roles(), SUCCESSOR, ADDED)
    return [_operators(identities.cluster), {name: trusted(identities, name) for name in names}, secrets]
