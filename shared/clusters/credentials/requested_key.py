"""What a caller of requestAdminCredential sends: a public key, and for how long. Everything else is the service's."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from shared import durations
from shared.arm.errors import CloudError, invalid_parameter, shown
from shared.clusters.credentials.admin_signer import PublicKey, Subject

REQUEST, KEY, SECONDS = "certificateSigningRequest", "publicKey", "expirationSeconds"
_MEMBERS = (REQUEST, KEY, SECONDS)
# What reading may raise where the bytes are something else.
_UNREADABLE = (
    ValueError,
    UnsupportedAlgorithm,
    InvalidSignature,
    x509.InvalidVersion,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)
# A request with the largest key has less than a third of this.
_MOST_CHARACTERS = 8192
_SHORTEST_BITS, _LONGEST_BITS, _EXPONENT = 2048, 4096, 65537
ALLOWED = f"RSA of {_SHORTEST_BITS} to {_LONGEST_BITS} bits with the exponent {_EXPONENT}, or P-256"
_HEADINGS = {REQUEST: "CERTIFICATE REQUEST", KEY: "PUBLIC KEY"}


@dataclass(frozen=True)
class Wanted:
    """A valid request: the key to certify, and for how long."""

    key: PublicKey
    life: timedelta


def parse(body: Any, subject: Subject) -> Wanted:
    """Check the body of a request.

    Args:
        body: the parsed body.
        subject: the subject that the certificate will have. A request may name it, or none.

    Raises:
        CloudError: 400 `InvalidParameter`, with the member, what is wrong with it, and what is allowed.
    """
    if not isinstance(body, Mapping):
        raise invalid_parameter("", f"The body has to be an object with '{REQUEST}' or '{KEY}'.")
    if unknown := [name for name in body if name not in _MEMBERS]:
        raise invalid_parameter(
            shown(unknown[0]), f"There is no member '{shown(unknown[0])}'. A request has {', '.join(_MEMBERS)}."
        )
    life = _life(body.get(SECONDS))
    if (REQUEST in body) == (KEY in body):
        raise invalid_parameter(REQUEST, f"Send either '{REQUEST}' or '{KEY}'.")
    return Wanted(_requested(_text(body, REQUEST), subject) if REQUEST in body else _given(_text(body, KEY)), life)


def _life(seconds: Any) -> timedelta:
    if seconds is None:
        return durations.CREDENTIAL
    shortest, longest = durations.SHORTEST_CREDENTIAL, durations.LONGEST_CREDENTIAL
    # To Python, `true` is a number.
    if type(seconds) is not int or not shortest.total_seconds() <= seconds <= longest.total_seconds():
        raise invalid_parameter(
            SECONDS,
            f"The value '{shown(str(seconds))}' of '{SECONDS}' is not a whole number from "
            f"{int(shortest.total_seconds())} to {int(longest.total_seconds())}. Without it, a certificate lasts "
            f"{int(durations.CREDENTIAL.total_seconds())} seconds.",
        )
    return timedelta(seconds=seconds)


def _text(body: Mapping[str, Any], member: str) -> bytes:
    """Return the only PEM block of a member.

    Raises:
        CloudError: if it has anything else. The message does not repeat the value, which may be a private key.
    """
    value, heading = body[member], _HEADINGS[member]
    if not isinstance(value, str) or len(value) > _MOST_CHARACTERS or not value.isascii():
        raise invalid_parameter(member, f"'{member}' has to be a text in PEM of at most {_MOST_CHARACTERS} characters.")
    if "PRIVATE KEY" in value:
        raise invalid_parameter(
            member, f"'{member}' contains a private key. Keep it to yourself, and make another one: this one was sent."
        )
    if value.count("-----BEGIN ") != 1 or f"-----BEGIN {heading}-----" not in value:
        raise invalid_parameter(member, f"'{member}' has to be one block '-----BEGIN {heading}-----' in PEM.")
    return value.encode("ascii")


def _given(pem: bytes) -> PublicKey:
    try:
        key = serialization.load_pem_public_key(pem)
    except _UNREADABLE as error:
        raise invalid_parameter(KEY, f"'{KEY}' cannot be read. Allowed are {ALLOWED}.") from error
    return _allowed(key, KEY)


def _requested(pem: bytes, subject: Subject) -> PublicKey:
    """Return the key of a certificate signing request, whose signature shows that its sender has the private key."""
    try:
        request = x509.load_pem_x509_csr(pem)
        key, names, proven = request.public_key(), list(request.subject), request.is_signature_valid
        others = [one for one in request.extensions if isinstance(one.value, x509.SubjectAlternativeName)]
    except _UNREADABLE as error:
        raise invalid_parameter(REQUEST, f"'{REQUEST}' cannot be read. Allowed are {ALLOWED}.") from error
    allowed = _allowed(key, REQUEST)
    if not proven:
        raise invalid_parameter(REQUEST, f"'{REQUEST}' is not signed with the private key of the key that it has.")
    if others or (names and sorted(names, key=_order) != sorted(subject.name, key=_order)):
        raise invalid_parameter(
            REQUEST,
            f"'{REQUEST}' asks for another name. Leave its subject empty (openssl req -new -subj /) and add no "
            f"alternative names: the certificate gets '{subject.name.rfc4514_string()}'.",
        )
    return allowed


def _order(attribute: x509.NameAttribute[Any]) -> tuple[str, str]:
    return attribute.oid.dotted_string, str(attribute.value)


def _allowed(key: object, member: str) -> PublicKey:
    match key:
        case rsa.RSAPublicKey() if (
            _SHORTEST_BITS <= key.key_size <= _LONGEST_BITS and key.public_numbers().e == _EXPONENT
        ):
            return key
        case ec.EllipticCurvePublicKey() if isinstance(key.curve, ec.SECP256R1):
            return key
        case _:
            raise _refused(key, member)


def _refused(key: object, member: str) -> CloudError:
    match key:
        case rsa.RSAPublicKey():
            what = f"RSA of {key.key_size} bits with the exponent {key.public_numbers().e}"
        case ec.EllipticCurvePublicKey():
            what = f"of the curve {key.curve.name}"
        case _:
            what = "of another kind"
    return invalid_parameter(member, f"The key in '{member}' is {what}. Allowed are {ALLOWED}.")
