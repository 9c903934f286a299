"""Certificate requests: who asked, and who decides."""

import base64
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from tests.emulator.integration.kubernetes.servers import Api

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
APPROVED = {"type": "Approved", "status": "True", "reason": "Tested", "message": "It is well."}


@pytest.fixture
def request_name(admin: httpx.Client, namespace: str) -> str:
    """Ask for a certificate; return the name of the request."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "somebody")])
    built = x509.CertificateSigningRequestBuilder().subject_name(name)
    pem = built.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()).public_bytes(Encoding.PEM)
    spec = {
        "request": base64.b64encode(pem).decode(),
        "signerName": "example.com/signer",
        "usages": ["client auth"],
        "username": "system:node:other",
    }
    body = {"metadata": {"name": f"{namespace}-request"}, "spec": spec}
    created = admin.post(REQUESTS, json=body).raise_for_status().json()
    assert created["spec"]["username"] == "admin"
    assert {"system:masters", "system:authenticated"} <= set(created["spec"]["groups"])
    return str(created["metadata"]["name"])


def _decide(client: httpx.Client, name: str, *conditions: dict[str, str]) -> httpx.Response:
    known = client.get(f"{REQUESTS}/{name}").json()
    known["spec"]["usages"], known["status"] = ["server auth"], {"conditions": list(conditions), "certificate": "eA=="}
    return client.put(f"{REQUESTS}/{name}/approval", json=known)


def test_an_approval_changes_nothing_but_the_decision(admin: httpx.Client, request_name: str) -> None:
    """The server notes when; what was asked stays as it is, and nobody slips a certificate in."""
    found: dict[str, Any] = _decide(admin, request_name, APPROVED).raise_for_status().json()

    assert found["spec"]["usages"] == ["client auth"]
    assert "certificate" not in found["status"]
    (condition,) = found["status"]["conditions"]
    assert APPROVED.items() <= condition.items()
    assert {"lastUpdateTime", "lastTransitionTime"} <= condition.keys()


@pytest.mark.parametrize("conditions", [(), (APPROVED, APPROVED | {"type": "Denied"})], ids=["none", "both"])
def test_a_decision_is_not_taken_back(admin: httpx.Client, request_name: str, conditions: Any) -> None:
    """Nor is its opposite added."""
    _decide(admin, request_name, APPROVED).raise_for_status()

    assert _decide(admin, request_name, *conditions).status_code == 422


def test_a_status_decides_nothing(admin: httpx.Client, request_name: str) -> None:
    """Only the subresource for approvals does."""
    known = admin.get(f"{REQUESTS}/{request_name}").json() | {"status": {"conditions": [APPROVED]}}

    found = admin.put(f"{REQUESTS}/{request_name}/status", json=known)

    assert (found.status_code, found.json()["details"]["causes"]) == (
        422,
        [
            {
                "reason": "FieldValueForbidden",
                "message": 'Forbidden: updates may not add a condition of type "Approved"',
                "field": "status.conditions",
            }
        ],
    )


def test_who_decides_needs_a_right_to_the_signer(api: Api, admin: httpx.Client, request_name: str) -> None:
    """Writing the subresource alone is not enough."""
    rules = [{"apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests/approval"]}]
    rules = [rule | {"verbs": ["update"]} for rule in rules]
    rules.append({"apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests"], "verbs": ["get"]})
    name, roles = f"{request_name}-role", "/apis/rbac.authorization.k8s.io/v1/clusterrole"
    admin.post(f"{roles}s", json={"metadata": {"name": name}, "rules": rules}).raise_for_status()
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": request_name}
    binding = {"metadata": {"name": name}, "roleRef": ref, "subjects": [subject]}
    admin.post(f"{roles}bindings", json=binding).raise_for_status()

    answer = _decide(api.client(request_name), request_name, APPROVED)

    assert answer.status_code == 403
    assert "not permitted to approve requests" in answer.json()["message"]
