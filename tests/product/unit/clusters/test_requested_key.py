"""The bodies of requestAdminCredential: what is taken of them, and what is refused."""

import base64
import itertools
from contextlib import suppress
from datetime import timedelta
from functools import cache
from ipaddress import IPv4Address
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.x509.oid import NameOID

from shared.arm.errors import CloudError
from shared.clusters.credentials import admin_signer, requested_key
from shared.clusters.credentials.requested_key import KEY, REQUEST, SECONDS

SUBJECT = admin_signer.administrator("33333333-0000-4000-8000-000000000003")
P256 = ec.generate_private_key(ec.SECP256R1())
EMPTY = x509.Name([])


@cache
def rsa_key(bits: int = 2048, exponent: int = 65537) -> rsa.RSAPrivateKey:
    """Return a key; a short one only for what is refused."""
    return rsa.generate_private_key(public_exponent=exponent, key_size=bits)


def public(key: Any) -> str:
    """Return the public half of a key in PEM."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    text: bytes = key.public_key().public_bytes(serialization.Encoding.PEM, form)
    return text.decode()


def private(key: Any) -> str:
    """Return a key in PEM."""
    forms = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    text: bytes = key.private_bytes(serialization.Encoding.PEM, *forms)
    return text.decode()


def request(key: Any = P256, subject: x509.Name = EMPTY, *extensions: x509.ExtensionType) -> str:
    """Return a certificate signing request in PEM."""
    builder = x509.CertificateSigningRequestBuilder(subject)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    signed = builder.sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM).decode()


def named(*parts: tuple[x509.ObjectIdentifier, str]) -> x509.Name:
    """Return a subject."""
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in parts])


def forged() -> str:
    """Return a request whose signature is of another key than the one in it."""
    of_other = x509.load_pem_x509_csr(request(ec.generate_private_key(ec.SECP256R1())).encode())
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    other = of_other.public_key().public_bytes(serialization.Encoding.DER, form)
    ours = P256.public_key().public_bytes(serialization.Encoding.DER, form)
    der = of_other.public_bytes(serialization.Encoding.DER)
    assert other in der
    replaced = x509.load_der_x509_csr(der.replace(other, ours))
    return replaced.public_bytes(serialization.Encoding.PEM).decode()


def refused(body: Any) -> str:
    """Return the message and target with which a body is refused."""
    with pytest.raises(CloudError) as caught:
        requested_key.parse(body, SUBJECT)
    assert (caught.value.status_code, caught.value.code) == (400, "InvalidParameter")
    return f"{caught.value.target}: {caught.value.message}"


@pytest.mark.parametrize("key", [P256, rsa_key(), rsa_key(3072)], ids=["P-256", "RSA 2048", "RSA 3072"])
def test_a_public_key_is_enough_and_so_is_a_request(key: Any) -> None:
    """For a working day, unless the caller says otherwise."""
    for body in ({KEY: public(key)}, {REQUEST: request(key)}):
        wanted = requested_key.parse(body, SUBJECT)
        assert wanted.key.public_numbers() == key.public_key().public_numbers()
        assert wanted.life == timedelta(hours=8)


@pytest.mark.parametrize("subject", [EMPTY, SUBJECT.name, x509.Name(reversed(list(SUBJECT.name)))])
def test_a_request_may_have_no_subject_or_the_one_that_it_will_get(subject: x509.Name) -> None:
    """In any order: programs differ."""
    assert requested_key.parse({REQUEST: request(P256, subject)}, SUBJECT)


@pytest.mark.parametrize("seconds", [600, 3600, 86400])
def test_a_caller_chooses_the_life(seconds: int) -> None:
    """From ten minutes to a day."""
    assert requested_key.parse({KEY: public(P256), SECONDS: seconds}, SUBJECT).life == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "name",
    [
        named((NameOID.COMMON_NAME, "system:admin")),
        named((NameOID.ORGANIZATION_NAME, "system:masters"), (NameOID.COMMON_NAME, SUBJECT.user)),
        named((NameOID.COMMON_NAME, SUBJECT.user)),
        named((NameOID.ORGANIZATION_NAME, "system:cluster-admins"), (NameOID.COMMON_NAME, "system:aro-admin:other")),
        x509.Name([*SUBJECT.name, *SUBJECT.name]),
    ],
)
def test_a_request_for_another_name_is_refused_and_told_which_it_gets(name: x509.Name) -> None:
    """Nobody believes to be somebody else."""
    message = refused({REQUEST: request(P256, name)})
    assert message.startswith(f"{REQUEST}: ")
    assert f"CN={SUBJECT.user}" in message


def test_a_request_for_alternative_names_is_refused() -> None:
    """They are names, too."""
    names = x509.SubjectAlternativeName([x509.DNSName("api.example.com")])
    assert "another name" in refused({REQUEST: request(P256, EMPTY, names)})


def test_other_wishes_of_a_request_do_not_count() -> None:
    """The usages are the service's."""
    wishes = x509.BasicConstraints(ca=True, path_length=None)
    assert requested_key.parse({REQUEST: request(P256, EMPTY, wishes)}, SUBJECT)


WEAK = {
    "RSA of 1024 bits": rsa_key(1024),
    "RSA of 2048 bits with the exponent 3": rsa_key(2048, 3),
    "secp384r1": ec.generate_private_key(ec.SECP384R1()),
    "secp256k1": ec.generate_private_key(ec.SECP256K1()),
    "another kind": ed25519.Ed25519PrivateKey.generate(),
}


@pytest.mark.parametrize("what", WEAK)
def test_weak_and_other_keys_are_refused_with_what_is_allowed(what: str) -> None:
    """As a key, and in a request."""
    for body in ({KEY: public(WEAK[what])}, {REQUEST: request(WEAK[what])}):
        message = refused(body)
        assert what in message
        assert message.endswith("Allowed are RSA of 2048 to 4096 bits with the exponent 65537, or P-256.")


LIVES: list[Any] = [0, -1, 599, 86401, 3600.0, "3600", True, [], 10**30]
BAD: dict[str, tuple[Any, str]] = {
    "no object": ([], "has to be an object"),
    "nothing": ({}, f"either '{REQUEST}' or '{KEY}'"),
    "both": ({KEY: public(P256), REQUEST: request()}, f"either '{REQUEST}' or '{KEY}'"),
    "a member of another API": ({KEY: public(P256), "groups": ["system:masters"]}, "There is no member 'groups'"),
    "no text": ({KEY: 7}, "a text in PEM"),
    "null": ({KEY: None}, "a text in PEM"),
    "not ASCII": ({KEY: public(P256) + "\u212a"}, "a text in PEM"),
    "too long": ({KEY: public(P256) + " " * 8192}, "at most 8192 characters"),
    "no PEM": ({KEY: "ssh-rsa AAAA"}, "-----BEGIN PUBLIC KEY-----"),
    "two keys": ({KEY: public(P256) * 2}, "one block"),
    "a request as a key": ({KEY: request()}, "-----BEGIN PUBLIC KEY-----"),
    "a key as a request": ({REQUEST: public(P256)}, "-----BEGIN CERTIFICATE REQUEST-----"),
    "broken": ({KEY: public(P256).replace("M", "N", 1)}, "cannot be read"),
    "a broken request": ({REQUEST: request().replace("M", "N", 1)}, "cannot be read"),
    "a key of a kind that nobody reads": ({KEY: public(dsa.generate_private_key(2048))}, "another kind"),
    "a forged request": ({REQUEST: forged()}, "not signed with the private key"),
    "a private key": ({KEY: private(P256)}, "contains a private key"),
    **{f"life {life!r}": ({KEY: public(P256), SECONDS: life}, "from 600 to 86400") for life in LIVES},
}


@pytest.mark.parametrize("case", BAD)
def test_anything_else_is_refused_with_what_is_allowed(case: str) -> None:
    """And what was sent is not repeated, because it may be secret."""
    body, want = BAD[case]
    message = refused(body)
    assert want in message
    assert "MIG" not in message


@pytest.mark.parametrize("member", [KEY, REQUEST])
def test_no_byte_of_a_key_or_request_makes_it_fail_in_another_way(member: str) -> None:
    """Whatever the bytes say, they are taken or refused."""
    names = x509.SubjectAlternativeName([x509.DNSName("a.example"), x509.IPAddress(IPv4Address("10.0.0.1"))])
    lines = (public(P256) if member == KEY else request(P256, SUBJECT.name, names)).splitlines()
    der = base64.b64decode("".join(lines[1:-1]))
    for place, byte in itertools.product(range(len(der)), (0x00, 0x05, 0x30, 0x80, 0xFF)):
        changed = base64.b64encode(der[:place] + bytes([byte]) + der[place + 1 :]).decode()
        with suppress(CloudError):
            requested_key.parse({member: f"{lines[0]}\n{changed}\n{lines[-1]}\n"}, SUBJECT)
