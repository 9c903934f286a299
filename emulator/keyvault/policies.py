"""The values that a certificate's policy may have, and their defaults."""

import re
from typing import Any

from cryptography import x509

from emulator.core.store import Document
from emulator.keyvault.exceptions import BAD_PARAMETER, NOT_SUPPORTED

PEM = "application/x-pem-file"
PKCS12 = "application/x-pkcs12"
SELF = "Self"
UNKNOWN = "Unknown"
KEY_SIZES = (2048, 3072, 4096)
CURVES = ("P-256", "P-384", "P-521")
# Maps Key Vault's name of each key usage to that of `cryptography`.
KEY_USAGE = {
    "digitalSignature": "digital_signature",
    "nonRepudiation": "content_commitment",
    "keyEncipherment": "key_encipherment",
    "dataEncipherment": "data_encipherment",
    "keyAgreement": "key_agreement",
    "keyCertSign": "key_cert_sign",
    "cRLSign": "crl_sign",
    "encipherOnly": "encipher_only",
    "decipherOnly": "decipher_only",
}
ACTIONS = ("AutoRenew", "EmailContacts")
OID = re.compile(r"[0-2](\.\d+)+")
MAX_MONTHS = 1188
_NAMES = ("dns_names", "emails", "uris", "ipAddresses")


def complete(wish: Document) -> Document:
    """Return a complete policy: each group of the request, filled up with defaults.

    Args:
        wish: the request's `policy`.

    Raises:
        ServiceError: 400 `BadParameter`, naming the member, or naming a feature that only Azure has.
    """
    if not isinstance(wish, dict):
        raise BAD_PARAMETER("Property policy must be an object.")
    groups = {"key_props": _key, "secret_props": _secret, "x509_props": _x509, "issuer": _issuer}
    policy: Document = {}
    for group, check in groups.items():
        given = {} if wish.get(group) is None else wish[group]
        if not isinstance(given, dict):
            raise BAD_PARAMETER(f"Property policy.{group} must be an object.")
        policy[group] = check({name: value for name, value in given.items() if value is not None})
    actions = wish.get("lifetime_actions")
    policy["lifetime_actions"] = _actions([] if actions is None else actions)
    return policy


def subject_of(policy: Document) -> x509.Name:
    """Return a policy's subject.

    Raises:
        ServiceError: 400 `BadParameter`: it is not a distinguished name, or a part is too long for X.509.
    """
    text = policy["x509_props"].get("subject", "")
    try:
        return x509.Name.from_rfc4514_string(",".join(part.strip() for part in re.split(r"(?<!\\),", text)))
    except ValueError as error:
        # A common name holds 64 characters at most (RFC 5280, ub-common-name).
        raise BAD_PARAMETER(f"Property policy.x509_props.subject has the invalid value '{text}': {error}") from error


def _key(given: Document) -> Document:
    kty = str(given.get("kty", "RSA"))
    if kty.endswith("-HSM"):
        raise BAD_PARAMETER(f"Property policy.key_props.kty has the value {kty}, which a standard vault does not have.")
    known: Document = {
        "exportable": given.get("exportable", True),
        "reuse_key": given.get("reuse_key", False),
        "kty": kty,
    }
    for name in ("exportable", "reuse_key"):
        if not isinstance(known[name], bool):
            raise BAD_PARAMETER(f"Property policy.key_props.{name} has the invalid value {known[name]!r}.")
    if kty == "RSA":
        known["key_size"] = _among("policy.key_props.key_size", given.get("key_size", 2048), KEY_SIZES)
    elif kty == "EC":
        known["crv"] = _among("policy.key_props.crv", given.get("crv", "P-256"), CURVES)
        known["key_size"] = int(known["crv"].removeprefix("P-"))
    else:
        raise BAD_PARAMETER(f"Property policy.key_props.kty has the invalid value {kty}; use RSA or EC.")
    return known


def _secret(given: Document) -> Document:
    content_type = given.get("contentType", PKCS12)
    return {"contentType": _among("policy.secret_props.contentType", content_type, (PEM, PKCS12))}


def _x509(given: Document) -> Document:
    known: Document = {
        "subject": given.get("subject") or "",
        "ekus": given.get("ekus") or ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
        "key_usage": given.get("key_usage") or ["digitalSignature", "keyEncipherment"],
        "validity_months": given.get("validity_months", 12),
        "basic_constraints": {"ca": False},
    }
    if sans := _sans(given.get("sans") or {}):
        known["sans"] = sans
    if not known["subject"] and not sans:
        raise BAD_PARAMETER("Property policy.x509_props needs a subject or subject alternative names.")
    for oid in _texts("policy.x509_props.ekus", known["ekus"]):
        if not OID.fullmatch(oid):
            raise BAD_PARAMETER(f"Property policy.x509_props.ekus has the invalid value {oid}.")
    for usage in _texts("policy.x509_props.key_usage", known["key_usage"]):
        _among("policy.x509_props.key_usage", usage, tuple(KEY_USAGE))
    months = known["validity_months"]
    if type(months) is not int or not 1 <= months <= MAX_MONTHS:
        raise BAD_PARAMETER(f"Property policy.x509_props.validity_months has the invalid value {months!r}.")
    subject_of({"x509_props": known})
    return known


def _sans(given: Any) -> Document:
    if not isinstance(given, dict):
        raise BAD_PARAMETER("Property policy.x509_props.sans must be an object.")
    if given.get("upns"):
        raise NOT_SUPPORTED("user principal names in certificates")
    return {name: _texts(f"policy.x509_props.sans.{name}", given[name]) for name in _NAMES if given.get(name)}


def _issuer(given: Document) -> Document:
    name = given.get("name") or UNKNOWN
    if not isinstance(name, str):
        raise BAD_PARAMETER(f"Property policy.issuer.name has the invalid value {name!r}.")
    known = {member: given[member] for member in ("cty", "cert_transparency") if member in given}
    if not isinstance(known.get("cert_transparency", True), bool):
        raise BAD_PARAMETER("Property policy.issuer.cert_transparency must be true or false.")
    return {"name": name} | known


def _actions(given: Any) -> list[Document]:
    if not isinstance(given, list):
        raise BAD_PARAMETER("Property policy.lifetime_actions must be an array.")
    for row in given:
        trigger = (row.get("trigger") if isinstance(row, dict) else None) or {}
        action = (row.get("action") if isinstance(row, dict) else None) or {}
        if not isinstance(trigger, dict) or not isinstance(action, dict):
            raise BAD_PARAMETER("Property policy.lifetime_actions has an entry without trigger and action.")
        _among("policy.lifetime_actions.action.action_type", action.get("action_type"), ACTIONS)
        limits = {"lifetime_percentage": 99, "days_before_expiry": MAX_MONTHS * 27}
        named = {name: trigger[name] for name in limits if trigger.get(name) is not None}
        if len(named) != 1:
            raise BAD_PARAMETER(f"Property policy.lifetime_actions.trigger needs one of {', '.join(limits)}.")
        for name, value in named.items():
            if type(value) is not int or not 1 <= value <= limits[name]:
                raise BAD_PARAMETER(f"Property policy.lifetime_actions.trigger.{name} has the invalid value {value!r}.")
    return given


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise BAD_PARAMETER(f"Property {name} must be an array of strings.")
    return value


def _among(name: str, value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise BAD_PARAMETER(f"Property {name} has the invalid value {value!r}; use {', '.join(map(str, known))}.")
    return value
