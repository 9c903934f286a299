"""The control service answers programs and its own page, and no page of another site."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.control.page_files import FOLDER, HEADERS, guarded, routes
from emulator.core.service_error import ServiceError

HOST = "localhost:4711"


async def _answer(_request: Request) -> Response:
    return JSONResponse({})


def _ask(**headers: str) -> int:
    sent = {"host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/faults",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }

    async def ask() -> int:
        try:
            return (await guarded(_answer)(Request(scope))).status_code
        except ServiceError as error:
            return error.status_code

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec_fetch_site": "same-origin", "origin": f"http://{HOST}"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"origin": "https://example.com"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:9999"}, 403),
    ],
    ids=["a program", "its page", "an address", "another site", "another port", "a site", "a frame", "a local site"],
)
def test_only_its_own_page_may_ask(headers: dict[str, str], status: int) -> None:
    """A browser says whose request it sends."""
    assert _ask(**headers) == status


def test_the_page_runs_its_own_files_alone() -> None:
    """Each file is served; no HTML has a script or a style of its own, and no script makes HTML of text."""
    assert len({route.path for route in routes()}) == len(list(FOLDER.iterdir()))
    assert "script-src 'self';" in HEADERS["Content-Security-Policy"]
    html = (FOLDER / "index.html").read_text()
    assert "<style" not in html
    assert "style=" not in html
    assert html.count("<script") == html.count("<script src=")
    for path in FOLDER.glob("*.js"):
        assert "innerHTML" not in path.read_text()
