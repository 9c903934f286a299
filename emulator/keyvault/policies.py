"""What a certificate's policy says, and its defaults."""

import re

from cryptography import x509

from emulator.core.store import Document
from emulator.keyvault.exceptions import BAD_PARAMETER

PEM = "application/x-pem-file"
PKCS12 = "application/x-pkcs12"
SELF = "Self"
UNKNOWN = "Unknown"
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


def complete(wish: Document) -> Document:
    """Return a complete policy: each group of the request, filled up with defaults.

    Raises:
        ServiceError: 400 `BadParameter`: the certificate would have no name, or one that X.509 does not allow.
    """
    groups = {"key_props": _key, "secret_props": _secret, "x509_props": _x509, "issuer": _issuer}
    policy: Document = {
        group: fill({name: value for name, value in (wish.get(group) or {}).items() if value is not None})
        for group, fill in groups.items()
    }
    return policy | {"lifetime_actions": wish.get("lifetime_actions") or []}


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
    known = {"exportable": True, "reuse_key": False, "kty": "RSA"} | given
    if known["kty"] == "RSA":
        return {"key_size": 2048} | known
    curve = known.get("crv", "P-256")
    return known | {"crv": curve, "key_size": int(str(curve).removeprefix("P-"))}


def _secret(given: Document) -> Document:
    return {"contentType": PKCS12} | given


def _x509(given: Document) -> Document:
    known: Document = {
        "subject": given.get("subject") or "",
        "ekus": given.get("ekus") or ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
        "key_usage": given.get("key_usage") or ["digitalSignature", "keyEncipherment"],
        "validity_months": given.get("validity_months", 12),
        "basic_constraints": {"ca": False},
    }
    if sans := {name: names for name, names in (given.get("sans") or {}).items() if names}:
        known["sans"] = sans
    if not known["subject"] and not sans:
        raise BAD_PARAMETER("Property policy.x509_props needs a subject or subject alternative names.")
    subject_of({"x509_props": known})
    return known


def _issuer(given: Document) -> Document:
    return {"name": UNKNOWN} | given
