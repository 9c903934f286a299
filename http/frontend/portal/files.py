"""The files of the page, with the headers that keep a browser from doing more with them than the page does.

They are the same for everybody and hold no data, so nobody has to sign in for them. A browser asks for the rest from
the same API as every other caller.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from frontend.callers.tokens import SCOPE
from frontend.messages import Call, Reply
from shared import portal_files
from shared.arm.errors import path_not_found
from shared.clusters.api_versions import ADMIN, API_VERSIONS
from shared.json_object import Json
from shared.settings import Callers

INDEX, CONFIGURATION = "index.html", "config.json"
# What the page asks for: this provider's own version, which alone has operations, dry runs and power states.
API_VERSION = next(version.name for version in API_VERSIONS if version.own)
_GZIP = re.compile(r"(^|,)\s*gzip\s*(;\s*q=(1|0\.\d*[1-9])[\d.]*)?\s*(,|$)")


def index(call: Call) -> Reply:
    """Answer GET of `portal`: return the page."""
    return _file(call, INDEX)


def get(call: Call) -> Reply:
    """Answer GET of a file of `portal`: return it, or who calls and how for `config.json`.

    Raises:
        CloudError: 404 `NotFound`.
    """
    name = call.parameters["portalFile"]
    return _reply(call, _configuration(call), "application/json") if name == CONFIGURATION else _file(call, name)


def _file(call: Call, name: str) -> Reply:
    path = portal_files.find(name)
    if path is None:
        raise path_not_found(call.path)
    compressed = path.with_name(path.name + portal_files.COMPRESSED)
    packed = compressed.is_file() and bool(_GZIP.search(call.request.headers.get("accept-encoding", "").lower()))
    headers = {"Vary": "Accept-Encoding", **({"Content-Encoding": "gzip"} if packed else {})}
    content = _content(compressed if packed else path)
    return _reply(call, content, portal_files.MEDIA_TYPES[path.suffix], headers)


@cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


def _reply(call: Call, content: bytes, media_type: str, headers: Mapping[str, str] | None = None) -> Reply:
    """Return the content, or 304 if the browser has it. It asks each time, because a new package changes all files."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    sent = {"ETag": tag, "Cache-Control": "no-cache", **_safety(call), **(headers or {})}
    if call.request.headers.get("if-none-match") == tag:
        return Reply(304, headers=sent)
    return Reply(200, headers={"Content-Type": media_type, **sent}, content=content)


def _safety(call: Call) -> Mapping[str, str]:
    """Return the headers of a page that shows the text of strangers, and acts in the name of who looks at it.

    Only this service's scripts run, no text becomes HTML, and no other page frames this one.
    """
    asked = ["'self'"]
    if call.services.settings.callers is Callers.ENTRA:
        authority = urlsplit(call.services.verifier.authority)
        asked.append(f"{authority.scheme}://{authority.netloc}")
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        f"connect-src {' '.join(asked)}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def _configuration(call: Call) -> bytes:
    """Return what the page has to know before it asks for anything. All of it is public."""
    of_callers = {Callers.ARM: _for_operators, Callers.ENTRA: _for_everybody}
    settings = call.services.settings
    document = {"location": settings.location, **of_callers[settings.callers](call)}
    return (json.dumps(document, indent=4) + "\n").encode()


def _for_operators(_call: Call) -> Json:
    """Return the version of a hosted service's operators. Their browser has a certificate, so nobody signs in."""
    return {"apiVersion": ADMIN.name}


def _for_everybody(call: Call) -> Json:
    settings, verifier = call.services.settings, call.services.verifier
    return {
        "authority": verifier.authority,
        "clientId": verifier.client_id,
        # An application that asks for itself must use its id, not a name.
        "scope": f"{verifier.client_id}/{SCOPE}",
        "subscription": settings.subscription_id,
        "apiVersion": API_VERSION,
    }
