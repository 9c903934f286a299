"""Shared Key authorization: the account's key signs method, headers, path and query.

https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from emulator.blobs.exceptions import (
    AUTHENTICATION_FAILED,
    MALFORMED_AUTHORIZATION,
    NOT_SUPPORTED,
    signature_mismatch,
)

# How far the date of a request may differ from the service's clock.
SKEW = timedelta(minutes=15)

_SIGNED_HEADERS = (
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
)


def sign(key: bytes, text: str) -> str:
    """Return the base64 HMAC-SHA256 of a text."""
    return base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()


def matches(keys: Sequence[bytes], text: str, signature: str) -> bool:
    """Tell whether one of the keys made this signature of a text."""
    return any(hmac.compare_digest(sign(key, text), signature) for key in keys)


def _collation(name: str) -> tuple[str, str]:
    """Return the sort key of Azure and its SDKs: underscores come before digits, and hyphens only break ties."""
    return name.replace("-", "").replace("_", " "), name


def strings_to_sign(
    method: str, account: str, raw_path: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> list[str]:
    """Return the strings that a client may have signed: with headers in Azure's order, and in byte order.

    The two orders differ only for a few metadata names, and clients of both kinds exist.

    Args:
        method: HTTP method.
        account: name of the account.
        raw_path: percent-encoded path, without the query.
        query: decoded query parameters.
        headers: headers, names in lower case.
    """
    fixed = [headers.get(name, "") for name in _SIGNED_HEADERS]
    if fixed[2] == "0":
        fixed[2] = ""
    if "x-ms-date" in headers:
        fixed[5] = ""
    own = [name for name in headers if name.startswith("x-ms-")]
    resource = f"/{account}{raw_path}" + "".join(f"\n{name.lower()}:{query[name]}" for name in sorted(query))
    texts: list[str] = []
    for key in (_collation, None):
        lines = [f"{name}:{headers[name].strip()}" for name in sorted(own, key=key)]
        texts.append("\n".join([method, *fixed, *lines, resource]))
    return list(dict.fromkeys(texts))


def check(
    authorization: str, account: str, keys: Sequence[bytes], texts: Sequence[str], *, date: str, now: datetime
) -> None:
    """Check the header `Authorization: SharedKey <account>:<signature>`.

    Raises:
        ServiceError: 403 `AuthenticationFailed` with the reason; 400 for a header of another form, or of another scheme.
    """
    scheme, _, credential = authorization.partition(" ")
    name, _, signature = credential.partition(":")
    if scheme == "SharedKeyLite":
        raise NOT_SUPPORTED("SharedKeyLite signatures; use SharedKey")
    if scheme != "SharedKey" or not signature:
        raise MALFORMED_AUTHORIZATION()
    if name != account:
        raise AUTHENTICATION_FAILED(f"The account in the header, '{name}', is not that of the host, '{account}'.")
    try:
        moment = parsedate_to_datetime(date)
    except ValueError as error:
        raise AUTHENTICATION_FAILED(f"The date '{date}' is malformed or absent.") from error
    if moment.tzinfo is None:
        raise AUTHENTICATION_FAILED(f"The date '{date}' has no time zone.")
    if abs(now - moment) > SKEW:
        raise AUTHENTICATION_FAILED(f"Request date header too old: '{date}'.")
    if not any(matches(keys, text, signature) for text in texts):
        raise signature_mismatch(texts[0])
