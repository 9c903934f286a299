"""Which requests of kubelets a start approves: exactly those that a kubelet of its own machines would send."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from shared.json_object import Json
from shared.openshift.kubelet_requests import Start, approvals, internal_names, pending, refusal
from tests.product.unit.openshift.kubelet_csr import ACCOUNTS, NAMESPACE, pem, request

NODE, OTHER = "c1-worker-1", "c1-worker-2"
BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = BEGAN + timedelta(minutes=5)
NAMES = frozenset({NODE, OTHER})
START = Start("op-1", BEGAN, started=NAMES, nodes=NAMES, machines=NAMES)


def names(found: list[Json]) -> list[str]:
    """Return the names of requests."""
    return [each["metadata"]["name"] for each in found]


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"usages": ["key encipherment", "client auth", "digital signature"]},
        {"groups": [f"{ACCOUNTS}:{NAMESPACE}", "system:authenticated"]},
    ],
    ids=["of a new kubelet", "of an older kubelet", "of a master"],
)
def test_a_kubelets_request_is_approved(spec: Json) -> None:
    """The condition names the operation, and the request stays as it was."""
    asked = request(NODE, made=LATER, **spec)
    (approved,) = approvals([asked], START)
    (condition,) = approved["status"]["conditions"]
    assert (condition["type"], condition["status"], "op-1" in condition["message"]) == ("Approved", "True", True)
    assert approved["spec"] == asked["spec"]


def organization(name: str) -> "x509.NameAttribute[str]":
    """Make one more organization."""
    return x509.NameAttribute(NameOID.ORGANIZATION_NAME, name)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"signerName": "kubernetes.io/kubelet-serving"}, "another signer"),
        ({"signerName": "kubernetes.io/kube-apiserver-client"}, "another signer"),
        ({"username": f"system:node:{NODE}"}, "another requester"),
        ({"username": f"system:serviceaccount:{NAMESPACE}:default"}, "another requester"),
        ({"groups": ["system:authenticated"]}, "other groups"),
        ({"groups": [f"{ACCOUNTS}:{NAMESPACE}", "system:authenticated", "system:masters"]}, "other groups"),
        ({"groups": None}, "other groups"),
        ({"usages": ["client auth"]}, "other usages"),
        ({"usages": ["digital signature", "client auth", "server auth"]}, "other usages"),
        ({"request": pem(NODE, "system:masters")}, "another subject"),
        ({"request": pem(NODE, more=(organization("system:masters"),))}, "another subject"),
        ({"request": pem(NODE, more=(x509.NameAttribute(NameOID.COMMON_NAME, "admin"),))}, "another subject"),
        ({"request": pem(NODE, more=(x509.NameAttribute(NameOID.LOCALITY_NAME, "x"),))}, "another subject"),
        ({"request": pem(NODE, sans=(NODE,))}, "another subject"),
        ({"request": base64.b64encode(b"nothing").decode()}, "another subject"),
        ({"request": "?"}, "another subject"),
        ({"request": None}, "another subject"),
    ],
)
def test_one_that_differs_in_anything_is_left_alone(spec: Json, why: str) -> None:
    """The reason is the first thing that differs."""
    asked = request(NODE, made=LATER, **spec)
    assert refusal(asked, START) == why
    assert approvals([asked], START) == []


@pytest.mark.parametrize(
    ("start", "why"),
    [
        ({"nodes": frozenset({OTHER})}, "no such node"),
        ({"machines": frozenset({OTHER})}, "no such machine"),
        ({"started": frozenset({OTHER})}, "a machine that this start has not started"),
        ({"began": LATER + timedelta(seconds=1)}, "older than the start"),
    ],
)
def test_one_of_another_machine_is_left_alone(start: dict[str, Any], why: str) -> None:
    """Whoever has the credential of new machines may ask for any name."""
    assert refusal(request(NODE, made=LATER), Start(**{**vars(START), **start})) == why


def test_a_request_that_was_changed_after_it_was_signed_is_left_alone() -> None:
    """Its signature does not fit."""
    text = base64.b64decode(pem(NODE)).decode().replace("\n", "")
    body = base64.b64decode(text.split("-----")[2])
    forged = body.replace(NODE.encode(), OTHER.encode())
    block = base64.encodebytes(forged).decode()
    whole = f"-----BEGIN CERTIFICATE REQUEST-----\n{block}-----END CERTIFICATE REQUEST-----\n"
    asked = request(NODE, made=LATER, request=base64.b64encode(whole.encode()).decode())
    assert refusal(asked, START) == "another subject"


def test_no_more_than_three_are_approved_for_a_node() -> None:
    """The oldest, counting those that this start has approved before; those of another operation do not count."""
    asked = [request(NODE, f"csr-{number}", LATER + timedelta(seconds=number)) for number in range(5)]
    asked.append(request(OTHER, "csr-other", LATER))
    first = approvals(asked, START)
    assert names(first) == ["csr-0", "csr-other", "csr-1", "csr-2"]
    approved = {each["metadata"]["name"]: each for each in first}
    now = [approved.get(each["metadata"]["name"], each) for each in asked]
    assert approvals(now, START) == []
    assert names(approvals(now, Start(**{**vars(START), "operation_id": "op-2"}))) == ["csr-3", "csr-4"]


def test_one_that_somebody_has_denied_stays_denied() -> None:
    """It has its condition."""
    denied = request(NODE, made=LATER) | {"status": {"conditions": [{"type": "Denied", "status": "True"}]}}
    assert approvals([denied], START) == []
    assert pending([denied, request(NODE, "csr-2")]) == ["'csr-2'"]


def test_machines_are_known_by_their_internal_names() -> None:
    """Other addresses, and machines without any, say nothing."""
    addresses = [{"type": "InternalIP", "address": "10.0.0.4"}, {"type": "InternalDNS", "address": NODE}]
    assert internal_names([{"status": {"addresses": addresses}}, {}]) == {NODE}
