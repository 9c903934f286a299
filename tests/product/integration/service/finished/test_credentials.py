"""The credentials that the service returns open the cluster, from a terminal, through the proxy."""

import base64
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import bcrypt
import pytest
import yaml
from cryptography import x509
from kubernetes import client, config
from kubernetes.client import ApiException
from urllib3.exceptions import MaxRetryError

from demo import customer, nodes
from demo.customer import Customer, begin_create
from shared.json_object import Json
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.stage import Cluster

pytestmark = pytest.mark.slow

READY = ("Ready", "True")


def use(azure: LocalAzure, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point this process at a local Azure, as the README does for a terminal."""
    for name in ("https_proxy", "no_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", azure.endpoints["proxy"])
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", azure.endpoints["ca_bundle"])


@pytest.mark.xdist_group("standing")
def test_credentials_open_the_cluster_that_they_are_of(
    standing: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kubeconfig lists nodes and changes objects, and the password matches the hash that the cluster keeps."""
    use(standing.azure, monkeypatch)
    person = standing.customer
    text = customer.admin_kubeconfig(person)
    _expect_kubeconfig(yaml.safe_load(text), person)
    path = tmp_path / "kubeconfig"
    nodes.write(text, path)
    found = nodes.read(path)
    masters = [node for node in found if "node-role.kubernetes.io/master" in node.metadata.labels]
    assert [READY in {(each.type, each.status) for each in node.status.conditions} for node in masters] == [True] * 3
    assert len(found) - len(masters) >= 2
    with config.new_client_from_config(str(path)) as connection:  # type: ignore[no-untyped-call]  # it has no types
        _expect_administrator(client.CoreV1Api(connection), person)


def _expect_kubeconfig(document: Json, person: Customer) -> None:
    """Check the server in the kubeconfig, and that its certificate expires within a year."""
    (cluster,), (user,) = document["clusters"], document["users"]
    api = person.clusters().get(person.group, person.cluster).properties.apiserver_profile
    assert cluster["cluster"]["server"] == api.url.rstrip("/")
    # The API server uses a certificate from Key Vault's issuer, which clients trust anyway.
    assert "certificate-authority-data" not in cluster["cluster"]
    certificate = x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))
    assert certificate.not_valid_after_utc < datetime.now(UTC) + timedelta(days=366)


def _expect_administrator(api: Any, person: Customer) -> None:
    """Check that the kubeconfig may write, and that kubeadmin's password is the cluster's."""
    api.create_namespace({"metadata": {"name": "mine"}})
    api.create_namespaced_config_map("mine", {"metadata": {"name": "note"}, "data": {"a": "b"}})
    assert api.read_namespaced_config_map("note", "mine").data == {"a": "b"}
    user, password = customer.credentials(person)
    assert user == "kubeadmin"
    assert re.fullmatch(r"[A-Za-z0-9]{5}(-[A-Za-z0-9]{5}){3}", password)
    kept = base64.b64decode(api.read_namespaced_secret("kubeadmin", "kube-system").data["kubeadmin"])
    assert bcrypt.checkpw(password.encode(), kept)


@pytest.mark.thorough
def test_credentials_of_one_cluster_open_no_other(
    azure: LocalAzure, rng: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each cluster has its own authority for its users."""
    use(azure, monkeypatch)
    people = [azure.prepared_customer(unique(rng)) for _ in range(2)]
    for poller in [begin_create(person)[1] for person in people]:
        poller.result()
    one, other = (yaml.safe_load(customer.admin_kubeconfig(person)) for person in people)
    other["clusters"][0]["cluster"]["server"] = one["clusters"][0]["cluster"]["server"]
    assert "Unauthorized" in _refusal(other, tmp_path)
    for cluster in (Cluster(azure, person) for person in people):
        cluster.succeed(cluster.delete())


def _refusal(kubeconfig: Json, folder: Path) -> str:
    path = folder / "mixed"
    nodes.write(yaml.safe_dump(kubeconfig).encode(), path)
    with pytest.raises((ApiException, MaxRetryError)) as refused:
        nodes.read(path)
    return str(refused.value)
