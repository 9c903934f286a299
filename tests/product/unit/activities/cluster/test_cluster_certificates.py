"""The managed domain's certificates in the cluster: where they are written, what stays, and that keys stay secret."""

import base64
import json
from typing import Any

import pytest

from shared.json_object import Json
from tests.kubernetes_pki import Authority, Pair
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.openshift.api_fake import FakeApi, failure
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
API_SERVER = "configure_api_server_certificate"
INGRESS = "configure_ingress_certificate"
HOST = "api.c1.eastus.aroapp.io"
# Executor: its Secret, and the object that uses it.
SECRETS = {
    API_SERVER: ("doc-1-apiserver", "openshift-config"),
    INGRESS: ("doc-1-ingress", "openshift-ingress"),
}
USERS: dict[str, Json] = {
    API_SERVER: {"kind": "APIServer", "metadata": {"name": "cluster"}, "spec": {"audit": {"profile": "Default"}}},
    INGRESS: {
        "kind": "IngressController",
        "metadata": {"name": "default", "namespace": "openshift-ingress-operator"},
        "spec": {"replicas": 2},
    },
}
WANT: dict[str, Json] = {
    API_SERVER: {
        "audit": {"profile": "Default"},
        "servingCerts": {
            "namedCertificates": [{"names": [HOST], "servingCertificate": {"name": "doc-1-apiserver"}}],
        },
    },
    INGRESS: {"replicas": 2, "defaultCertificate": {"name": "doc-1-ingress"}},
}
BOTH = pytest.mark.parametrize("name", [API_SERVER, INGRESS])


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """Put an API server behind the cluster's private endpoint, with the objects that use certificates."""
    made = cluster_api_fake.wire(accepted, monkeypatch)
    made.add(*USERS.values())
    return made


@pytest.fixture
def issued(accepted: World) -> dict[str, Pair]:
    """Let Key Vault hold both certificates."""
    return {name: renew(accepted, secret) for name, (secret, _) in SECRETS.items()}


def renew(world: World, name: str) -> Pair:
    """Make Key Vault renew a certificate."""
    made = Authority("public-ca").issue(name, names=(HOST,))
    world.vault("rp-cls").versions.setdefault(name, []).append(made.key + made.certificate)
    return made


def run(name: str, **more: Any) -> Json:
    """Run an executor once."""
    return cluster_api_fake.run(f"activities.cluster.cluster_certificates:{name}", **more)


def user(api: FakeApi, name: str) -> Json:
    """Return the object that uses the certificate."""
    metadata = USERS[name]["metadata"]
    return api.at(USERS[name]["kind"], metadata["name"], metadata.get("namespace", ""))


@BOTH
def test_the_certificate_is_put_into_the_cluster_and_used(api: FakeApi, issued: dict[str, Pair], name: str) -> None:
    """A second run finds everything in place and changes nothing."""
    assert run(name) == DONE
    secret = api.at("Secret", *SECRETS[name])
    assert secret["type"] == "kubernetes.io/tls"
    data = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
    assert data == {"tls.crt": issued[name].certificate, "tls.key": issued[name].key}
    assert user(api, name)["spec"] == WANT[name]
    assert [method for method, _, _ in api.changes] == ["POST", "PATCH"]
    objects = dict(api.objects)
    assert run(name) == DONE | {"message": f"The cluster has the newest version of '{SECRETS[name][0]}'."}
    assert api.objects == objects


@BOTH
def test_the_secret_is_there_before_anything_uses_it(api: FakeApi, issued: dict[str, Pair], name: str) -> None:
    """An operator that does not find the Secret is degraded. While the namespace is missing, nothing refers to it."""
    assert issued
    api.namespaces = set()
    outcome = run(name)
    assert outcome["outcome"] == "wait"
    assert outcome["message"].startswith(f"Secret '{SECRETS[name][1]}/{SECRETS[name][0]}' cannot be created: ")
    assert outcome["message"].endswith(f'namespaces "{SECRETS[name][1]}" not found')
    assert user(api, name)["spec"] == USERS[name]["spec"]


@BOTH
def test_a_renewed_certificate_replaces_the_old_one(
    api: FakeApi, accepted: World, issued: dict[str, Pair], name: str
) -> None:
    """The next run reads the vault again."""
    assert issued
    run(name)
    newer = renew(accepted, SECRETS[name][0])
    assert run(name) == DONE
    data = api.at("Secret", *SECRETS[name])["data"]
    assert base64.b64decode(data["tls.crt"]).decode() == newer.certificate
    assert base64.b64decode(data["tls.key"]).decode() == newer.key


def test_certificates_of_other_hosts_stay_and_an_older_one_of_ours_goes(api: FakeApi, issued: dict[str, Pair]) -> None:
    """A host has only one certificate."""
    assert issued
    other = {"names": ["api.example.com"], "servingCertificate": {"name": "theirs"}}
    older = {"names": [HOST], "servingCertificate": {"name": "older"}}
    api.add({**USERS[API_SERVER], "spec": {"servingCerts": {"namedCertificates": [older, other]}}})
    assert run(API_SERVER) == DONE
    assert user(api, API_SERVER)["spec"]["servingCerts"]["namedCertificates"] == [
        other,
        *WANT[API_SERVER]["servingCerts"]["namedCertificates"],
    ]


def named(name: str, *hosts: str) -> Json:
    """Return an entry of the named certificates."""
    return {"names": list(hosts), "servingCertificate": {"name": name}}


@pytest.mark.parametrize(
    ("found", "want"),
    [
        ([named("doc-1-apiserver", HOST), named("theirs", "a.example")], None),
        (
            [named("theirs", "a.example", HOST)],
            [named("theirs", "a.example"), named("doc-1-apiserver", HOST)],
        ),
        (
            [named("doc-1-apiserver", HOST), named("theirs", HOST, "a.example")],
            [named("theirs", "a.example"), named("doc-1-apiserver", HOST)],
        ),
        ([{"servingCertificate": {"name": "theirs"}}, named("doc-1-apiserver", HOST)], None),
    ],
    ids=["right, and first", "theirs has our host too", "both have our host", "theirs names no host"],
)
def test_a_reference_that_is_right_stays_and_theirs_lose_only_our_host(
    api: FakeApi, issued: dict[str, Pair], found: list[Json], want: list[Json] | None
) -> None:
    """Each change of one rolls out every API server."""
    assert issued
    api.add({**USERS[API_SERVER], "spec": {"servingCerts": {"namedCertificates": found}}})
    assert run(API_SERVER) == DONE
    assert user(api, API_SERVER)["spec"]["servingCerts"]["namedCertificates"] == (want or found)
    assert ("PATCH" in [method for method, _, _ in api.changes]) == bool(want)


@pytest.mark.parametrize("exists", [True, False], ids=["exists", "is gone"])
def test_a_certificate_that_administrators_have_chosen_for_the_router_stays_if_it_exists(
    api: FakeApi, issued: dict[str, Pair], *, exists: bool
) -> None:
    """Ours is kept up to date beside it, for the day on which they go back."""
    assert issued
    api.add({**USERS[INGRESS], "spec": {"defaultCertificate": {"name": "theirs"}}})
    if exists:
        api.add({"kind": "Secret", "metadata": {"name": "theirs", "namespace": "openshift-ingress"}})
    outcome = run(INGRESS)
    want = "theirs" if exists else "doc-1-ingress"
    assert user(api, INGRESS)["spec"]["defaultCertificate"]["name"] == want
    assert outcome == (
        DONE | {"message": "The cluster's administrators have chosen the certificate 'theirs'."} if exists else DONE
    )
    assert api.at("Secret", *SECRETS[INGRESS])


@BOTH
def test_what_uses_the_certificate_is_waited_for(api: FakeApi, issued: dict[str, Pair], name: str) -> None:
    """The wait names it."""
    assert issued
    api.objects.clear()
    metadata = USERS[name]["metadata"]
    path = "/".join(part for part in (metadata.get("namespace"), metadata["name"]) if part)
    assert run(name) == {"outcome": "wait", "message": f"{USERS[name]['kind']} '{path}' does not exist yet"}


@BOTH
def test_a_secret_that_is_no_certificate_is_the_services_fault_and_not_quoted(
    api: FakeApi, accepted: World, issued: dict[str, Pair], name: str
) -> None:
    """Nothing is written into the cluster."""
    accepted.vault("rp-cls").versions[SECRETS[name][0]].append(issued[name].key)
    outcome = run(name)
    assert outcome["outcome"] == "failed"
    assert f"'{SECRETS[name][0]}' of the clusters' vault is not a PEM certificate" in outcome["error"]["message"]
    assert {"code": "Owner", "message": "platform"} in outcome["error"]["details"]
    assert "PRIVATE KEY" not in json.dumps(outcome)
    assert api.changes == []


@BOTH
def test_no_outcome_and_no_record_holds_key_material(
    api: FakeApi, accepted: World, issued: dict[str, Pair], name: str
) -> None:
    """Whether done, waiting or refused: history and progress are stored in clear."""
    ended = [run(name)]
    api.first = lambda method, _path: failure(503, "Unavailable", "not now") if method == "POST" else None
    ended.append(run(name))
    api.first = lambda method, _path: failure(422, "Invalid", "no") if method == "POST" else None
    ended.append(run(name))
    assert [outcome["outcome"] for outcome in ended] == ["done", "wait", "failed"]
    kept = json.dumps([ended, *accepted.cosmos["OperationProgress"].documents.values()])
    key = issued[name].key
    assert key.splitlines()[1] not in kept
    assert base64.b64encode(key.encode()).decode()[40:120] not in kept


@BOTH
def test_a_superseded_attempt_changes_nothing(
    api: FakeApi, accepted: World, issued: dict[str, Pair], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fence moves while the vault is read."""
    assert issued
    vault = accepted.vault("rp-cls")
    get_secret = vault.get_secret

    def slow(*given: Any) -> Any:
        accepted.cluster["attempt"] = 2
        return get_secret(*given)

    monkeypatch.setattr(vault, "get_secret", slow)
    assert run(name) == {"outcome": "fenced"}
    assert api.changes == []
