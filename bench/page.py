"""The page for people in a browser, with many clusters: when the first are seen, and how much is sent.

The service is played by this process. It answers with the page's own files, and with lists in pages of the size that
the service has, each after a time that it may take in Azure.
"""

import gzip
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from emulator.run.commands import browse
from shared import portal_files

# Aims: for the first view, with this many clusters, and for all that is sent before it.
AIM_SECONDS, AIM_KIB = 1.0, 200
COUNTS = (500, 5000)
# What an answer of the service takes, and how many clusters it has.
LATENCY_SECONDS, SIZE = 0.05, 10
ADDRESS = "https://clusters.example.com"
# In place of MSAL: the same members that `session.js` uses. The token's text and the roles are put in.
SIGNS_IN = """
class InteractionRequiredAuthError extends Error {}
globalThis.expired = false;
globalThis.msal = {
  InteractionRequiredAuthError,
  BrowserCacheLocation: { MemoryStorage: "memoryStorage" },
  CacheLookupPolicy: { AccessTokenAndRefreshToken: 2 },
  PublicClientApplication: class {
    async initialize() {}
    async loginPopup() {
      globalThis.expired = false;
      return { account: { username: "ann@example.com", idTokenClaims: { roles: ROLES } } };
    }
    async acquireTokenSilent() {
      if (globalThis.expired) throw new InteractionRequiredAuthError("ended");
      return { accessToken: "TOKEN" };
    }
  },
};
"""
_SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
_CONFIGURATION = {
    "authority": "https://login.example.com/t",
    "clientId": "c",
    "scope": "s",
    "location": "eastus",
    "subscription": _SUBSCRIPTION,
    "apiVersion": "v",
}
_ENDS = "/expirations"
_CONDITIONS = ("Available", "Degraded", "Progressing", "CertificatesExpiring", "CredentialsExpiring", "StartBefore")


@dataclass(frozen=True)
class Figures:
    """What was measured.

    Args:
        clusters: how many there are.
        first: seconds from the sign-in to the first clusters.
        whole: seconds from the sign-in to the last.
        filtered: seconds from a filter to its result.
        files: bytes of all files of the page, as they are sent.
    """

    clusters: int
    first: float
    whole: float
    filtered: float
    files: int


@contextmanager
def browser(driver: Any, path: str, *options: str) -> Iterator[Any]:
    """Give a browser, driven by Playwright.

    Args:
        driver: what `sync_playwright` gives: a process may have one at a time, and that several browsers.
        path: the program.
        options: more of its options.
    """
    # A container has no name spaces to give away; what is opened here is this service's own page.
    found = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu", *options])
    try:
        yield found
    finally:
        found.close()


def measure(counts: tuple[int, ...] = COUNTS) -> list[Figures]:
    """Return the figures for each number of clusters; nothing if this machine has no browser."""
    path = browse.program()
    if path is None:
        return []
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - slow, and only here

    with sync_playwright() as driver, browser(driver, path) as found:
        return [_measured(found.new_page(), count) for count in counts]


def _measured(page: Any, count: int) -> Figures:
    sent = serve(page, count, SIZE, LATENCY_SECONDS)
    page.goto(f"{ADDRESS}/portal")
    button = page.get_by_role("button", name="Sign in")
    button.wait_for()
    begun = time.monotonic()
    button.click()
    page.locator("tbody th").first.wait_for()
    first = time.monotonic() - begun
    page.get_by_text(f"{count} clusters.", exact=True).wait_for(timeout=600_000)
    whole = time.monotonic() - begun
    begun = time.monotonic()
    page.get_by_label("Filter").fill(f"cluster-{count - 1}")
    page.get_by_text(f"1 of {count} clusters.").wait_for()
    return Figures(count, first, whole, time.monotonic() - begun, sum(sent.values()))


def serve(page: Any, count: int, size: int, latency: float = 0) -> dict[str, int]:
    """Answer everything that a page asks for; return the bytes of its files by name, as they are sent.

    Args:
        page: Playwright's page.
        count: how many clusters there are.
        size: how many of them are in an answer.
        latency: seconds that an answer of the API takes.
    """
    sent: dict[str, int] = {}
    clusters = [_cluster(index) for index in range(count)]

    def answer(route: Any) -> None:
        url = urlsplit(route.request.url)
        name = url.path.removeprefix("/portal").strip("/")
        if url.path.startswith("/portal") and name != "config.json":
            path = portal_files.find(name or "index.html")
            content = path.read_bytes() if path else b""
            sent[name] = len(gzip.compress(content, 9))
            text = SIGNS_IN.replace("ROLES", "[]") if name == "msal-browser.js" else content
            route.fulfill(body=text, content_type=portal_files.MEDIA_TYPES[path.suffix if path else ".html"])
            return
        # The browser asks for what ends beside the rest, but here one answer waits for another.
        time.sleep(0 if name == "config.json" or url.path.endswith(_ENDS) else latency)
        route.fulfill(json=_CONFIGURATION if name == "config.json" else _list(url.path, url.query, clusters, size))

    page.route("**/*", answer)
    return sent


def _list(path: str, query: str, clusters: list[Any], size: int) -> Any:
    if path == "/subscriptions":
        return {"value": [{"subscriptionId": _SUBSCRIPTION}]}
    if path.endswith(_ENDS):
        return {"value": []}
    begin = int(parse_qs(query).get("$skipToken", ["0"])[0])
    end = begin + size
    more = {"nextLink": f"{ADDRESS}{path}?api-version=v&$skipToken={end}"} if end < len(clusters) else {}
    return {"value": clusters[begin:end]} | more


def _cluster(index: int) -> Any:
    name, since = f"cluster-{index}", "2026-03-01T12:00:00Z"
    group = f"/subscriptions/{_SUBSCRIPTION}/resourceGroups/group-{index % 40}"
    conditions = [
        {
            "type": kind,
            "status": "True" if kind == "Available" or index % 50 == 0 else "False",
            "reason": "AsExpected",
            "message": "The cluster is as it should be, in a sentence of usual length.",
            "lastTransitionTime": since,
        }
        for kind in _CONDITIONS
    ]
    return {
        "id": f"{group}/providers/Microsoft.RedHatOpenShift/openShiftClusters/{name}",
        "name": name,
        "type": "Microsoft.RedHatOpenShift/openShiftClusters",
        "location": "eastus",
        "systemData": {"createdAt": since},
        "properties": {
            "provisioningState": "Succeeded",
            "powerState": "Running",
            "conditions": conditions,
            "clusterProfile": {"version": f"4.19.{index % 30}", "domain": name},
            "workerProfiles": [{"name": "worker", "count": 3, "vmSize": "Standard_D4s_v5"}],
        },
    }


def lines(figures: list[Figures], row: Callable[[str, list[str]], str]) -> Iterator[str]:
    """Yield the report.

    Args:
        figures: what was measured.
        row: makes a line of a heading and its cells.
    """
    if not figures:
        yield "the page for people: not measured, because this machine has no Chromium, Chrome or Edge"
        return
    yield row("the page for people, clusters", [f"{each.clusters:,}" for each in figures])
    yield row("first clusters after, s", [f"{each.first:.2f}" for each in figures])
    yield row(f"all, {SIZE} each {1000 * LATENCY_SECONDS:.0f} ms, s", [f"{each.whole:.1f}" for each in figures])
    yield row("filtered after, s", [f"{each.filtered:.2f}" for each in figures])
    yield row("bytes of its files, KiB", [f"{each.files / 1024:.0f}" for each in figures])
    yield f"aims: {AIM_SECONDS:g} s with {COUNTS[0]} clusters, {AIM_KIB} KiB"
