"""The service's own objects in the cluster: all of them, once, as soon as the cluster can take them."""

import base64
import json
from typing import Any

import pytest

from shared.json_object import Json
from tests.kubernetes_pki import Authority
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.openshift import objects
from tests.product.unit.openshift.api_fake import FakeApi, failure
from tests.product.unit.product_world import FIRST_PARTY_CERTIFICATE, World

DONE = {"outcome": "done"}
LOGGING = "activities.cluster.logging:ensure_logging"
IFRELOAD = "activities.cluster.ifreload:ensure_ifreload"
BOTH = pytest.mark.parametrize("target", [LOGGING, IFRELOAD])


@pytest.fixture
def young(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """Put an empty API server behind the cluster's private endpoint."""
    return cluster_api_fake.wire(accepted, monkeypatch)


@pytest.fixture
def api(young: FakeApi) -> FakeApi:
    """Add the objects that the release brings."""
    young.add(objects.privileged())
    return young


def run(target: str, **more: Any) -> Json:
    """Run an executor once."""
    return cluster_api_fake.run(target, **more)


@BOTH
def test_everything_is_there_and_a_second_run_changes_nothing(api: FakeApi, target: str) -> None:
    """The image comes from the registry of the settings."""
    assert run(target) == DONE
    found = dict(api.objects)
    assert len(found) == {LOGGING: 7, IFRELOAD: 4}[target]
    assert '"image": "arosvc.azurecr.io/' in json.dumps(list(found.values()))
    assert run(target) == DONE
    assert api.objects == found
    assert {method for method, _, _ in api.changes} == {"POST"}


def test_the_certificate_of_the_vault_is_the_one_in_the_cluster(api: FakeApi, accepted: World) -> None:
    """After it is renewed in the vault, the next run writes the certificate and nothing else."""
    run(LOGGING)
    assert certificates(api) == FIRST_PARTY_CERTIFICATE
    pair = Authority("logging").issue("cluster-mdsd")
    accepted.vault("rp-svc").versions["cluster-mdsd"].append(pair.certificate + pair.key)
    api.requests.clear()
    assert run(LOGGING) == DONE
    assert certificates(api) == pair.key + pair.certificate
    assert [path.rsplit("/", 1)[1] for method, path, _ in api.changes if method == "PUT"] == ["certificates"]


def certificates(api: FakeApi) -> str:
    """Return the key and the certificate that are in the cluster."""
    data = api.at("Secret", "certificates", "openshift-azure-logging")["data"]
    return "".join(base64.b64decode(data[name]).decode() for name in ("gcskey.pem", "gcscert.pem"))


@BOTH
def test_what_somebody_changed_is_put_back(api: FakeApi, target: str) -> None:
    """A resumed create repairs what it finds."""
    run(target)
    (path,) = [path for path in api.objects if "/daemonsets/" in path]
    changed = json.loads(json.dumps(api.objects[path]))
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "elsewhere/image:1"
    changed["spec"]["template"]["spec"]["schedulerName"] = "default-scheduler"
    api.objects[path] = changed
    api.requests.clear()
    assert run(target) == DONE
    assert [method for method, _, _ in api.changes].count("PUT") == 1
    spec = api.objects[path]["spec"]["template"]["spec"]
    assert "elsewhere" not in json.dumps(spec)
    assert spec["schedulerName"] == "default-scheduler"


@BOTH
def test_constraints_that_are_not_there_yet_are_waited_for(young: FakeApi, target: str) -> None:
    """The release adds them with its operators; meanwhile nothing is half made."""
    want = {"outcome": "wait", "message": "SecurityContextConstraints 'privileged' does not exist yet"}
    assert run(target) == want
    assert young.changes == []
    young.add(objects.privileged())
    assert run(target) == DONE


@BOTH
def test_an_api_that_goes_away_in_the_middle_is_waited_for(api: FakeApi, target: str) -> None:
    """The next run continues with what is missing."""
    api.first = lambda method, path: (
        failure(503, "X", "etcd") if (method, path[-10:]) == ("POST", "daemonsets") else None
    )
    waits = run(target)
    assert waits["outcome"] == "wait"
    assert waits["message"].endswith("the API server answers 503 Service Unavailable: etcd")
    api.first = lambda _method, _path: None
    assert run(target) == DONE


@BOTH
def test_a_refusal_fails_with_the_object_and_the_clusters_words(api: FakeApi, target: str) -> None:
    """The service has to fix it, and the message contains no secret."""
    api.first = lambda method, _path: failure(422, "Invalid", "metadata: no") if method == "POST" else None
    outcome = run(target)
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    assert "Namespace 'openshift-azure-" in outcome["error"]["message"]
    assert {"code": "Owner", "message": "platform"} in outcome["error"]["details"]


@pytest.mark.parametrize(
    ("secret", "want"),
    [(None, "is not there"), ("-----BEGIN secret", "is not a PEM certificate with its PKCS#8 key")],
    ids=["missing", "broken"],
)
def test_a_certificate_that_operators_forgot_is_told_to_them(
    api: FakeApi, accepted: World, secret: str | None, want: str
) -> None:
    """The message names the Secret, the setting and what to do, and quotes nothing of the text."""
    versions = accepted.vault("rp-svc").versions
    del versions["cluster-mdsd"]
    if secret is not None:
        versions["cluster-mdsd"] = [secret]
    error = run(LOGGING)["error"]
    assert "The secret 'cluster-mdsd' of the service vault, which the setting " in error["message"]
    assert want in error["message"]
    assert "BEGIN secret" not in json.dumps(error)
    assert {"code": "Owner", "message": "platform"} in error["details"]
    assert api.changes == []


def test_no_key_is_in_what_is_kept(api: FakeApi, accepted: World) -> None:
    """Outcomes and progress are stored in clear."""
    ended = [run(LOGGING)]
    api.first = lambda method, _path: failure(503, "X", "not now") if method == "POST" else None
    ended.append(run(LOGGING))
    kept = json.dumps([ended, *accepted.cosmos["OperationProgress"].documents.values()])
    assert FIRST_PARTY_CERTIFICATE.splitlines()[1] not in kept


@BOTH
def test_a_superseded_attempt_changes_nothing(api: FakeApi, accepted: World, target: str) -> None:
    """The fence moves while the constraints are read."""

    def move(_method: str, _path: str) -> None:
        accepted.cluster["attempt"] = 2

    api.first = move
    assert run(target) == {"outcome": "fenced"}
    assert api.changes == []
