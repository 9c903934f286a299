"""The table of routes."""

import itertools
import re

import pytest

from frontend.callers.caller import Caller
from frontend.messages import Route, load
from frontend.middleware.path import PATH_CHECKS
from frontend.routes import ROUTES
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, GROUP, LOCATION, SUBSCRIPTION, World, admin_certificate

UNKNOWN = [route for route in ROUTES if not route.verbs]


def test_handlers_that_are_imported_with_their_first_call_exist() -> None:
    """Otherwise a misspelled one would be a 500 in production."""
    named = [verb.handler for route in ROUTES for verb in route.verbs.values() if isinstance(verb.handler, str)]
    assert named
    for name in named:
        assert load(name).__doc__, name


def test_the_first_line_of_a_handler_says_which_request_it_answers() -> None:
    """The name of most handlers is only a verb. The line is also the summary in the OpenAPI documents."""
    wrong = [
        f"{route.name} {method}: {first}"
        for route in ROUTES
        for method, verb in route.verbs.items()
        for first in [(load(verb.handler).__doc__ or "").strip().partition("\n")[0]]
        if not re.fullmatch(rf"Answer {method} of [^:]+: .+", first)
    ]
    assert not wrong


def segments(route: Route) -> list[str]:
    """Return the segments of a template."""
    return route.template.lower().split("/")


def test_no_two_templates_fit_one_path() -> None:
    """The host takes the first that fits, in the order of names; a literal does not beat a parameter."""
    for one, other in itertools.combinations([route for route in ROUTES if route.verbs], 2):
        pairs = list(zip(segments(one), segments(other), strict=False))
        fits = len(segments(one)) == len(segments(other)) and all(a == b or "{" in a + b for a, b in pairs)
        # A subscription's list of clusters and the list of operations differ in length; no other two are similar.
        assert not fits, f"{one.name} and {other.name}"


def test_the_routes_of_unknown_paths_come_after_those_that_they_would_hide() -> None:
    """The last one takes every path that no other template fits."""
    for catch_all in UNKNOWN:
        prefix = catch_all.template.removesuffix("{*path}")
        hidden = [route.name for route in ROUTES if route.template.startswith(prefix) and route is not catch_all]
        assert max(hidden) < catch_all.name
    assert [route.template for route in UNKNOWN if route.caller is Caller.ARM] == ["{*path}"]


def test_the_host_accepts_every_route() -> None:
    """The host drops functions whose names or routes it does not accept."""
    for route in ROUTES:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,127}", route.name)
        assert not route.template.startswith(("admin", "runtime", "/"))
    assert len({route.name.lower() for route in ROUTES}) == len(ROUTES)


def test_every_parameter_of_a_path_is_checked() -> None:
    """Versions are looked up instead, and the rest of an unknown path and the name of a deployment are never used."""
    names = {name for route in ROUTES for name in re.findall(r"\{\*?(\w+)\}", route.template)}
    assert names - {"openShiftVersion", "openShiftMinorVersion", "deploymentName", "path"} == set(PATH_CHECKS)


def test_operators_routes_are_theirs_alone() -> None:
    """ARM must not use `/sre`, which returns addresses with keys."""
    for route in ROUTES:
        assert (route.caller is Caller.ADMIN) == route.template.startswith("sre/")


@pytest.mark.parametrize(
    ("path", "want_status", "want_code"),
    [
        pytest.param(CLUSTER.replace(SUBSCRIPTION, "x"), 400, "InvalidSubscriptionID", id="no UUID"),
        pytest.param(
            CLUSTER.replace(SUBSCRIPTION, SUBSCRIPTION.replace("-", "")), 400, "InvalidSubscriptionID", id="no hyphens"
        ),
        pytest.param(CLUSTER.replace("Customer", "a."), 404, "ResourceGroupNotFound", id="a dot at the end"),
        pytest.param(CLUSTER.replace("Customer", "a" * 91), 404, "ResourceGroupNotFound", id="a long group"),
        pytest.param(CLUSTER.replace("Customer", "ä"), 404, "ResourceGroupNotFound", id="an umlaut"),
        pytest.param(CLUSTER.replace("RedHat", "BlueHat"), 400, "InvalidResourceNamespace", id="another provider"),
        pytest.param(CLUSTER.replace("openShiftClusters", "x"), 400, "InvalidResourceType", id="another type"),
        pytest.param(f"{CLUSTERS}/a*b", 404, "ResourceNotFound", id="a star in a name"),
        pytest.param(f"{LOCATION}x/operationsstatus/{SUBSCRIPTION}", 400, "InvalidLocation", id="another region"),
        pytest.param(f"{LOCATION}/operationsstatus/1", 400, "InvalidOperationID", id="no operation id"),
        pytest.param(f"{GROUP}/providers/x/openShiftClusters", 400, "InvalidResourceNamespace", id="a list elsewhere"),
        pytest.param("/providers/x/operations", 400, "InvalidResourceNamespace", id="operations of others"),
        pytest.param(f"{CLUSTER}/syncSets/x", 404, "NotFound", id="a child that is not served"),
        pytest.param("/foo/bar", 404, "NotFound", id="an unknown path"),
    ],
)
def test_a_wrong_path_is_told(world: World, path: str, want_status: int, want_code: str) -> None:
    """Each part has its own code."""
    reply = world.send("GET", path)
    assert (reply.status, reply.body["error"]["code"]) == (want_status, want_code)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS"])
def test_an_unknown_path_is_forbidden_to_strangers(world: World, method: str) -> None:
    """Strangers learn nothing, with any verb."""
    assert world.send(method, "/foo", certificate=b"").status == 403
    assert world.send(method, "/foo", certificate=admin_certificate()).status == 403
    assert world.send(method, "/foo").status == 404


@pytest.mark.parametrize("path", ["/sre/foo", f"/sre{CLUSTER}", f"/sre{CLUSTER}/conditions", "/SRE/foo/bar"])
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS"])
def test_an_unknown_path_of_operators_is_unknown_to_them_and_forbidden_to_others(
    world: World, path: str, method: str
) -> None:
    """Only authorized callers learn which paths exist."""
    found = world.send(method, path, certificate=admin_certificate())
    assert (found.status, found.body["error"]["code"]) == (404, "NotFound")
    assert path[4:] in found.body["error"]["message"]
    assert world.send(method, path).status == 403
    assert world.send(method, path, certificate=b"").status == 403


def test_a_wrong_verb_is_405_and_tells_the_right_ones(world: World) -> None:
    """In HTTP's header for it, and as an ARM error."""
    reply = world.send("POST", CLUSTER)
    assert (reply.status, reply.body["error"]["code"]) == (405, "MethodNotAllowed")
    assert reply.headers["Allow"] == "PUT, PATCH, GET, DELETE, HEAD, OPTIONS"
    assert world.send("HEAD", f"/subscriptions/{SUBSCRIPTION}").status == 405


def test_a_stranger_with_a_wrong_verb_is_forbidden(world: World) -> None:
    """Authentication comes first."""
    assert world.send("POST", CLUSTER, certificate=b"").status == 403


def test_head_is_get_and_options_lists_the_verbs(world: World) -> None:
    """All verbs of a path reach the same function. The server leaves out the body, not the function."""
    path = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
    head = world.send("HEAD", path)
    assert (head.status, head.text()) == (200, world.send("GET", path).text())
    assert world.send("HEAD", CLUSTER).status == 404
    options = world.send("OPTIONS", CLUSTER)
    assert (options.status, options.text()) == (204, "")
    assert "PATCH" in options.headers["Allow"]


@pytest.mark.parametrize("api_version", ["", "2019-12-31", "2023-11-22-preview", "2099-01-01", "x"])
def test_a_version_that_is_not_served_is_refused_with_those_that_are(world: World, api_version: str) -> None:
    """It does not matter whether it is known: the client's remedy is the same."""
    reply = world.send("GET", CLUSTER, api_version=api_version)
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")
    assert reply.body["error"]["message"].endswith(f" Use one of: {', '.join(VERSIONS)}.")


@pytest.mark.parametrize(
    ("path", "want"),
    [
        pytest.param(
            f"{LOCATION}x/operationsstatus/{SUBSCRIPTION}",
            "The location 'eastusx' in the path is invalid: it must be 'eastus', the region",
            id="a region",
        ),
        pytest.param(
            CLUSTER.replace(SUBSCRIPTION, "x"),
            "The subscription id 'x' in the path is invalid: it must be a UUID such as 0000",
            id="a subscription",
        ),
        pytest.param(
            f"{CLUSTERS}/a*b",
            "The cluster name 'a*b' in the path is invalid: it must be 1 to 90 letters",
            id="a name",
        ),
    ],
)
def test_a_wrong_part_of_a_path_is_named_with_what_is_right(world: World, path: str, want: str) -> None:
    """The error has its name, its value, and what it must be."""
    assert world.send("GET", path).body["error"]["message"].startswith(want)
