"""The machine-config server's certificate: the service's before 4.19, the cluster's own from then on."""

import base64
import json
from typing import Any

import pytest
from cryptography import x509

from activities.renewals import tls_secrets
from installer import pki
from shared.json_object import Json
from tests.kubernetes_pki import Authority
from tests.product.unit.activities.calls import DONE, call
from tests.product.unit.openshift.api_fake import FakeApi

NAME = "renew_machine_config_server_certificate"
WHERE = "openshift-machine-config-operator"
SECRET = ("machine-config-server-tls", WHERE)
HOST = "api-int.c1.eastus.aroapp.io"
RIGHT = DONE | {"message": "It has every name under which machines call the server."}


def cluster(api: FakeApi, *names: str, version: str = "4.18.9", days: int = 3000, source: str = HOST) -> None:
    """Let the cluster run a release, with a certificate for names, and machines that call a host."""
    pair = Authority("root-ca").issue("system:machine-config-server", names=names, days=days)
    history = [
        {"state": "Partial", "version": "4.99.0"},
        {"state": "Completed", "version": version},
        {"state": "Completed", "version": "4.10.1"},
    ]
    config = {"merge": [{"source": f"https://{source}:22623/config/worker"}]}
    user_data = base64.b64encode(json.dumps({"ignition": {"config": config}}).encode()).decode()
    api.add(
        {"kind": "ClusterVersion", "metadata": {"name": "version"}, "status": {"history": history}},
        {
            "kind": "Secret",
            "metadata": {"name": SECRET[0], "namespace": WHERE},
            "data": tls_secrets.data_of(pair.certificate, pair.key),
        },
        {
            "kind": "Secret",
            "metadata": {"name": "worker-user-data", "namespace": "openshift-machine-api"},
            "data": {"userData": user_data},
        },
        pod("old", "2026-01-01T00:00:00Z"),
    )


def pod(name: str, created: str) -> Json:
    """Return a pod of the server."""
    return {"kind": "Pod", "metadata": {"name": name, "namespace": WHERE, "creationTimestamp": created}}


def pods(api: FakeApi) -> set[str]:
    """Return the pods that exist."""
    return {one["metadata"]["name"] for one in api.objects.values() if one["kind"] == "Pod"}


def held(api: FakeApi) -> x509.Certificate:
    """Return the certificate in the cluster."""
    found = tls_secrets.pair(api.at("Secret", *SECRET))
    assert found is not None
    return found.certificate


@pytest.mark.parametrize("version", ["4.19.0", "4.21.3", "5.0.0-rc.1"])
def test_from_4_19_on_the_service_never_touches_it(api: FakeApi, version: str) -> None:
    """Even if it is wrong: the operator has another authority, and rewrites what machines begin with."""
    cluster(api, "other.example", version=version, days=1)
    assert call(NAME) == DONE | {"message": f"OpenShift {version} renews it itself."}
    assert api.changes == []


def test_a_certificate_that_is_right_stays(api: FakeApi) -> None:
    """And so do the server's pods."""
    cluster(api, HOST)
    assert call(NAME) == RIGHT
    assert api.changes == []


@pytest.mark.parametrize(
    ("names", "more", "why", "want"),
    [
        (("other.example",), {}, f"it lacked {HOST}", {HOST}),
        ((HOST,), {"source": "10.0.0.4"}, "it lacked 10.0.0.4", {HOST, "10.0.0.4"}),
        ((HOST,), {"days": 60}, "it had 59 days left", {HOST}),
        ((HOST,), {"days": -1}, "it had 0 days left", {HOST}),
    ],
    ids=["another name", "machines call an address", "ends soon", "ended"],
)
def test_a_wrong_certificate_is_replaced_once_by_one_that_machines_trust(  # noqa: PLR0917 - a table's columns
    api: FakeApi, signers: dict[str, pki.Pair], names: tuple[str, ...], more: Any, why: str, want: set[str]
) -> None:
    """Signed by the install's root authority, for ten years; pods that present the former one are deleted."""
    cluster(api, *names, **more)
    assert call(NAME) == DONE | {"message": f"It was replaced: {why}."}
    certificate = held(api)
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(signers["root-ca"].certificate.encode()))
    alternative = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert set(alternative.get_values_for_type(x509.DNSName)) == want
    assert {str(one) for one in alternative.get_values_for_type(x509.IPAddress)} == want - {HOST}
    assert certificate.subject.rfc4514_string() == "CN=system:machine-config-server"
    assert 3640 < tls_secrets.days_left(certificate) < 3651
    assert pods(api) == set()
    api.add(pod("new", "2999-01-01T00:00:00Z"))
    assert call(NAME) == RIGHT
    assert held(api) == certificate
    assert pods(api) == {"new"}


def test_pods_that_were_left_by_a_crash_are_deleted_by_the_next_run(api: FakeApi, signers: dict[str, pki.Pair]) -> None:
    """The certificate is right by then."""
    assert signers
    cluster(api, "other.example")

    def first(method: str, _path: str) -> Any:
        if method == "DELETE":
            raise KeyboardInterrupt

    api.first = first
    with pytest.raises(KeyboardInterrupt):
        call(NAME)
    api.first = lambda _method, _path: None
    assert pods(api) == {"old"}
    assert call(NAME) == RIGHT
    assert pods(api) == set()


def test_user_data_of_another_format_says_nothing(api: FakeApi) -> None:
    """The name that every cluster has counts."""
    cluster(api, HOST)
    found = api.at("Secret", "worker-user-data", "openshift-machine-api")
    api.add({**found, "data": {"userData": "bm9uZQ=="}})
    assert call(NAME) == RIGHT


@pytest.mark.parametrize("status", [{}, {"desired": {"version": "four"}}], ids=["none", "no version"])
def test_a_cluster_whose_release_is_not_known_is_waited_for(api: FakeApi, status: Json) -> None:
    """A repair of the wrong release would break it."""
    cluster(api, "other.example")
    api.add({"kind": "ClusterVersion", "metadata": {"name": "version"}, "status": status})
    assert call(NAME)["outcome"] == "wait"
    assert api.changes == []
