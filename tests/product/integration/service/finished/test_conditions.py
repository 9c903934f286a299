"""A finished cluster says how it is: the conditions of the provider's own version, and what ends when."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from shared.json_object import Json
from tests.api_versions import VERSIONS
from tests.local_azure import wait_for
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster

pytestmark = [pytest.mark.slow(30), pytest.mark.xdist_group("standing")]

OPERATOR = "/apis/config.openshift.io/v1/clusteroperators/storage"


def get(cluster: Cluster, below: str = "") -> Json:
    """Return the cluster, or what is below it, in the provider's own version."""
    answer = cluster.send("GET", f"{cluster.customer.cluster_id}{below}?api-version={VERSIONS[-1]}")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def shown(cluster: Cluster, kind: str) -> Json | None:
    """Return a condition, if it is known already."""
    conditions: list[Json] = get(cluster)["properties"].get("conditions", [])
    return next((each for each in conditions if each["type"] == kind), None)


def condition(cluster: Cluster, kind: str, status: str) -> Json:
    """Wait until a condition has a status, and return it."""

    def found() -> Json | None:
        known = shown(cluster, kind)
        return known if known and known["status"] == status else None

    return wait_for(found, f"the condition {kind} to be {status}")


def operator_degraded(cluster: Cluster, *, wanted: bool) -> Json:
    """Wait until operators are among the reasons of `Degraded`, or no longer.

    Machines that another test of this cluster could not get may be among the reasons all the time.
    """

    def found() -> Json | None:
        known = shown(cluster, "Degraded")
        return known if known and ("OperatorDegraded" in known["reason"].split(",")) is wanted else None

    return wait_for(found, f"operators to be {'' if wanted else 'no longer '}degraded")


def test_a_cluster_says_how_it_is(standing: Cluster, tmp_path: Path) -> None:
    """An operator that becomes degraded shows after a while, and is forgotten once it is well."""
    assert condition(standing, "Available", "True")["reason"] == "AsExpected"
    operator_degraded(standing, wanted=False)
    api = KubernetesApi(standing.customer, tmp_path)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    before: list[Json] = api.get(OPERATOR)["status"]["conditions"]
    others = [each for each in before if each["type"] != "Degraded"]
    bad = {"type": "Degraded", "status": "True", "reason": "Why", "message": "no room", "lastTransitionTime": now}
    api.patch(f"{OPERATOR}/status", {"status": {"conditions": [*others, bad]}})
    try:
        degraded = operator_degraded(standing, wanted=True)
    finally:
        api.patch(f"{OPERATOR}/status", {"status": {"conditions": before}})
    assert degraded["status"] == "True"
    assert "ClusterOperator 'storage' is Degraded: Why: no room" in degraded["message"]
    operator_degraded(standing, wanted=False)


def test_a_cluster_says_what_ends_and_who_renews_it(standing: Cluster) -> None:
    """What the vault holds, what clients are shown, and what the cluster says of itself."""
    listed = wait_for(lambda: get(standing, "/expirations")["value"], "the first reading of what ends")
    ends = {each["name"]: each for each in listed}
    assert {"user-kubeconfig", "service-kubeconfig", "registry-token"} <= ends.keys()
    assert {"api-certificate", "ingress-certificate"} <= ends.keys()
    assert ends["user-kubeconfig"]["renewedBy"] == "Service"
    now = datetime.now(UTC)
    assert all(datetime.fromisoformat(each["end"]) > now for each in listed)
    assert condition(standing, "CertificatesExpiring", "False")["reason"] == "AsExpected"
    assert condition(standing, "CredentialsExpiring", "False")["reason"] == "AsExpected"
