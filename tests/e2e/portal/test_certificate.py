"""The page of a hosted service on the local Azure: an operator's browser has a certificate, and nobody signs in."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.portal.browser import AXE, complaints, violations
from tests.local_azure import LocalAzure

pytestmark = [pytest.mark.slow(60), pytest.mark.timeout(600)]
OTHER = "https://evil.example"


@pytest.fixture
def page(azure: LocalAzure, chromium: Any) -> Iterator[Any]:
    """Give a window whose internet is the local Azure, with the certificate of an operator."""
    address = urlsplit(azure.endpoints["rp"])
    window = chromium.new_context(
        ignore_https_errors=True,
        client_certificates=[
            {
                "origin": f"{address.scheme}://{address.netloc}",
                "certPath": azure.endpoints["admin_client_cert"],
                "keyPath": azure.endpoints["admin_client_key"],
            }
        ],
    )
    page = window.new_page()
    page.set_default_timeout(60_000)
    page.add_init_script(path=AXE)
    yield page
    window.close()


def test_an_operator_sees_all_clusters_and_sites_without_a_sign_in(azure: LocalAzure, page: Any) -> None:
    """The browser adds the certificate, and marks the requests as this page's own."""
    met = complaints(page)
    page.goto(f"{azure.endpoints['rp']}/portal")
    page.locator("#count").filter(has_text="cluster").wait_for()
    assert page.get_by_text("Operator, by certificate").is_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Sites").click()
    page.get_by_role("heading", level=1, name="Sites").wait_for()
    page.get_by_text("There is no site.").or_(page.get_by_role("table", name="Sites")).first.wait_for()
    assert met == []


def test_a_page_of_another_site_can_do_nothing_with_the_certificate(azure: LocalAzure, page: Any) -> None:
    """Neither a link, nor a form, nor a script that does not even read the answer."""
    target = f"{azure.endpoints['rp']}/sre/providers/Microsoft.RedHatOpenShift/sites"
    content = (
        f"<a href='{azure.endpoints['rp']}/portal'>a link</a>"
        f"<form method=post action='{target}'><button>a form</button></form>"
    )
    page.route(f"{OTHER}/", lambda route: route.fulfill(content_type="text/html", body=content))
    for what in ("link", "button"):
        page.goto(f"{OTHER}/")
        with page.expect_navigation() as navigation:
            page.get_by_role(what).click()
        assert navigation.value.status == 403
        assert "A page of another site has made the browser send this request." in page.content()
    page.goto(f"{OTHER}/")
    with page.expect_response(f"{target}*") as answer:
        page.evaluate("address => fetch(address, {mode: 'no-cors', credentials: 'include'}).catch(() => {})", target)
    assert answer.value.status == 403
