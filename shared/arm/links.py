"""Addresses that a reply points to: on the host that the caller used, which ARM tells in `Referer`."""

import re
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from shared.arm.errors import invalid_parameter, shown

# What may stand between `//` and the path: no blanks, no quotes, nothing that ends up in a header escaped wrongly.
_AUTHORITY = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%\[\]-]+")


def public_url(referer: str, request_url: str) -> SplitResult:
    """Return the address of the request as its caller wrote it.

    Args:
        referer: ARM's header; the address of the request itself stands in for one that is absent.
        request_url: the address as it reached this service.

    Raises:
        CloudError: 400 `InvalidParameter`, when the header is no http(s) address.
    """
    try:
        parts = urlsplit(referer or request_url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or not _AUTHORITY.fullmatch(parts.netloc):
        raise invalid_parameter(
            "Referer",
            f"The header 'Referer' is '{shown(referer)}': it must be the public http(s) address of the request.",
        )
    return parts


def with_path(base: SplitResult, path: str) -> str:
    """Return an address on the caller's host, with the caller's query (which holds its api-version)."""
    return base._replace(path=quote(path), fragment="").geturl()


def with_parameter(base: SplitResult, name: str, value: str) -> str:
    """Return the caller's address with one query parameter set anew."""
    names = {name.lower(), quote(name).lower()}
    others = [part for part in base.query.split("&") if part and part.partition("=")[0].lower() not in names]
    # Base64 has '+', '/' and '=', so the value is escaped; `$` stays readable, as ARM writes it.
    added = urlencode({name: value}, safe="$", quote_via=quote)
    return base._replace(query="&".join([*others, added]), fragment="").geturl()
