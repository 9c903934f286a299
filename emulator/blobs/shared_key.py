"""Shared Key: a signature over method, headers and path with the account's key.

https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from emulator.blobs.exceptions import authentication_failed, signature_mismatch

# How far a request's date may be from the service's.
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
    """Tell whether a signature was made of a text with one of the keys."""
    return any(hmac.compare_digest(sign(key, text), signature) for key in keys)


def _collation(name: str) -> tuple[str, str]:
    """Sort as Azure and its SDKs do: underscores before digits, hyphens only between names equal otherwise."""
    return name.replace("-", "").replace("_", " "), name


def strings_to_sign(
    method: str, account: str, raw_path: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> list[str]:
    """Return the texts that a signature may be made of: headers sorted as Azure does, then byte by byte.

    The two orders differ for a few metadata names only, and clients of both kinds exist.
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
    """Let a request pass whose `Authorization: SharedKey <account>:<signature>` is right.

    Raises:
        ServiceError: 403 `AuthenticationFailed` with the reason.
    """
    scheme, _, credential = authorization.partition(" ")
    name, _, signature = credential.partition(":")
    if scheme != "SharedKey" or not signature:
        raise authentication_failed(f"The authorization scheme {scheme} is not supported: use SharedKey or Bearer.")
    if name != account:
        raise authentication_failed(f"The account in the header, '{name}', is not that of the host, '{account}'.")
    try:
        moment = parsedate_to_datetime(date)
    except ValueError as error:
        raise authentication_failed(f"The date '{date}' is malformed or absent.") from error
    if abs(now - moment) > SKEW:
        raise authentication_failed(f"Request date header too old: '{date}'.")
    if not any(matches(keys, text, signature) for text in texts):
        raise signature_mismatch(texts[0])
