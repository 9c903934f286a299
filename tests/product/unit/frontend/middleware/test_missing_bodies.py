"""A body that did not arrive is never read as one that has nothing in it. The host drops bodies sent in chunks."""

import re
from typing import Any

import pytest

from frontend.bodies import Body
from frontend.callers.caller import Caller
from frontend.messages import Route
from frontend.routes import ROUTES
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.world import SUBSCRIPTION, World, admin_certificate

VALUES = {
    "subscriptionId": SUBSCRIPTION,
    "resourceGroupName": "Customer",
    "resourceProviderNamespace": "Microsoft.RedHatOpenShift",
    "resourceType": "openShiftClusters",
    "resourceName": "C1",
    "location": "eastus",
    "digest": "0" * 64,
    "siteName": "edge-1",
    "operationId": SUBSCRIPTION,
}
TAKING = [(route, method) for route in ROUTES for method, verb in route.verbs.items() if verb.takes]
OTHERS = [
    (route, method)
    for route in ROUTES
    for method, verb in route.verbs.items()
    if method in ("PUT", "PATCH", "POST") and not verb.takes
]


def send(world: World, route: Route, method: str, raw: bytes = b"", **headers: str) -> tuple[int, str, str]:
    """Send a request of a route; return the status, and the code and message of the error."""
    path = "/" + re.sub(r"\{(\w+)\}", lambda found: VALUES.get(found[1], "x"), route.template)
    certificate = admin_certificate() if route.caller is Caller.ADMIN else None
    reply = world.send(
        method,
        path,
        raw,
        api_version=VERSIONS[-1] if route.versioned else "",
        certificate=certificate,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    error: dict[str, Any] = reply.body.get("error", {}) if isinstance(reply.body, dict) else {}
    return reply.status, error.get("code", ""), error.get("message", "")


def named(pair: tuple[Route, str]) -> str:
    """Return the name of a case."""
    return f"{pair[1]} {pair[0].name}"


def test_every_write_takes_a_body() -> None:
    """All that is not an action."""
    writes = {(route.name, method) for route in ROUTES for method in ("PUT", "PATCH") if method in route.verbs}
    assert writes <= {(route.name, method) for route, method in TAKING}


@pytest.mark.parametrize("asked", TAKING, ids=named)
def test_a_body_that_is_missing_is_refused_by_every_route_that_takes_one(
    world: World, asked: tuple[Route, str]
) -> None:
    """Nothing begins, and the message says what to send. One that was sent in chunks gets HTTP's own status for it."""
    route, method = asked
    takes = route.verbs[method].takes
    kind = "application/gzip" if takes is Body.ARCHIVE else "application/json"
    status, code, message = send(world, route, method)
    if route.name == "http_preflight":
        assert (status, code) == (200, "InvalidRequestContent")
    else:
        assert (status, code) == (400, "InvalidRequestContent")
    assert "The request has no body" in message
    assert ("{}" in message) == (takes is Body.OPTIONS)
    status, code, message = send(world, route, method, content_type=kind, transfer_encoding="chunked")
    assert (status, code) == (200 if route.name == "http_preflight" else 411, "LengthRequired")
    assert "Content-Length" in message
    assert not world.cosmos["AsyncOperations"].documents


@pytest.mark.parametrize("asked", OTHERS, ids=named)
def test_an_action_without_options_needs_no_body(world: World, asked: tuple[Route, str]) -> None:
    """The SDKs send none, or an empty one."""
    for raw in (b"", b"{}"):
        status, code, _ = send(world, *asked, raw)
        assert (status, code) not in {(400, "InvalidRequestContent"), (411, "LengthRequired")}


def test_null_is_no_options(world: World) -> None:
    """It is JSON, and says nothing."""
    [route] = [one for one in ROUTES if one.name == "http_sre_site_plan_run"]
    status, code, message = send(world, route, "POST", b"null")
    assert (status, code) == (400, "InvalidRequestContent")
    assert "must be a JSON object" in message
