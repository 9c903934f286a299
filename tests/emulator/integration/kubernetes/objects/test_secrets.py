"""Typed Secrets: the keys that they must have, and a type that cannot change."""

import httpx
import pytest

from emulator.json_object import Json

MERGE = {"Content-Type": "application/merge-patch+json"}


def _secret(kind: str, **data: str) -> Json:
    texts = {name.replace("_", "."): text for name, text in data.items()}
    head = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own"}}
    return head | {"type": kind} | ({"stringData": texts} if texts else {})


@pytest.mark.parametrize(
    ("body", "want"),
    [
        (_secret("kubernetes.io/tls"), ["data[tls.crt]", "data[tls.key]"]),
        (_secret("kubernetes.io/tls", tls_crt="x"), ["data[tls.key]"]),
        (_secret("kubernetes.io/dockerconfigjson", other="{}"), ["data[.dockerconfigjson]"]),
    ],
    ids=["tls", "no-key", "pull-secret"],
)
def test_a_secret_without_what_its_type_holds_is_refused(
    admin: httpx.Client, namespace: str, body: Json, want: list[str]
) -> None:
    """The error names each missing key; the values of the other keys are not checked."""
    answer = admin.post(f"/api/v1/namespaces/{namespace}/secrets", json=body)

    assert answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    causes = answer.json()["details"]["causes"]
    assert [(one["field"], one["reason"]) for one in causes] == [(field, "FieldValueRequired") for field in want]


def test_a_secret_keeps_its_type(admin: httpx.Client, namespace: str) -> None:
    """A replacement without a type asks for the default type, so it is refused too."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    body = _secret("kubernetes.io/tls", tls_crt="x", tls_key="y")
    admin.post(path, json=body).raise_for_status()

    patched = admin.patch(f"{path}/own", json={"type": "Opaque"}, headers=MERGE)
    replaced = admin.put(f"{path}/own", json={name: value for name, value in body.items() if name != "type"})

    for answer in (patched, replaced):
        assert answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
        assert [one["field"] for one in answer.json()["details"]["causes"]][:1] == ["type"]
        assert "field is immutable" in answer.json()["message"]
