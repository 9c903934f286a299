"""Shared access signatures (SAS) of accounts, containers and blobs.

https://learn.microsoft.com/rest/api/storageservices/create-account-sas
https://learn.microsoft.com/rest/api/storageservices/create-service-sas
"""

import base64
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import unquote

from emulator.blobs import exceptions
from emulator.blobs.operations import Operation, Target
from emulator.blobs.shared_key import matches, sign

# What a user delegation key is made of, and what else a SAS that it signs has in place of `si`.
KEY = ("skoid", "sktid", "skt", "ske", "sks", "skv")
RESTRICTIONS = ("saoid", "suoid", "skdutid", "sduoid", "srh", "srq")
# Query parameters that belong to the SAS, not to the operation. `OVERRIDES` has those that set headers of the answer.
FIELDS = frozenset(
    ["sv", "ss", "srt", "sp", "st", "se", "spr", "sip", "sr", "si", "sig", "ses", "sdd", "scid", *KEY, *RESTRICTIONS]
)
OVERRIDES = {
    "rscc": "cache-control",
    "rscd": "content-disposition",
    "rsce": "content-encoding",
    "rscl": "content-language",
    "rsct": "content-type",
}
# A request with one of these is authorized by a SAS, or refused.
SIGNED = frozenset(["sv", "sig", "se", "sp", "sr", "ss", "srt", "skoid"])
_OLDEST_VERSION = "2015-04-05"
_WITH_RESOURCE = "2018-11-09"
_WITH_SCOPE = "2020-12-06"
# The only format of a user delegation SAS here, that of today's SDKs.
_WITH_REQUEST = "2026-04-06"
_VERSION = re.compile(r"20\d\d-\d\d-\d\d")
_SIGNATURE_BYTES = 32
# A permission stands at most once, and in this order; signatures over another order do not match.
_PERMISSIONS = "r?a?c?w?d?x?y?l?t?f?m?e?o?p?i?"
_ACCOUNT_PERMISSIONS = "[rwdylacuptfixm]+"
_OTHER_RESOURCES = {"bs": "snapshots", "bv": "versions", "d": "directories"}


@dataclass(frozen=True)
class Caller:
    """Where a request came from, and when."""

    scheme: str
    address: str
    now: datetime


def check(sas: Mapping[str, str], target: Target, operation: Operation, keys: Sequence[bytes], caller: Caller) -> str:
    """Check that a SAS is valid and allows the operation, and return its permissions.

    Raises:
        ServiceError: 403 `AuthenticationFailed` with the reason, or 403 with the part of the SAS that does not fit; 400
            for a kind of SAS that the local Azure does not have.
    """
    of_account = "ss" in sas
    _check_form(sas, of_account=of_account)
    _check_times(sas, caller.now)
    text = _account_text(sas, target) if of_account else _service_text(sas, target)
    signing = [delegation_key(keys[0], [sas[name] for name in KEY])] if "skoid" in sas else keys
    if not matches(signing, text, sas["sig"]):
        raise exceptions.signature_mismatch(text)
    if sas.get("spr", "https,http") == "https" and caller.scheme != "https":
        raise exceptions.PROTOCOL_MISMATCH()
    if "sip" in sas and not _address_fits(sas["sip"], caller.address):
        raise exceptions.ADDRESS_MISMATCH(caller.address)
    if of_account:
        if "b" not in sas["ss"]:
            raise exceptions.SERVICE_MISMATCH()
        if target.level not in sas["srt"]:
            raise exceptions.RESOURCE_TYPE_MISMATCH()
    elif not operation.service_sas or (sas["sr"] == "b" and target.level != "o"):
        raise exceptions.RESOURCE_TYPE_MISMATCH()
    if not set(operation.account_sas if of_account else operation.service_sas) & set(sas["sp"]):
        raise exceptions.PERMISSION_MISMATCH()
    return sas["sp"]


def _check_form(sas: Mapping[str, str], *, of_account: bool) -> None:
    if "skoid" in sas and (of_account or sas.get("sv", "") < _WITH_REQUEST or not sas.keys().isdisjoint(RESTRICTIONS)):
        raise exceptions.NOT_SUPPORTED(f"user delegation SAS older than {_WITH_REQUEST}, or with {RESTRICTIONS}")
    if "si" in sas:
        raise exceptions.NOT_SUPPORTED("SAS that refer to a stored access policy")
    for name in ("sv", "srt" if of_account else "sr", "sp", "se", "sig", *(KEY if "skoid" in sas else ())):
        if not sas.get(name):
            raise exceptions.field_missing(name)
    if not _VERSION.fullmatch(sas["sv"]) or sas["sv"] < _OLDEST_VERSION:
        raise exceptions.malformed_sas()
    if not of_account and sas["sr"] in _OTHER_RESOURCES:
        raise exceptions.NOT_SUPPORTED(f"SAS for {_OTHER_RESOURCES[sas['sr']]} (sr={sas['sr']})")
    permissions = _ACCOUNT_PERMISSIONS if of_account else _PERMISSIONS
    forms = {"sp": permissions, "sr": "[bc]", "ss": "[bqtf]+", "srt": "[sco]+", "spr": "https|https,http"}
    if any(name in sas and not re.fullmatch(form, sas[name]) for name, form in forms.items()):
        raise exceptions.malformed_sas()
    if not _is_sha256(sas["sig"]):
        raise exceptions.malformed_sas()


def _is_sha256(signature: str) -> bool:
    try:
        return len(base64.b64decode(signature, validate=True)) == _SIGNATURE_BYTES
    except ValueError:
        return False


def _check_times(sas: Mapping[str, str], now: datetime) -> None:
    try:
        start = _time(sas["st"]) if sas.get("st") else None
        expiry = _time(sas["se"])
        key = (_time(sas["skt"]), _time(sas["ske"])) if "skoid" in sas else (now, expiry)
    except ValueError as error:
        raise exceptions.malformed_sas() from error
    if start is not None and expiry <= start:
        raise exceptions.expires_before_start(start, expiry)
    if now >= expiry or (start is not None and now < start):
        raise exceptions.out_of_time(start, expiry, now)
    if not key[0] <= now < key[1]:
        raise exceptions.out_of_time(*key, now)


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _address_fits(allowed: str, address: str) -> bool:
    first, _, last = allowed.partition("-")
    try:
        wanted = int(ipaddress.IPv4Address(address))
        return int(ipaddress.IPv4Address(first)) <= wanted <= int(ipaddress.IPv4Address(last or first))
    except ValueError:
        return False


def _account_text(sas: Mapping[str, str], target: Target) -> str:
    fields = [target.account, *(sas.get(name, "") for name in ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv"))]
    if sas["sv"] >= _WITH_SCOPE:
        fields.append(sas.get("ses", ""))
    return "\n".join([*fields, ""])


def _service_text(sas: Mapping[str, str], target: Target) -> str:
    name = f"/blob/{target.account}/{target.container}"
    if sas["sr"] == "b":
        name += f"/{unquote(target.blob)}"
    fields = [*(sas.get(part, "") for part in ("sp", "st", "se")), name]
    signed_by = (*KEY, "saoid", "suoid", "scid", "skdutid", "sduoid") if "skoid" in sas else ("si",)
    fields += [sas.get(part, "") for part in (*signed_by, "sip", "spr", "sv")]
    if sas["sv"] >= _WITH_RESOURCE:
        fields += [sas["sr"], ""]
    if sas["sv"] >= _WITH_SCOPE:
        fields.append(sas.get("ses", ""))
    if "skoid" in sas:
        fields += ["", ""]  # `srh` and `srq`, which are refused.
    return "\n".join([*fields, *(sas.get(part, "") for part in OVERRIDES)])


def delegation_key(account_key: bytes, fields: Sequence[str]) -> bytes:
    """Return the user delegation key with these `KEY` fields. It follows from them, so that it need not be kept."""
    return base64.b64decode(sign(account_key, "\n".join(fields)))
