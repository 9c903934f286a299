"""The facts about certificates, bundles and keys."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from installer.assets.install_certificates import CERTIFICATES
from tests.product.unit.installer import example
from tests.product.unit.installer.facts import facts
from tests.product.unit.installer.facts.comparisons import (
    DATA_URL,
    Fact,
    Section,
    all_paths,
    asset_path,
    boot_text,
    compare,
    decoded,
    made,
    place_of,
)
from tests.product.unit.installer.facts.facts import section

# Certificates that did not exist in 2020: administrators get them since the service no longer hands out the
# installer's.
NEWER = {"user-admin"}
_BASE64 = re.compile(r"[A-Za-z0-9+/\n]{100,}=*\s*")


def chain(file: str) -> list[x509.Certificate]:
    """Return the certificates of a file."""
    return x509.load_pem_x509_certificates(made(f"tls/{file}.crt").encode())


def private_key(file: str) -> rsa.RSAPrivateKey:
    """Return a key, checked."""
    key = serialization.load_pem_private_key(made(f"tls/{file}.key").encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def file_of(fact: dict[str, Any]) -> str:
    """Return our file for a certificate of the facts, by its places there."""
    for place in fact["occurrences"]:
        if found := re.fullmatch(r"tls\.\w+/tls/([\w-]+)(?<!-bundle)\.crt", place):
            return found[1]
    assert any(place.startswith("ARO-service-kubeconfig/") for place in fact["occurrences"])
    return "aro-service"


def certificates() -> Section:
    """Subject, issuer, usages, names, validity, criticality, identifiers, serial, and all places of each."""
    for fact in section("unique_certs"):
        certificate = chain(file_of(fact))[0]
        issuers = [row.issuer for row in CERTIFICATES if row.file == file_of(fact)]
        signer = chain(issuers[0])[0] if issuers[0] else certificate
        have = properties(certificate) | {
            "issuer_found": certificate.issuer == signer.subject,
            "notBefore_equals_issuer_notBefore": certificate.not_valid_before_utc == signer.not_valid_before_utc,
            "occurrences": [place for place in fact["occurrences"] if certificate in certificates_at(place)],
        }
        yield from compare(file_of(fact), fact, have)
    ours = {row.file for row in CERTIFICATES} - NEWER
    yield Fact("no certificate is one too many", {file_of(fact) for fact in section("unique_certs")}, ours)


def properties(certificate: x509.Certificate) -> dict[str, Any]:
    """Return the properties of a certificate that the facts list."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    constraints = extension(certificate, x509.BasicConstraints)
    usage = extension(certificate, x509.KeyUsage)
    extended = extension(certificate, x509.ExtendedKeyUsage)
    names = extension(certificate, x509.SubjectAlternativeName)
    purposes = {ExtendedKeyUsageOID.SERVER_AUTH: "serverAuth", ExtendedKeyUsageOID.CLIENT_AUTH: "clientAuth"}
    key = certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    assert begins == datetime.fromisoformat(example.NOW).astimezone(UTC)
    return {
        "subject": {
            "CN": values(certificate.subject, NameOID.COMMON_NAME)[0],
            "O": values(certificate.subject, NameOID.ORGANIZATION_NAME),
            "OU": values(certificate.subject, NameOID.ORGANIZATIONAL_UNIT_NAME),
        },
        "issuer_CN": values(certificate.issuer, NameOID.COMMON_NAME)[0],
        "issuer_OU": values(certificate.issuer, NameOID.ORGANIZATIONAL_UNIT_NAME),
        "self_signed": certificate.issuer == certificate.subject,
        "isCA": constraints.value.ca,
        "path_length": constraints.value.path_length,
        "basicConstraints_present": constraints is not None,
        "basicConstraints_critical": constraints.critical,
        "key": f"RSA-{key.key_size}",
        "sig_alg": certificate.signature_algorithm_oid._name,
        "validity_days": (ends - begins) / timedelta(days=1),
        "keyUsage": [
            name
            for name in ("digital_signature", "key_encipherment", "key_cert_sign", "crl_sign", "data_encipherment")
            if usage and getattr(usage.value, name)
        ],
        "keyUsage_critical": bool(usage and usage.critical),
        "extKeyUsage": [purposes[oid] for oid in extended.value] if extended else [],
        "extKeyUsage_critical": bool(extended and extended.critical),
        "SAN_dns": names.value.get_values_for_type(x509.DNSName) if names else [],
        "SAN_ip": [str(ip) for ip in names.value.get_values_for_type(x509.IPAddress)] if names else [],
        "SAN_critical": bool(names and names.critical),
        "has_SKI": extension(certificate, x509.SubjectKeyIdentifier) is not None,
        "has_AKI": extension(certificate, x509.AuthorityKeyIdentifier) is not None,
        "x509_version": certificate.version.name,
        "serial_bits_le_63": certificate.serial_number.bit_length() <= 63,
    }


def extension(certificate: x509.Certificate, kind: Any) -> Any:
    """Return an extension, or None."""
    try:
        return certificate.extensions.get_extension_for_class(kind)
    except x509.ExtensionNotFound:
        return None


def values(name: x509.Name, oid: x509.ObjectIdentifier) -> list[str]:
    """Return the values of a part of a name."""
    return [str(attribute.value) for attribute in name.get_attributes_for_oid(oid)]


def bundles(value: Any) -> Iterator[list[x509.Certificate]]:
    """Yield the groups of certificates that are together anywhere in an object."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from bundles(item)
    elif not isinstance(value, str):
        return
    elif value.startswith("-----BEGIN CERTIFICATE"):
        yield x509.load_pem_x509_certificates(value.encode())
    elif value.startswith("{"):
        yield from bundles(json.loads(value))
    elif value.startswith(DATA_URL):
        yield from bundles(decoded(value.removeprefix(DATA_URL)))
    elif _BASE64.fullmatch(value):
        yield from bundles(decoded(value))


def bundles_of(text: str) -> list[list[x509.Certificate]]:
    """Return those of a file."""
    return list(bundles(text if text.startswith("-----") else yaml.safe_load(text)))


def certificates_at(place: str) -> list[x509.Certificate]:
    """Return all certificates at a place: a file in an ignition, or an asset's file."""
    holder, path = place_of(place)
    text = boot_text(path) if holder == "bootstrap.ign" else made(asset_path(holder, path))
    return [certificate for found in bundles_of(text) for certificate in found]


def certificates_by_file() -> Section:
    """Bundles and chains, in their order, everywhere in the bootstrap ignition and the pointers."""
    wanted: dict[str, list[list[str]]] = {}
    for place, names in facts.facts()["certificates_by_file"].items():
        wanted.setdefault(place.split(" ")[0], []).append(names)
    for path, lists in wanted.items():
        text = boot_text(path) if path.startswith("/") else made(path.partition(":")[0])
        found = [[values(one.subject, NameOID.COMMON_NAME)[0] for one in bundle] for bundle in bundles_of(text)]
        yield Fact(path, sorted(lists), sorted(found))


def keys() -> Section:
    """Their number, without those that are newer than the facts."""
    paths = {path for path in all_paths() if path.endswith(".key")} - {f"tls/{file}.key" for file in NEWER}
    distinct = len({made(path) for path in paths})
    # This graph makes the service's own; in the original it was made later.
    have = {"distinct_private_keys_seen": distinct, "generated_in_graph_counted": distinct - 1}
    yield from compare("rsa", facts.facts()["rsa"], have)


def public_keys() -> Section:
    """In the ignition and in the graph."""
    for place, _, kind in section("public_keys"):
        text = boot_text(place.partition(":")[2]) if ":" in place else made(place.partition("/")[2])
        yield Fact(place, kind, text.partition("-----BEGIN ")[2].partition("-----")[0])
