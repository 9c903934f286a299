"""Addresses in replies. They use the caller's host, which ARM reports in `Referer`."""

import re
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from shared.arm.errors import invalid_parameter, shown

# What may follow `//` up to the path: no blanks, no quotes, nothing that would be escaped wrongly in a header.
_AUTHORITY = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%\[\]-]+")
# A name or an address, and a port. Otherwise a caller could put a path, a query or a user in there.
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?")
_MAX_PORT = 65535


def is_host(text: str) -> bool:
    """Tell whether a text is a valid value of HTTP's `Host`."""
    match = _HOST.fullmatch(text)
    return match is not None and int(match["port"] or 0) <= _MAX_PORT


def public_url(referer: str, request_url: SplitResult) -> SplitResult:
    """Return the address of the request as its caller wrote it.

    Args:
        referer: ARM's header.
        request_url: the address of the request itself, used if the header is absent.

    Raises:
        CloudError: 400 `InvalidParameter` if the header is not an http(s) address.
    """
    if not referer:
        return request_url
    try:
        parts = urlsplit(referer)
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
    """Return an address on the caller's host, with the caller's query, which contains its api-version."""
    return base._replace(path=quote(path), fragment="").geturl()


def with_parameter(base: SplitResult, name: str, value: str) -> str:
    """Return the caller's address with one query parameter replaced.

    Args:
        base: the caller's address.
        name: name of the parameter.
        value: its new value.
    """
    names = {name.lower(), quote(name).lower()}
    others = [part for part in base.query.split("&") if part and part.partition("=")[0].lower() not in names]
    # Base64 has '+', '/' and '=', so the value is escaped. `$` stays readable, as ARM writes it.
    added = urlencode({name: value}, safe="$", quote_via=quote)
    return base._replace(query="&".join([*others, added]), fragment="").geturl()
