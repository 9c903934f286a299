"""A page of another site cannot use an operator's certificate, which browsers add by themselves."""

from collections.abc import Mapping

import pytest

from frontend.messages import Route
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.middleware.test_host import certificate_for, every_route, path_of
from tests.product.unit.frontend.world import CLUSTER, World, admin_certificate, body

OTHER_SITES: dict[str, Mapping[str, str]] = {
    "another site": {"sec-fetch-site": "cross-site"},
    "another host of the same site": {"sec-fetch-site": "same-site"},
    "a value that this build does not know": {"sec-fetch-site": "same-planet"},
    "an older browser's other origin": {"origin": "https://evil.example"},
    "an older browser's other port": {"origin": "https://rp.example:8443"},
    "an older browser's other scheme": {"origin": "http://rp.example"},
    "an older browser's page without an origin": {"origin": "null"},
}
OWN_PAGES: dict[str, Mapping[str, str]] = {
    "no browser": {},
    "the service's page": {"sec-fetch-site": "same-origin", "origin": "https://rp.example"},
    "an address that somebody has typed": {"sec-fetch-site": "none"},
    "an older browser's page of the service": {"origin": "https://rp.example"},
    "an origin in another case": {"origin": "https://RP.example"},
}


@every_route
def test_a_page_of_another_site_is_refused_on_every_route(world: World, route: Route) -> None:
    """For every verb, whosever certificate the browser has, before anything is read or written."""
    for headers in OTHER_SITES.values():
        for method in (*route.verbs, "OPTIONS"):
            for certificate in (admin_certificate(), b""):
                reply = world.send(method, path_of(route), headers=headers, certificate=certificate)
                assert (reply.status, reply.body["error"]["code"]) == (403, "Forbidden"), (method, headers)
                assert "another site" in reply.body["error"]["message"]


@every_route
@pytest.mark.parametrize("headers", OWN_PAGES.values(), ids=OWN_PAGES)
def test_the_own_page_and_programs_are_answered_as_before(
    world: World, route: Route, headers: Mapping[str, str]
) -> None:
    """The guard asks who made the browser send the request, and nothing else."""
    certificate = certificate_for(route)
    plain = world.send("OPTIONS", path_of(route), certificate=certificate)
    marked = world.send("OPTIONS", path_of(route), headers=headers, certificate=certificate)
    assert (marked.status, marked.body) == (plain.status, plain.body)


@pytest.mark.parametrize("headers", OTHER_SITES.values(), ids=OTHER_SITES)
def test_arm_passes_on_the_headers_of_the_azure_portal(world: World, headers: Mapping[str, str]) -> None:
    """ARM keeps all headers of its callers but a few, and no browser has its certificate."""
    assert world.send("PUT", CLUSTER, body(), headers=headers).status == 201


def test_a_look_alike_of_arm_does_not_pass(world: World) -> None:
    """What tells ARM from others is its certificate, never a header."""
    sent = {"origin": "https://portal.azure.com", "referer": f"https://management.azure.com{CLUSTER}"}
    assert world.send("GET", CLUSTER, headers=sent, certificate=admin_certificate()).status == 403


def test_a_token_is_not_sent_by_itself(own: CallersWorld) -> None:
    """Where callers have tokens, a page of another site has none, so nothing is refused for what a browser marks."""
    marked = {"sec-fetch-site": "cross-site", "origin": "https://evil.example"}
    assert own.call("GET", CLUSTER, headers=marked).status == own.call("GET", CLUSTER).status
