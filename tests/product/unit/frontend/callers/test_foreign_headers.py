"""Where callers reach the service themselves, what only ARM or the platform may write changes nothing."""

import base64
import json
import re
import uuid
from typing import Any

import pytest

from frontend.middleware.entra.foreign_headers import FOREIGN
from tests.product.unit.frontend.callers_world import APPLICATION, PUBLIC_URL, USER, CallersWorld, application_token
from tests.product.unit.frontend.world import (
    CLUSTER,
    CLUSTERS,
    GROUP,
    LOCATION,
    NEW,
    NOW,
    SUBSCRIPTION,
    admin_certificate,
    arm_certificate,
    body,
)

HEADERS = {
    "x-arr-clientcert": base64.b64encode(arm_certificate()).decode(),
    "x-ms-client-principal": base64.b64encode(json.dumps({"claims": []}).encode()).decode(),
    "x-ms-client-principal-id": APPLICATION,
    "x-ms-client-principal-name": "bob@example.com",
    "x-ms-client-principal-idp": "aad",
    "x-ms-arm-resource-system-data": json.dumps({"createdBy": "bob", "lastModifiedBy": "bob"}),
    "x-ms-arm-network-source": "PublicNetwork",
    "x-ms-arm-signed-user-token": "x",
    "x-ms-identity-principal-id": APPLICATION,
    "x-ms-identity-url": "https://attacker.example.com",
    "x-ms-home-tenant-id": SUBSCRIPTION,
    "x-ms-client-object-id": APPLICATION,
    "x-ms-client-tenant-id": SUBSCRIPTION,
    "x-ms-client-app-id": APPLICATION,
    "referer": f"https://attacker.example.com{CLUSTERS}/other?api-version={NEW}",
    "disguised-host": "attacker.example.com",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "attacker.example.com",
    "x-forwarded-proto": "http",
    "host": "attacker.example.com/a?b=",
}
each_header = pytest.mark.parametrize("name", HEADERS)
# What differs from one request to the next.
_OWN = ("X-Ms-Request-Id", "x-ms-correlation-request-id")


def story(own: CallersWorld, headers: dict[str, str]) -> list[Any]:
    """Create, change, read, list, poll and delete a cluster; return replies and documents, without random ids."""
    created = own.call("PUT", CLUSTER, body(), headers=headers)
    operation_id = own.document["asyncOperationId"]
    replies = [
        created,
        own.call("GET", CLUSTER, headers=headers),
        own.call("GET", CLUSTERS, headers=headers),
        own.call("GET", f"{LOCATION}/operationsstatus/{operation_id}", headers=headers),
        own.call("GET", f"{LOCATION}/operationresults/{operation_id}", headers=headers),
    ]
    own.finish()
    replies.append(own.call("PATCH", CLUSTER, {"tags": {"team": "two"}}, headers=headers))
    own.finish()
    replies += [
        own.call("DELETE", CLUSTER, headers=headers),
        own.call("GET", f"/sre{CLUSTER}/operations/{operation_id}", headers=headers),
        own.call("GET", CLUSTER, token="", headers=headers),
        own.call("GET", "/foo", headers=headers),
    ]
    documents = [list(container.documents.values()) for container in own.cosmos.values()]
    seen = [[reply.status, reply.body, {k: v for k, v in reply.headers.items() if k not in _OWN}] for reply in replies]
    found: list[Any] = without_ids([seen, json.loads(json.dumps(documents, default=str))])
    return found


def without_ids(value: Any, known: dict[str, str] | None = None) -> Any:
    """Number the random ids in the order in which they come."""
    known = {} if known is None else known
    if isinstance(value, dict):
        kept = {
            name: each
            for name, each in value.items()
            if name not in ("_etag", "_ts", "requestTime", "endTime", "bucket")
        }
        return {without_ids(name, known): without_ids(each, known) for name, each in kept.items()}
    if isinstance(value, list):
        return [without_ids(each, known) for each in value]
    if isinstance(value, str):
        for found in [word for word in re.split("[?/]|-request|-plan", value) if is_id(word)]:
            value = value.replace(found, known.setdefault(found, f"<id {len(known)}>"))
    return value


def is_id(text: str) -> bool:
    """Tell whether a text is a random id."""
    try:
        return uuid.UUID(text).version == 4 and text not in (USER, APPLICATION)
    except ValueError:
        return False


PLAIN = story(CallersWorld(), {})


@each_header
def test_a_header_that_is_not_the_callers_to_write_changes_nothing(own: CallersWorld, name: str) -> None:
    """Neither a reply nor a document."""
    assert story(own, {name: HEADERS[name]}) == PLAIN


def test_all_of_them_together_change_nothing(own: CallersWorld) -> None:
    """Not even with an operator's certificate."""
    certificate = base64.b64encode(admin_certificate()).decode()
    assert story(own, HEADERS | {"x-arr-clientcert": certificate}) == PLAIN


def test_the_headers_of_the_table_are_these() -> None:
    """In the words of the design: names, and beginnings of names."""
    assert FOREIGN == (
        "disguised-host",
        "host",
        "referer",
        "x-arr-clientcert",
        "x-forwarded-*",
        "x-ms-arm-*",
        "x-ms-client-*",
        "x-ms-client-principal*",
        "x-ms-home-tenant-id",
        "x-ms-identity-*",
    )


def test_links_begin_with_the_address_in_the_settings(own: CallersWorld) -> None:
    """They have the path and the version of the request."""
    reply = own.call("PUT", CLUSTER, body())
    operation_id = own.document["asyncOperationId"]
    poll = f"{PUBLIC_URL}{LOCATION}/operationsstatus/{operation_id}?api-version={NEW}"
    assert reply.headers["Azure-AsyncOperation"] == poll
    result = own.call("GET", f"{LOCATION}/operationresults/{operation_id}")
    assert result.headers["Location"] == f"{PUBLIC_URL}{LOCATION}/operationresults/{operation_id}?api-version={NEW}"


def test_the_service_makes_the_correlation_id_and_the_callers_becomes_the_clients(own: CallersWorld) -> None:
    """So that nobody can write under the id of another's request."""
    sent = {"x-ms-correlation-request-id": "theirs", "x-ms-return-client-request-id": "true"}
    reply = own.call("PUT", CLUSTER, body(), headers=sent)
    made = reply.headers["x-ms-correlation-request-id"]
    assert uuid.UUID(made).version == 4
    assert reply.headers["x-ms-client-request-id"] == "theirs"
    stored = own.document["correlationData"]
    assert (stored["correlationId"], stored["clientRequestId"]) == (made, "theirs")


def test_a_client_request_id_of_the_caller_stays(own: CallersWorld) -> None:
    """It comes before the correlation id."""
    sent = {"x-ms-correlation-request-id": "theirs", "x-ms-client-request-id": "client"}
    own.call("PUT", CLUSTER, body(), headers=sent)
    assert own.document["correlationData"]["clientRequestId"] == "client"


def test_system_data_comes_from_the_token(own: CallersWorld) -> None:
    """Who created a cluster stays, whoever changes it, and whatever a body says."""
    first = own.call("PUT", CLUSTER, body() | {"systemData": {"createdBy": "bob"}}).body["systemData"]
    assert first == {
        "createdBy": "ann@example.com",
        "createdByType": "User",
        "createdAt": "2026-03-01T12:00:00Z",
        "lastModifiedBy": "ann@example.com",
        "lastModifiedByType": "User",
        "lastModifiedAt": "2026-03-01T12:00:00Z",
    }
    own.finish()
    own.now = NOW.replace(hour=13)
    changes = {"tags": {"team": "two"}, "systemData": {"lastModifiedBy": "bob"}}
    second = own.call("PATCH", CLUSTER, changes, token=application_token()).body["systemData"]
    assert second == first | {
        "lastModifiedBy": APPLICATION,
        "lastModifiedByType": "Application",
        "lastModifiedAt": "2026-03-01T13:00:00Z",
    }


def test_an_id_has_the_group_of_the_path(own: CallersWorld) -> None:
    """And nothing from a header."""
    assert own.call("PUT", CLUSTER, body(), headers=HEADERS).body["id"] == CLUSTER
    assert own.document["key"].startswith(GROUP.lower())
