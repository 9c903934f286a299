"""The page for people: what a browser gets, and what it may do with it."""

import gzip
import json
import re
from pathlib import Path

import pytest

from frontend.messages import Reply
from frontend.portal import files
from shared import portal_files
from tests.product.unit.frontend.callers_world import API, AUTHORITY, CallersWorld
from tests.product.unit.frontend.world import SUBSCRIPTION, World, admin_certificate
from tests.product.unit.product_world import ENVIRONMENT

SCRIPTS = sorted(portal_files.STATIC.glob("*.js"))
PAGES = sorted(portal_files.STATIC.glob("*.html"))


def get(own: CallersWorld, path: str, **headers: str) -> Reply:
    """Ask for a file as a browser does before anybody has signed in."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return own.call("GET", path, token="", api_version="", headers=sent)


def test_the_page_and_its_files_are_there_for_everybody(own: CallersWorld) -> None:
    """Nobody has to sign in for what is the same for all."""
    assert get(own, "/portal").content == (portal_files.STATIC / "index.html").read_bytes()
    for path in (path for path in portal_files.STATIC.iterdir() if path.suffix in portal_files.MEDIA_TYPES):
        reply = get(own, f"/portal/{path.name}")
        assert (reply.status, reply.content) == (200, path.read_bytes()), path.name
        assert reply.headers["Content-Type"] == portal_files.MEDIA_TYPES[path.suffix]


def test_every_file_that_a_page_or_a_script_names_exists() -> None:
    """A name that is wrong would be found by the one who opens that view."""
    named = {name for page in PAGES for name in re.findall(r'"/portal/([^"]+)"', page.read_text())}
    named |= {name for script in SCRIPTS for name in re.findall(r'from "\./([^"]+)"', script.read_text())}
    assert {"main.js", "msal-browser.js", "elements.js"} <= named
    assert named <= {path.name for path in portal_files.STATIC.iterdir()} | set(portal_files.OF_NPM)


@pytest.mark.parametrize("path", ["none.js", "files.py", "index.htm", "index.html.gz", "x.y.z", "..", "%2e%2e"])
def test_nothing_else_is_there(own: CallersWorld, path: str) -> None:
    """Only the page's files, by their names."""
    reply = get(own, f"/portal/{path}")
    assert (reply.status, reply.body["error"]["code"]) == (404, "NotFound")


@pytest.mark.parametrize("path", ["/portal", "/portal/main.js", "/portal/signed-in.html", "/portal/config.json"])
def test_a_browser_may_run_the_services_scripts_and_nothing_else(own: CallersWorld, path: str) -> None:
    """No text becomes HTML, no other page frames this one, and only this service and the authority are asked."""
    headers = get(own, path).headers
    policy = dict(each.split(" ", 1) for each in headers["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self' https://login.microsoftonline.com",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_one_public_document_says_how_to_sign_in(own: CallersWorld) -> None:
    """It has no secret, and nothing that depends on who asks."""
    reply = get(own, "/portal/config.json")
    assert json.loads(reply.content) == {
        "apiVersion": files.API_VERSION,
        "authority": AUTHORITY,
        "clientId": API,
        # An application that asks for a token for itself must name itself by its id.
        "scope": f"{API}/user_impersonation",
        "subscription": ENVIRONMENT["AZURE_SUBSCRIPTION_ID"],
        "location": "eastus",
    }
    assert reply.headers["Content-Type"] == "application/json"


def test_the_page_of_a_hosted_service_asks_as_an_operator_and_only_this_service(world: World) -> None:
    """Its operators' browsers have certificates, so there is no sign-in. Customers have the Azure portal."""
    reply = world.send("GET", "/portal/config.json", api_version="", certificate=admin_certificate())
    assert json.loads(reply.content) == {"apiVersion": "admin", "location": "eastus"}
    assert "connect-src 'self';" in reply.headers["Content-Security-Policy"]
    assert world.send("GET", "/portal", api_version="", certificate=b"").status == 200


def test_a_page_of_another_site_cannot_even_load_the_files_of_a_hosted_one(world: World) -> None:
    """The certificate would be added to its request."""
    marked = {"sec-fetch-site": "cross-site"}
    for path in ("/portal", "/portal/main.js", "/portal/config.json"):
        reply = world.send("GET", path, api_version="", certificate=admin_certificate(), headers=marked)
        assert (reply.status, reply.body["error"]["code"]) == (403, "Forbidden")


def test_a_caller_learns_its_subscriptions_and_nobody_else_does(own: CallersWorld, world: World) -> None:
    """The page asks for the clusters of each. Hosted, Azure Resource Manager knows them."""
    reply = own.call("GET", "/subscriptions", api_version="")
    assert (reply.status, reply.body) == (
        200,
        {"value": [{"id": f"/subscriptions/{SUBSCRIPTION}", "subscriptionId": SUBSCRIPTION}]},
    )
    own.rights.stranger = True
    assert own.call("GET", "/subscriptions", api_version="").body == {"value": []}
    assert own.call("GET", "/subscriptions", token="", api_version="").status == 401
    assert world.send("GET", "/subscriptions").status == 404


def test_a_file_that_the_browser_has_is_not_sent_again(own: CallersWorld) -> None:
    """It asks each time, so a new package is seen at once."""
    first = get(own, "/portal/main.js")
    assert first.headers["Cache-Control"] == "no-cache"
    again = get(own, "/portal/main.js", if_none_match=first.headers["ETag"])
    assert (again.status, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert get(own, "/portal/main.js", if_none_match='"another"').status == 200


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip, deflate, br", True), ("br;q=1.0, GZIP;q=0.8", True), ("gzip;q=0", False), ("br", False), ("", False)],
)
def test_a_compressed_copy_is_sent_where_the_package_has_one(
    own: CallersWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, accepted: str, packed: bool
) -> None:
    """The package has one of each file, and a checkout has none. Both answers have tags of their own."""
    plain = b"export const one = 1;\n"
    (tmp_path / "one.js").write_bytes(plain)
    (tmp_path / "one.js.gz").write_bytes(gzip.compress(plain))
    monkeypatch.setattr(portal_files, "STATIC", tmp_path)
    reply = get(own, "/portal/one.js", accept_encoding=accepted)
    assert reply.headers.get("Content-Encoding") == ("gzip" if packed else None)
    assert reply.headers["Vary"] == "Accept-Encoding"
    assert (gzip.decompress(reply.content) if packed else reply.content) == plain
    assert reply.headers["Content-Type"] == "text/javascript; charset=utf-8"


def test_a_checkout_takes_npms_files_from_where_npm_has_put_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A package has them beside the others."""
    name, part = next(iter(portal_files.OF_NPM.items()))
    monkeypatch.setattr(portal_files, "INSTALLED", tmp_path)
    assert portal_files.find(name) is None
    (tmp_path / part).parent.mkdir(parents=True)
    (tmp_path / part).touch()
    assert portal_files.find(name) == tmp_path / part


def test_no_script_makes_html_from_text() -> None:
    """The policy forbids it in browsers that know Trusted Types; the scripts do not try."""
    makers = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(|new Function")
    assert SCRIPTS
    assert not [script.name for script in SCRIPTS if makers.search(script.read_text())]


def test_no_script_keeps_anything() -> None:
    """Tokens, kubeconfigs and what was typed are in memory alone."""
    places = re.compile(r"localStorage|sessionStorage|indexedDB|document\.cookie|caches\.")
    assert not [script.name for script in SCRIPTS if places.search(script.read_text())]
