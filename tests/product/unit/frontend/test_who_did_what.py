"""The log says who changed what, and who was refused, under the request's correlation id, and tells no secret."""

import logging
from typing import Any
from urllib.parse import quote

import pytest

from frontend.callers.rights import READ_EACH, Open
from frontend.messages import Route
from frontend.routes import ROUTES
from tests.product.unit.frontend.callers.test_rights import version_of
from tests.product.unit.frontend.callers_world import APPLICATION, USER, CallersWorld, application_token, token
from tests.product.unit.frontend.middleware.test_host import path_of
from tests.product.unit.frontend.world import Authority, World, admin_certificate

VERBS = [
    pytest.param(route, method, id=f"{method} {route.name}")
    for route in ROUTES
    if route.only is None
    for method, verb in route.verbs.items()
    if verb.needs is not Open.ANYBODY
]
CORRELATION = "dddddddd-1111-0000-0000-000000000001"
CANARY = "canary-of-a-body"


def line(caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    """Return the one line of a request in the log of requests."""
    (found,) = [each for each in caplog.records if each.name == "frontend.access" and " -> " in each.getMessage()]
    return found


def ask(own: CallersWorld, caplog: pytest.LogCaptureFixture, route: Route, method: str, **more: Any) -> str:
    """Send a request; return its line, which has to name verb, path and correlation, and no secret."""
    caplog.set_level(logging.DEBUG)
    headers = {"x-ms-client-request-id": CORRELATION}
    reply = own.call(method, path_of(route), {"properties": {"secret": CANARY}}, headers=headers, **more)
    record = line(caplog)
    text = record.getMessage()
    assert text.startswith(f"{method} {quote(path_of(route))} -> {reply.status} in ")
    assert vars(record)["correlation_id"] == reply.headers["x-ms-correlation-request-id"]
    everything = " ".join(f"{each.getMessage()} {vars(each)}" for each in caplog.records)
    assert CANARY not in everything
    assert not more.get("token") or more["token"] not in everything
    return text


@pytest.mark.parametrize(("route", "method"), VERBS)
def test_every_request_names_its_caller(
    own: CallersWorld, caplog: pytest.LogCaptureFixture, route: Route, method: str
) -> None:
    """By the object id, which nobody can change; below `/sre`, too."""
    sent = token(roles=["OperatorAdmin"])
    assert f", by User {USER}" in ask(own, caplog, route, method, token=sent)


@pytest.mark.parametrize(("route", "method"), VERBS)
def test_every_refusal_names_its_caller(
    own: CallersWorld, caplog: pytest.LogCaptureFixture, route: Route, method: str
) -> None:
    """Of somebody who may nothing."""
    own.rights.nothing = True
    text = ask(own, caplog, route, method, token=application_token(), api_version=version_of(route.name))
    assert f", by Application {APPLICATION}" in text
    is_open = route.verbs[method].needs in (READ_EACH, Open.SIGNED_IN)
    assert (" -> 403 in " in text) is not is_open


@pytest.mark.parametrize("sent", ["", "no-token-of-anybody"], ids=["no token", "a token that is none"])
def test_who_is_not_known_is_not_named(own: CallersWorld, caplog: pytest.LogCaptureFixture, sent: str) -> None:
    """There is nobody to name."""
    text = ask(own, caplog, next(route for route in ROUTES if route.name == "http_cluster"), "PUT", token=sent)
    assert " -> 401 in " in text
    assert ", by " not in text


def test_operators_with_certificates_are_told_apart_by_serial_number(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """All of them have one common name. A certificate that is refused is named, too, on one line."""
    caplog.set_level(logging.INFO)
    world.send("GET", "/sre/healthz/ready", api_version="", certificate=admin_certificate())
    accepted = line(caplog).getMessage()
    caplog.clear()
    stranger = Authority("stranger").leaf("sre\nGET /x -> 200 in 1 ms")
    world.send("GET", "/sre/healthz/ready", api_version="", certificate=stranger)
    refused = line(caplog).getMessage()
    assert " -> 200 in " in accepted
    assert ", by Certificate " in accepted
    assert accepted.rpartition(" of ")[2].startswith("CN=sre")
    assert " -> 403 in " in refused
    assert ", by Certificate " in refused
    assert "\n" not in refused
