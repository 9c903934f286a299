"""Account SAS: the token that `listAccountSas` signs with an account's key."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from emulator.storage.exceptions import invalid_values

# The storage provider signs with this version, however new the request's api-version is.
VERSION = "2015-04-05"
# Each row: parameter of the token, member of the request, allowed letters.
_LETTERS = (
    ("ss", "signedServices", "bqtf"),
    ("srt", "signedResourceTypes", "sco"),
    ("sp", "signedPermission", "rwdlacup"),
)


def account_sas(account: str, keys: list[dict[str, str]], body: dict[str, Any]) -> str:
    """Return the token for a request body.

    Args:
        account: name of the account.
        keys: the account's keys, as `listKeys` shows them.
        body: the request's body.

    Raises:
        ServiceError: 400 if a member is missing or has an invalid value.
    """
    values = {"sv": VERSION}
    for parameter, member, letters in _LETTERS:
        value = body.get(member)
        if not isinstance(value, str) or not value or not set(value) <= set(letters):
            raise invalid_values(member)
        values[parameter] = value
    values["st"] = _moment("signedStart", body.get("signedStart"))
    values["se"] = _moment("signedExpiry", body.get("signedExpiry"))
    if not values["se"]:
        raise invalid_values("signedExpiry")
    values["sip"] = str(body.get("signedIp") or "")
    values["spr"] = str(body.get("signedProtocol") or "")
    if values["spr"] not in ("", "https", "https,http"):
        raise invalid_values("signedProtocol")
    name = body.get("keyToSign") or "key1"
    key = next((known["value"] for known in keys if known["keyName"] == name), None)
    if key is None:
        raise invalid_values("keyToSign")
    order = ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv")
    text = "\n".join([account, *(values[parameter] for parameter in order), ""])
    digest = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    values["sig"] = base64.b64encode(digest).decode()
    return "&".join(f"{parameter}={quote(value, safe='')}" for parameter, value in values.items() if value)


def _moment(member: str, value: Any) -> str:
    """Return a time in the format of the token: UTC, whole seconds."""
    if not value:
        return ""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise invalid_values(member) from error
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
