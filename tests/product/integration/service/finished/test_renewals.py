"""A cluster lives longer than its certificates: what Key Vault has renewed reaches its clients."""

import base64
from pathlib import Path
from typing import Any

import pytest
import requests
from cryptography import x509

from shared.openshift import handshakes
from tests.local_azure import LocalAzure, wait_for
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.service.finished.test_credentials import use
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, begun

pytestmark = pytest.mark.slow(60)

OWN = "2026-12-01-preview"
# What names the certificates: each change of one rolls out every API server, or the router.
REFERENCES = (
    "/apis/config.openshift.io/v1/apiservers/cluster",
    "/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default",
)


def vault(azure: LocalAzure, method: str, path: str, body: Any = None) -> Any:
    """Send a request to the clusters' vault as the app's identity; return the answer."""
    endpoints = azure.endpoints
    query = {"api-version": "2019-08-01", "resource": "https://vault.azure.net"}
    query["client_id"] = endpoints["identity_client_id"]
    with requests.Session() as session, taken(azure.state) as inventory:
        session.trust_env = False
        session.verify, session.proxies = endpoints["ca_bundle"], {"https": endpoints["proxy"]}
        header = {"X-IDENTITY-HEADER": endpoints["identity_header"]}
        token = session.get(endpoints["identity_endpoint"], params=query, headers=header, timeout=PATIENCE_SECONDS)
        bearer = {"Authorization": f"Bearer {token.json()['access_token']}"}
        address = f"https://{inventory.vault}.vault.azure.net{path}?api-version=7.4"
        answer = session.request(method, address, headers=bearer, json=body, timeout=PATIENCE_SECONDS)
    assert answer.ok, answer.text
    return answer.json()


def renewed_in_vault(azure: LocalAzure, name: str) -> int:
    """Let Key Vault make another version of a certificate; return its serial number."""
    policy = vault(azure, "GET", f"/certificates/{name}/")["policy"]
    wanted = {member: policy[member] for member in ("issuer", "key_props", "secret_props", "x509_props")}
    vault(azure, "POST", f"/certificates/{name}/create", {"policy": wanted})
    wait_for(
        lambda: vault(azure, "GET", f"/certificates/{name}/pending")["status"] == "completed",
        f"another version of {name}",
    )
    certificate = vault(azure, "GET", f"/certificates/{name}/")["cer"]
    return x509.load_der_x509_certificate(base64.b64decode(certificate)).serial_number


def presented(cluster: Cluster) -> dict[str, int]:
    """Return the serial numbers of the certificates that a client on the internet gets."""
    person = cluster.customer
    found = person.clusters().get(person.group, person.cluster).properties
    domain = found.apiserver_profile.url.split("//api.")[1].split(":")[0]
    places = {
        "apiserver": (found.apiserver_profile.ip, 6443, f"api.{domain}"),
        "ingress": (found.ingress_profiles[0].ip, 443, f"console-openshift-console.apps.{domain}"),
    }
    return {name: handshakes.presented(*place).serial_number for name, place in places.items()}


def renew(cluster: Cluster) -> dict[str, Any]:
    """Renew a cluster by request; return the steps of the operation by name."""
    path = f"{cluster.customer.cluster_id}/renew?api-version={OWN}"
    operation_id = begun(cluster.send("POST", path))
    cluster.succeed(operation_id)
    return {step["name"]: step for step in cluster.report(operation_id)["steps"]}


@pytest.mark.xdist_group("standing")
def test_a_certificate_that_key_vault_has_renewed_reaches_clients(
    standing: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The renewal is over when the handshake shows it, and the next one finds nothing to do and changes nothing."""
    use(standing.azure, monkeypatch)
    before = presented(standing)
    document_id = standing.document_id()
    newer = {name: renewed_in_vault(standing.azure, f"{document_id}-{name}") for name in before}
    assert presented(standing) == before
    renew(standing)
    assert presented(standing) == newer
    assert standing.send("GET").json()["properties"]["provisioningState"] == "Succeeded"
    api = KubernetesApi(standing.customer, tmp_path)
    references = [api.get(path)["metadata"]["resourceVersion"] for path in REFERENCES]
    told = {name: step["message"] for name, step in renew(standing).items()}
    for name in newer:
        want = f"The cluster has the newest version of '{document_id}-{name}'."
        assert want in told.values()
    assert told["renew_user_kubeconfig"].startswith("The kubeconfig ends on ")
    assert [api.get(path)["metadata"]["resourceVersion"] for path in REFERENCES] == references
    assert presented(standing) == newer
