"""The tokens that `listAccountSas` and `listServiceSas` sign with an account's key."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from emulator.storage.exceptions import INVALID_VALUES

# The storage provider signs with this version, however new the request's api-version is.
VERSION = "2015-04-05"
# Each row: parameter of the token, member of the request, allowed letters.
_ACCOUNT_LETTERS = (
    ("ss", "signedServices", "bqtf"),
    ("srt", "signedResourceTypes", "sco"),
    ("sp", "signedPermission", "rwdlacup"),
)
_SERVICE_LETTERS = (("sr", "signedResource", "bc"), ("sp", "signedPermission", "racwdl"))
# Headers of the answer that a service SAS may set; no client of ours sets one.
_HEADERS = 5


Keys = list[dict[str, str]]


def account_sas(account: str, keys: Keys, body: dict[str, Any]) -> str:
    """Return the token of `listAccountSas` for a request body.

    Args:
        account: name of the account.
        keys: the account's keys, as `listKeys` shows them.
        body: the request's body.

    Raises:
        ServiceError: 400 if a member is missing or has an invalid value.
    """
    values = {"sv": VERSION, **_letters(body, _ACCOUNT_LETTERS), **_limits(body)}
    order = ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")
    return _token(values, [account, *(values[parameter] for parameter in order), ""], keys, body)


def service_sas(account: str, keys: Keys, body: dict[str, Any]) -> str:
    """Return the token of `listServiceSas` for a request body; the arguments are those of `account_sas`."""
    resource = str(body.get("canonicalizedResource") or "")
    if not resource.startswith(f"/blob/{account}/"):
        raise INVALID_VALUES("canonicalizedResource")
    values = {"sv": VERSION, **_letters(body, _SERVICE_LETTERS), **_limits(body)}
    text = [*(values[name] for name in ("sp", "st", "se")), resource, "", values["sip"], values["spr"], VERSION]
    return _token(values, [*text, *[""] * _HEADERS], keys, body)


def _letters(body: dict[str, Any], rows: tuple[tuple[str, str, str], ...]) -> dict[str, str]:
    found = {}
    for parameter, member, letters in rows:
        value = body.get(member)
        if not isinstance(value, str) or not value or not set(value) <= set(letters):
            raise INVALID_VALUES(member)
        found[parameter] = value
    return found


def _limits(body: dict[str, Any]) -> dict[str, str]:
    """Return from when until when, from where and how the token may be used."""
    limits = {
        "st": _moment("signedStart", body.get("signedStart")),
        "se": _moment("signedExpiry", body.get("signedExpiry")),
        "sip": str(body.get("signedIp") or ""),
        "spr": str(body.get("signedProtocol") or ""),
    }
    if not limits["se"]:
        raise INVALID_VALUES("signedExpiry")
    if limits["spr"] not in ("", "https", "https,http"):
        raise INVALID_VALUES("signedProtocol")
    return limits


def _token(values: dict[str, str], text: list[str], keys: Keys, body: dict[str, Any]) -> str:
    name = body.get("keyToSign") or "key1"
    key = next((known["value"] for known in keys if known["keyName"] == name), None)
    if key is None:
        raise INVALID_VALUES("keyToSign")
    digest = hmac.new(base64.b64decode(key), "\n".join(text).encode(), hashlib.sha256).digest()
    signed = {**values, "sig": base64.b64encode(digest).decode()}
    return "&".join(f"{parameter}={quote(value, safe='')}" for parameter, value in signed.items() if value)


def _moment(member: str, value: Any) -> str:
    """Return a time in the format of the token: UTC, whole seconds."""
    if not value:
        return ""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise INVALID_VALUES(member) from error
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
