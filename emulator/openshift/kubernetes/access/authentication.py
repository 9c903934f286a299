"""Authentication: the caller is the user in the client certificate, or anonymous."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from OpenSSL import crypto

from emulator.core.clock import Clock
from emulator.openshift.kubernetes import api_errors

AUTHENTICATED, UNAUTHENTICATED, MASTERS = "system:authenticated", "system:unauthenticated", "system:masters"
KEPT_CERTIFICATES = 256


@dataclass(frozen=True)
class User:
    """A caller."""

    name: str
    groups: tuple[str, ...]


ANONYMOUS = User("system:anonymous", (UNAUTHENTICATED,))


class Authenticator:
    """Identifies the users of one listener."""

    def __init__(self, client_ca_pem: str, clock: Clock) -> None:
        self._clock = clock
        self.trust(client_ca_pem)

    def trust(self, client_ca_pem: str) -> None:
        """Trust these authorities from now on, and no others."""
        self._authorities = x509.load_pem_x509_certificates(client_ca_pem.encode())
        self._known: dict[x509.Certificate, User] = {}

    def user(self, certificate: x509.Certificate | None, headers: Mapping[str, str]) -> User:
        """Return the user who calls.

        Raises:
            ServiceError: 401 for a certificate that is not valid or not accepted, and for a bearer token, because none
                are issued.
        """
        if certificate is None:
            if headers.get("authorization", "").lower().startswith("bearer "):
                raise api_errors.UNAUTHORIZED()
            return ANONYMOUS
        now = self._clock.now().astimezone(UTC)
        if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
            raise api_errors.UNAUTHORIZED()
        if certificate not in self._known:
            if len(self._known) >= KEPT_CERTIFICATES:
                self._known.clear()
            self._known[certificate] = self._verified(certificate, now)
        return self._known[certificate]

    def _verified(self, certificate: x509.Certificate, now: datetime) -> User:
        # A store keeps the first time that it is told.
        store = crypto.X509Store()
        store.set_time(now)
        for authority in self._authorities:
            store.add_cert(crypto.X509.from_cryptography(authority))
        # A chain may end at an intermediate that is in the bundle.
        store.set_flags(crypto.X509StoreFlags.PARTIAL_CHAIN)
        try:
            crypto.X509StoreContext(store, crypto.X509.from_cryptography(certificate)).verify_certificate()
        except crypto.X509StoreContextError as error:
            raise api_errors.UNAUTHORIZED() from error
        names = [str(one.value) for one in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
        groups = [str(one.value) for one in certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
        if not names or not _is_for_clients(certificate):
            raise api_errors.UNAUTHORIZED()
        return User(names[0], (*groups, AUTHENTICATED))


def _is_for_clients(certificate: x509.Certificate) -> bool:
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return True
    return any(one in (ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE) for one in usage)
