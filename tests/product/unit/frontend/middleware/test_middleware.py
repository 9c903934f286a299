"""The chain: who is admitted, in which order checks run, and what every reply has."""

import base64
import gzip
import json
import logging
import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from frontend.middleware import chain
from shared.azure.arm_certificates import ClientCertificate
from shared.settings import Callers
from tests.product.unit.frontend.world import (
    CLUSTER,
    NOW,
    SUBSCRIPTION,
    Authority,
    World,
    admin_certificate,
    arm_certificate,
    authority,
    body,
)

SRE = f"{CLUSTER}/operations/{SUBSCRIPTION}"


def test_authentication_comes_before_all_checks_but_one() -> None:
    """A certificate that a page of another site uses proves nothing. The others before it only record and render."""
    names = [middleware.__name__ for middleware in chain.CHAINS[Callers.ARM]]
    assert names == [
        "log",
        "headers",
        "panic",
        "cross_site",
        "authenticate",
        "host",
        "served",
        "method",
        "draining",
        "lowercase",
        "path",
        "referer",
        "api_version",
        "body",
        "system_data",
        "subscription",
    ]


@pytest.mark.parametrize(
    ("method", "path", "api_version", "content"),
    [
        pytest.param("GET", CLUSTER.replace(SUBSCRIPTION, "x"), "2025-07-25", None, id="a bad id"),
        pytest.param("GET", CLUSTER, "nonsense", None, id="a bad version"),
        pytest.param("PUT", CLUSTER, "2025-07-25", b"{" * 2_000_000, id="a huge body"),
        pytest.param("POST", CLUSTER, "2025-07-25", None, id="a bad verb"),
    ],
)
def test_a_stranger_learns_nothing_from_what_is_wrong(
    world: World, method: str, path: str, api_version: str, content: Any
) -> None:
    """Whatever else is wrong, the answer is 403."""
    reply = world.send(method, path, content, api_version=api_version, certificate=b"")
    assert (reply.status, reply.body["error"]["code"]) == (403, "Forbidden")


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("", id="nothing"),
        pytest.param("%%%", id="no base64"),
        pytest.param(base64.b64encode(b"x").decode(), id="no certificate"),
        pytest.param("é", id="no ASCII"),
        pytest.param(base64.b64encode(Authority("arm").leaf("arm")).decode(), id="a look-alike of ARM's"),
        pytest.param(base64.b64encode(admin_certificate()).decode(), id="an operator's"),
    ],
)
def test_only_arms_own_certificate_passes_as_arm(world: World, header: str) -> None:
    """They are compared byte for byte, so it does not matter who signed a look-alike."""
    assert world.send("GET", CLUSTER, headers={"x-arr-clientcert": header}).status == 403


def test_the_drill_of_arms_certificates(world: World) -> None:
    """ARM publishes the next one before it uses it: both pass, and the former no longer once it is gone."""
    upcoming = Authority("arm").leaf("arm")
    world.arm_certificates.append(ClientCertificate(upcoming, NOW - timedelta(hours=1), NOW + timedelta(days=9)))
    assert world.send("GET", CLUSTER, certificate=upcoming).status == 404
    assert world.send("GET", CLUSTER, certificate=arm_certificate()).status == 404
    world.arm_certificates.pop(0)
    assert world.send("GET", CLUSTER, certificate=arm_certificate()).status == 403


@pytest.mark.parametrize("moved", [timedelta(days=2), timedelta(days=-2)])
def test_arms_certificate_passes_only_in_its_time(world: World, moved: timedelta) -> None:
    """In the time that ARM publishes, not the one in the certificate."""
    world.now += moved
    assert world.send("GET", CLUSTER).status == 403


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
def test_a_service_that_drains_begins_no_operation(world: World, verb: str) -> None:
    """Nothing is written, and clients know that they may try again; reads go on."""
    world.services = replace(world.services, settings=replace(world.services.settings, draining=True))
    reply = world.send(verb, CLUSTER, body() if verb != "DELETE" else None)
    assert (reply.status, reply.body["error"]["code"]) == (503, "ServiceUnavailable")
    assert int(reply.headers["Retry-After"]) > 0
    assert not world.cosmos["OpenShiftClusters"].documents
    assert not world.secrets.versions
    assert world.send("GET", CLUSTER).status == 404


@pytest.mark.parametrize(
    ("certificate", "want_status"),
    [
        pytest.param(admin_certificate(), 404, id="an operator is let in"),
        pytest.param(arm_certificate(), 403, id="ARM is not"),
        pytest.param(b"", 403, id="nobody is not"),
        pytest.param(authority().leaf("somebody"), 403, id="another name is not"),
        pytest.param(authority().leaf("sre", None), 403, id="a certificate without a use is not"),
        pytest.param(authority().leaf("sre", ExtendedKeyUsageOID.SERVER_AUTH), 403, id="a server is not"),
        pytest.param(authority().leaf("sre", begins=NOW - timedelta(days=5)), 403, id="one that has ended is not"),
        pytest.param(authority().leaf("sre", begins=NOW + timedelta(days=1)), 403, id="one that has not begun is not"),
        pytest.param(Authority("operators").leaf("sre"), 403, id="one of a false authority is not"),
    ],
)
def test_operators_are_known_by_their_authority_their_name_and_their_use(
    world: World, certificate: bytes, want_status: int
) -> None:
    """All three are required, and the system's roots do not count."""
    assert world.send("GET", f"/sre{SRE}", api_version="", certificate=certificate).status == want_status


def test_an_operator_is_not_arm_and_the_admin_version_is_not_arms(world: World) -> None:
    """Each certificate is valid only for its own routes."""
    assert world.send("GET", CLUSTER, certificate=admin_certificate()).status == 403
    assert world.send("GET", CLUSTER, api_version="admin").status == 403
    admin = world.send("GET", CLUSTER, api_version="admin", certificate=admin_certificate())
    assert (admin.status, admin.body["error"]["code"]) == (404, "ResourceNotFound")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("coding", ["gzip", "GZIP", "deflate", "br", "identity, gzip", "nonsense"])
def test_a_body_in_another_coding_is_not_supported(world: World, method: str, coding: str) -> None:
    """The JSON is not what is wrong. `identity` is the body as it is, and a request without a body has no coding."""
    raw = gzip.compress(json.dumps(body()).encode())
    reply = world.send(method, CLUSTER, raw, headers={"content-encoding": coding})
    assert (reply.status, reply.body["error"]["code"]) == (415, "UnsupportedMediaType")
    assert coding.lower() in reply.body["error"]["message"]
    assert world.send("PUT", CLUSTER, body(), headers={"content-encoding": "Identity"}).status == 201
    world.finish()
    assert world.send("POST", f"{CLUSTER}/listCredentials", headers={"content-encoding": coding}).status != 415


@pytest.mark.parametrize(
    ("content_type", "raw", "want_status", "want_code"),
    [
        pytest.param("text/plain", b"{}", 415, "UnsupportedMediaType", id="another type"),
        pytest.param("", b"{}", 415, "UnsupportedMediaType", id="no type"),
        pytest.param("text/plain", b"", 415, "UnsupportedMediaType", id="another type of nothing"),
        pytest.param("", b"", 400, "InvalidRequestContent", id="an empty body is not an object"),
        pytest.param("Application/JSON; charset=utf-8", b"[]", 400, "InvalidRequestContent", id="JSON with a charset"),
        pytest.param("application/json", b" " * 1_048_577, 400, "InvalidResource", id="one byte too many"),
        pytest.param("application/json", b" " * 1_048_576, 400, "InvalidRequestContent", id="as much as is allowed"),
    ],
)
def test_the_envelope_of_a_body_is_checked(
    world: World, content_type: str, raw: bytes, want_status: int, want_code: str
) -> None:
    """Its type and its size are checked before its content, and that of a PATCH if there is a cluster."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    world.finish()
    for method in ("PUT", "PATCH"):
        reply = world.send(method, CLUSTER, raw, headers={"content-type": content_type})
        assert (reply.status, reply.body["error"]["code"]) == (want_status, want_code)


def test_the_body_of_a_get_is_nobodys_business(world: World) -> None:
    """Some clients send one, which is ignored."""
    assert world.send("GET", CLUSTER, b"x" * 2_000_000, headers={"content-type": "text/plain"}).status == 404


def test_every_reply_names_its_request(world: World) -> None:
    """This includes refusals."""
    for reply in (world.send("GET", CLUSTER), world.send("GET", CLUSTER, certificate=b"")):
        assert uuid.UUID(reply.headers["X-Ms-Request-Id"])
        assert "x-ms-correlation-request-id" not in reply.headers


def test_ids_of_the_caller_are_echoed_as_the_contract_says(world: World) -> None:
    """The correlation id is always echoed, the client's request id only if the client asks for it."""
    ids = {"x-ms-correlation-request-id": "corr", "x-ms-client-request-id": "client"}
    quiet = world.send("GET", CLUSTER, headers=ids)
    assert quiet.headers["x-ms-correlation-request-id"] == "corr"
    assert "x-ms-client-request-id" not in quiet.headers
    loud = world.send("GET", CLUSTER, headers={**ids, "x-ms-return-client-request-id": "True"})
    assert loud.headers["x-ms-client-request-id"] == "client"


@pytest.mark.parametrize("value", ["a b", "x" * 129, "a\r\nSet-Cookie: x", "é"])
def test_what_is_no_id_is_neither_echoed_nor_logged(world: World, value: str, caplog: pytest.LogCaptureFixture) -> None:
    """Otherwise it would end up in headers and logs."""
    with caplog.at_level(logging.INFO):
        reply = world.send("GET", CLUSTER, headers={"x-ms-correlation-request-id": value})
    assert reply.headers["x-ms-correlation-request-id"] == reply.headers["X-Ms-Request-Id"]
    assert all(value != record.__dict__.get("correlation_id") for record in caplog.records)


def test_one_line_is_logged_for_each_request_with_its_ids(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The line also has the operation that it began."""
    with caplog.at_level(logging.INFO, "frontend.access"):
        world.send("PUT", CLUSTER, body(), headers={"x-ms-correlation-request-id": "corr"})
    (record,) = caplog.records
    assert f"PUT {CLUSTER} -> 201" in record.getMessage()
    assert record.__dict__["correlation_id"] == "corr"
    assert record.__dict__["operation_id"] == world.document["asyncOperationId"]
    assert world.document["correlationData"]["correlationId"] == "corr"


def test_an_unexpected_exception_is_a_bare_500_with_its_trace_in_the_log(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets no detail, the operator gets all of them, under the same id."""

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("canary inside")

    monkeypatch.setattr(world.cosmos["OpenShiftClusters"], "query_items", broken)
    with caplog.at_level(logging.INFO):
        reply = world.send("GET", CLUSTER, headers={"x-ms-correlation-request-id": "corr"})
    assert (reply.status, reply.body["error"]["code"]) == (500, "InternalServerError")
    assert "canary" not in reply.text()
    trace = next(record for record in caplog.records if record.exc_info)
    assert trace.__dict__["correlation_id"] == "corr"
    assert "canary inside" in caplog.text
    assert caplog.records[-1].levelno == logging.ERROR


def test_replies_are_indented_and_end_with_a_line_break(world: World) -> None:
    """People read them in terminals."""
    text = world.send("GET", CLUSTER).text()
    assert text.startswith('{\n    "error": {')
    assert text.endswith("}\n")


@pytest.mark.parametrize(
    ("content", "want_status", "want_code", "want_target"),
    [
        pytest.param([], 400, "InvalidRequestContent", "", id="no object"),
        pytest.param({}, 400, "InvalidParameter", "state", id="no state"),
        pytest.param({"state": ["x"]}, 400, "InvalidParameter", "state", id="a state that is none"),
        pytest.param(
            {"state": "Registered", "properties": 1}, 400, "InvalidRequestContent", "properties", id="bad properties"
        ),
        pytest.param(
            {"state": "Registered", "properties": {"tenantId": 1}},
            400,
            "InvalidRequestContent",
            "properties.tenantId",
            id="a tenant that is a number",
        ),
        pytest.param(
            {"state": "Registered", "properties": {"accountOwner": "ann@example.com"}},
            400,
            "InvalidRequestContent",
            "properties.accountOwner",
            id="an owner whose address could not be blanked",
        ),
    ],
)
def test_a_bad_subscription_is_refused(
    world: World, content: Any, want_status: int, want_code: str, want_target: str
) -> None:
    """ARM gets the same errors as others."""
    error = world.send("PUT", f"/subscriptions/{SUBSCRIPTION}", content, api_version="2.0")
    assert error.status == want_status
    assert (error.body["error"]["code"], error.body["error"].get("target", "")) == (want_code, want_target)


def test_a_subscription_is_stored_with_what_we_do_not_know(world: World) -> None:
    """Without the owner's email address. 201 for a new one, then 200."""
    other = SUBSCRIPTION.replace("1", "2").upper()
    content = {
        "state": "Registered",
        "properties": {"tenantId": "t", "accountOwner": {"email": "ann@example.com"}},
        "registrationDate": "today",
    }
    first = world.send("PUT", f"/subscriptions/{other}", content, api_version="")
    assert (first.status, first.body["registrationDate"]) == (201, "today")
    assert "ann@example.com" not in first.text()
    second = world.send("PUT", f"/subscriptions/{other}", {"state": "Warned"}, api_version="2.0")
    assert (second.status, second.body["state"], second.body["registrationDate"]) == (200, "Warned", "today")
    assert second.body["properties"]["tenantId"] == "t"


def test_a_report_keeps_what_it_leaves_out_of_the_subscriptions_properties(world: World) -> None:
    """ARM, or a newer build, may have stored members that this build does not know."""
    path = f"/subscriptions/{SUBSCRIPTION}"
    feature = {"name": "Microsoft.RedHatOpenShift/one", "state": "Registered"}
    known = {
        "tenantId": "t",
        "quotaId": "q",
        "registeredFeatures": [feature],
        "managed": {"by": "one", "since": "then"},
    }
    assert world.send("PUT", path, {"state": "Registered", "properties": known}).status == 200
    later = {"tenantId": "u", "registeredFeatures": [], "managed": {"by": "two"}}
    assert world.send("PUT", path, {"state": "Warned", "properties": later}).body == {
        "state": "Warned",
        "properties": {**later, "quotaId": "q", "managed": {"by": "two", "since": "then"}},
    }


def test_a_deleted_subscription_stays_deleted(world: World) -> None:
    """The clusters that it leaves are marked for deletion."""
    path = f"/subscriptions/{SUBSCRIPTION}"
    assert world.send("PUT", path, {"state": "Deleted"}).status == 200
    assert world.cosmos["Subscriptions"].documents[SUBSCRIPTION, SUBSCRIPTION]["deleting"] is True
    back = world.send("PUT", path, {"state": "Registered"})
    assert (back.status, back.body["error"]["code"]) == (400, "InvalidSubscriptionState")


def test_a_reply_is_json_whatever_a_client_sent(world: World) -> None:
    """Messages contain names from customers."""
    reply = world.send("GET", f"{CLUSTER}%22%0a")
    assert json.loads(reply.text())["error"]["code"] == "ResourceNotFound"
