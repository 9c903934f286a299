"""The graph of a cluster with workload identity: identities of its operators, an issuer, and no secret for Azure."""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from installer import all_assets, manifest_yaml
from installer.assets import workload_identity
from installer.bootstrap import bootkube
from installer.graph import Content, Graph
from shared.clusters.identities import issuer_documents
from tests.product.unit.installer import example

ROOT = "/opt/openshift/"
VERSIONS = ("4.10.67", "4.14.50", "4.19.24", "4.20.15")
KEY = f"{workload_identity.SIGNING_KEY}.key"
AUTHENTICATION = "manifests/cluster-authentication-02-config.yaml"
WEBHOOK = "manifests/azure-ad-pod-identity-webhook-config.yaml"
SECRETS = {
    f"manifests/{namespace}-{name}-credentials.yaml": (namespace, name, client_id)
    for namespace, name, client_id in example.SECRETS
}
MADE = {KEY, KEY.replace(".key", ".pub"), AUTHENTICATION, WEBHOOK, *SECRETS}
NOT_MADE = {
    "manifests/aro-cloud-provider-secret.yaml",
    "manifests/aro-cloud-provider-secret-reader-role.yaml",
    "manifests/aro-cloud-provider-secret-reader-rolebinding.yaml",
    "openshift/99_cloud-creds-secret.yaml",
}
# Its name as it ends, and its value, in JSON or YAML that may be inside a text.
_SECRET = re.compile(r"""(client_?secret)\w*["'\\]*\s*[:=]\s*["'\\]*([^\s"'\\,}]*)""", re.IGNORECASE)
# These differ from graph to graph.
DRAWN = {
    "auth/bootstrap-ssh.key",
    "auth/bootstrap-ssh.pub",
    "auth/kubeadmin-password",
    "openshift/99_kubeadmin-password-secret.yaml",
}
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


@cache
def made(version: str = "4.19.24") -> Graph:
    return example.remade(example.given_identities(version))


def with_principal(version: str = "4.19.24") -> Graph:
    spec = example.given_identities(version)["release-image"]["ignitionVersion"]
    return example.remade(example.given(version=version, spec=spec))


def document(graph: Graph, path: str) -> Any:
    return yaml.safe_load(graph.file(path))


def paths(graph: Graph) -> set[str]:
    given = {asset.name for asset in all_assets.GIVEN}
    return {path for name, content in graph.contents.items() if name not in given for path in content}


def boot_files(graph: Graph) -> dict[str, Any]:
    """Return the files of the bootstrap machine's folder by path."""
    files = json.loads(graph.file("bootstrap.ign"))["storage"]["files"]
    return {file["path"].removeprefix(ROOT): file for file in files if file["path"].startswith(ROOT)}


def layers(text: str) -> Iterator[str]:
    """Yield a text, and what is in base64 in it, to any depth."""
    yield text
    for found in _BASE64.findall(text):
        try:
            inner = base64.b64decode(found, validate=True).decode()
        except ValueError:
            continue
        yield from layers(inner)


def secrets_in(text: str) -> set[tuple[str, str]]:
    """Return the members of a text that hold a client secret, and their values."""
    return {found for layer in layers(text) for found in _SECRET.findall(layer)}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_graph_differs_from_that_of_a_principal_by_these_files_and_no_others(version: str) -> None:
    """Of the other files only those that name the mode, or list or contain the rest, have other contents."""
    ours, other = made(version), with_principal(version)
    assert paths(ours) - paths(other) == MADE
    assert paths(other) - paths(ours) == NOT_MADE
    differing = {path for path in paths(ours) & paths(other) if ours.file(path) != other.file(path)}
    assert differing - DRAWN == {"bootstrap.ign", "manifests/cluster-config.yaml", "manifests/cvo-overrides.yaml"}


@pytest.mark.parametrize("version", VERSIONS)
def test_no_file_and_no_member_of_the_install_config_has_a_client_secret(version: str) -> None:
    """The cloud provider's settings have the member, and it is empty, as OpenShift's own installer writes it."""
    everything = json.dumps(made(version).contents)
    assert secrets_in(everything) == {("ClientSecret", "")}
    assert not [layer for layer in layers(everything) if "client_secret" in layer]
    assert "secret" not in json.dumps({**made(version).contents["install-config"], "pullSecret": ""}).replace(
        "pullSecret", ""
    )


def test_the_search_for_secrets_finds_those_of_a_principal() -> None:
    """In every one of the places where they are."""
    encoded = manifest_yaml.encode("canary-client-secret")
    assert secrets_in(json.dumps(with_principal().contents)) == {
        ("ClientSecret", ""),
        ("ClientSecret", "canary-client-secret"),  # of the cloud provider's Secret
        ("clientSecret", "canary-client-secret"),  # of the inputs
        ("client_secret", encoded),  # of the root Secret
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_operators_manage_their_credentials_themselves(version: str) -> None:
    """So the cloud-credential operator does not wait for a root Secret."""
    graph = made(version)
    config = yaml.safe_load(document(graph, "manifests/cluster-config.yaml")["data"]["install-config"])
    assert config["credentialsMode"] == graph.contents["install-config"]["credentialsMode"] == "Manual"


@pytest.mark.parametrize("path", SECRETS)
def test_each_operator_finds_its_identity_in_its_secret(path: str) -> None:
    """Who it is and where, and the file with the token that it exchanges."""
    namespace, name, client_id = SECRETS[path]
    found = document(made(), path)
    assert (found["kind"], found["type"]) == ("Secret", "Opaque")
    assert found["metadata"] == {"namespace": namespace, "name": name}
    assert found["stringData"] == {
        "azure_client_id": client_id,
        "azure_subscription_id": example.SUBSCRIPTION,
        "azure_tenant_id": "11111111-1111-1111-1111-111111111111",
        "azure_region": "eastus",
        "azure_federated_token_file": "/var/run/secrets/openshift/serviceaccount/token",
    }


def test_the_pod_identity_webhook_learns_the_tenant() -> None:
    """It gets nothing else."""
    found = document(made(), WEBHOOK)
    assert found["metadata"] == {"namespace": "openshift-cloud-credential-operator", "name": "azure-credentials"}
    assert found["stringData"] == {"azure_tenant_id": "11111111-1111-1111-1111-111111111111"}


def test_the_api_server_signs_in_the_name_of_the_published_issuer() -> None:
    """Letter by letter, also the first one, which the bootstrap machine starts."""
    graph = made()
    assert document(graph, AUTHENTICATION)["spec"] == {"serviceAccountIssuer": example.ISSUER}
    script = bootkube.text(graph.contents["install-config"], graph.contents["release-image"])
    assert f"--cluster-auth-file=/assets/{AUTHENTICATION}" in script


def test_the_api_server_signs_with_the_key_whose_public_half_is_published() -> None:
    """Both halves, in the forms that OpenShift's installer writes."""
    graph, key = made(), example.signing_key()
    assert graph.file(KEY).startswith("-----BEGIN RSA PRIVATE KEY-----\n")
    assert load_pem_private_key(graph.file(KEY).encode(), None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    ) == key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    header, *lines, _ = graph.file(KEY.replace(".key", ".pub")).strip().splitlines()
    assert header == "-----BEGIN RSA PUBLIC KEY-----"
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    assert base64.b64decode("".join(lines)) == key.public_key().public_bytes(*form)


def test_tokens_name_the_key_that_is_published() -> None:
    """The API server computes its id from the public half that it gets."""
    public = load_pem_public_key(made().file(KEY.replace(".key", ".pub")).encode())
    assert isinstance(public, rsa.RSAPublicKey)
    published = issuer_documents.documents(example.ISSUER, example.signing_key().public_key())["openid/v1/jwks"]
    assert [key["kid"] for key in published["keys"]] == [issuer_documents.key_id(public)]


def test_the_bootstrap_machine_gets_every_one_of_these_files() -> None:
    """Only root reads the key there."""
    files = boot_files(made())
    assert files.keys() >= MADE
    assert not files.keys() & NOT_MADE
    assert files[KEY]["mode"] == 0o600
    assert {files[path]["mode"] for path in (AUTHENTICATION, WEBHOOK, *SECRETS)} == {0o644}


def test_the_cluster_version_operator_leaves_these_objects_alone() -> None:
    """Like all others of the installer: the release has an `Authentication` of its own."""
    overrides = document(made(), "manifests/cvo-overrides.yaml")["spec"]["overrides"]
    listed = {(each["kind"], each["namespace"], each["name"]) for each in overrides}
    assert {
        ("Authentication", "", "cluster"),
        ("Secret", "openshift-cloud-credential-operator", "azure-credentials"),
        *(("Secret", namespace, name) for namespace, name, _ in example.SECRETS),
    } <= listed
    assert ("Secret", "kube-system", "azure-credentials") not in listed


def test_a_key_of_another_kind_is_refused() -> None:
    """The published documents are about an RSA key."""
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    credentials: Content = example.given_identities()["platform-credentials"]
    credentials |= workload_identity.of_operators(example.ISSUER, text, ())
    with pytest.raises(TypeError, match="not an RSA key, but"):
        example.remade(example.given_identities() | {"platform-credentials": credentials})
