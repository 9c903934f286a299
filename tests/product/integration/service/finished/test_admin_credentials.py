"""An administrator gets a certificate for a key of its own, and a revocation ends it with all others."""

import base64
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from kubernetes import client, config
from kubernetes.client import ApiException

from demo import customer, nodes
from shared.json_object import Json
from tests.product.integration.service.finished.test_credentials import use
from tests.product.integration.service.stage import Cluster, begun

pytestmark = pytest.mark.slow(60)

OWN = "?api-version=2026-12-01-preview"


@pytest.mark.xdist_group("standing")
def test_a_certificate_for_hours_opens_the_cluster_until_all_are_revoked(
    standing: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key never leaves this test. Afterwards neither it nor the kubeconfig that lasts opens the cluster."""
    use(standing.azure, monkeypatch)
    lasting = customer.admin_kubeconfig(standing.customer)
    key = ec.generate_private_key(ec.SECP256R1())
    asked = standing.send("POST", _path(standing, "requestAdminCredential"), {"publicKey": _public(key)})
    assert asked.status_code == 200, asked.text
    kubeconfig = _with_key(yaml.safe_load(base64.b64decode(asked.json()["kubeconfig"])), key)
    assert _may_everything(kubeconfig, tmp_path)

    revoked = standing.send("POST", _path(standing, "revokeCredentials"))
    assert revoked.status_code == 202, revoked.text
    standing.succeed(begun(revoked))

    assert _is_refused(kubeconfig, tmp_path)
    assert _is_refused(yaml.safe_load(lasting), tmp_path)
    assert _may_everything(yaml.safe_load(customer.admin_kubeconfig(standing.customer)), tmp_path)
    again = standing.send("POST", _path(standing, "requestAdminCredential"), {"publicKey": _public(key)}).json()
    assert _may_everything(_with_key(yaml.safe_load(base64.b64decode(again["kubeconfig"])), key), tmp_path)
    # The service reads the machine sets of the living cluster with a credential of its own.
    assert standing.send("GET").json()["properties"]["workerProfilesStatus"]


def _path(cluster: Cluster, action: str) -> str:
    return f"{cluster.customer.cluster_id}/{action}{OWN}"


def _public(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()


def _with_key(kubeconfig: Json, key: ec.EllipticCurvePrivateKey) -> Json:
    """Add the key, as `kubectl config set-credentials` does."""
    forms = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, *forms)
    kubeconfig["users"][0]["user"]["client-key-data"] = base64.b64encode(pem).decode()
    return kubeconfig


def _may_everything(kubeconfig: Json, folder: Path) -> bool:
    """Tell whether a kubeconfig is an administrator's: it may read Secrets of the control plane."""
    with _connection(kubeconfig, folder) as connection:
        return bool(client.CoreV1Api(connection).list_namespaced_secret("openshift-config").items)


def _is_refused(kubeconfig: Json, folder: Path) -> bool:
    with pytest.raises(ApiException) as refused, _connection(kubeconfig, folder) as connection:
        client.CoreV1Api(connection).list_node()
    return bool(refused.value.status == 401)


def _connection(kubeconfig: Json, folder: Path) -> client.ApiClient:
    path = folder / "kubeconfig"
    nodes.write(yaml.safe_dump(kubeconfig).encode(), path)
    made: client.ApiClient = config.new_client_from_config(str(path))  # type: ignore[no-untyped-call]  # it has no types
    return made
