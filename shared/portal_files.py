"""The files of the page for people: where they are in a checkout and in a package, and what of them npm has.

A package also holds each file compressed, because the host compresses nothing.
"""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
IN_PACKAGE = "http/frontend/portal/static"
STATIC = REPOSITORY / IN_PACKAGE
# By name: the file in npm's package, whose version and checksum are in tools/portal/package-lock.json.
_MSAL = "@azure/msal-browser"
OF_NPM = {
    "msal-browser.js": f"{_MSAL}/lib/msal-browser.min.js",
    "msal-redirect-bridge.js": f"{_MSAL}/lib/redirect-bridge/msal-redirect-bridge.min.js",
}
INSTALLED = REPOSITORY / "tools" / "portal" / "node_modules"
COMPRESSED = ".gz"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def find(name: str) -> Path | None:
    """Return where a file of the page is, or None if it has none of this name.

    A checkout has the files of npm's packages in `tools/portal`, once `make setup` has put them there.
    """
    if not name.endswith(tuple(MEDIA_TYPES)):
        return None
    places = [STATIC / name, *([INSTALLED / OF_NPM[name]] if name in OF_NPM else [])]
    return next((path for path in places if path.is_file()), None)
