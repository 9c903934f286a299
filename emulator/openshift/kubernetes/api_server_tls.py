"""The TLS side of an API server: certificates by server name, and the authorities of client certificates."""

from dataclasses import dataclass, field

from OpenSSL import SSL

from emulator.core.tls import server_context_of


@dataclass(frozen=True)
class Certificate:
    """One serving certificate.

    Args:
        names: the server names (SNI) for which it is presented; `*.` at the beginning stands for one label.
        chain_pem: the certificate, then its intermediates.
        key_pem: its private key, unencrypted.
    """

    names: tuple[str, ...]
    chain_pem: str
    key_pem: str


@dataclass(frozen=True)
class Serving:
    """Everything that a listener needs for TLS."""

    certificates: list[Certificate]
    client_ca_pem: str


@dataclass
class Contexts:
    """The TLS contexts of a listener, each made when it is first needed, because most names are never requested."""

    serving: Serving
    _made: dict[int, SSL.Context] = field(default_factory=dict)

    def first(self) -> SSL.Context:
        """Return the context in which each connection begins.

        Raises:
            ValueError: if the certificate is not PEM, or the key belongs to another one.
        """
        return self._context(0)

    def renew(self, serving: Serving) -> None:
        """Present other certificates on connections from now on.

        Raises:
            ValueError: as `first`; then nothing changes.
        """
        before = self.serving, self._made
        self.serving, self._made = serving, {}
        try:
            self.first()
        except ValueError:
            self.serving, self._made = before
            raise

    def _choose(self, connection: SSL.Connection) -> None:
        asked = (connection.get_servername() or b"").decode("ascii", "replace").lower()
        meant = {asked, f"*.{asked.partition('.')[2]}"}
        for index, certificate in enumerate(self.serving.certificates):
            if not meant.isdisjoint(certificate.names):
                connection.set_context(self._context(index))
                return

    def _context(self, index: int) -> SSL.Context:
        if index not in self._made:
            certificate = self.serving.certificates[index]
            context = server_context_of(certificate.chain_pem, certificate.key_pem, self.serving.client_ca_pem)
            if index == 0:
                context.set_tlsext_servername_callback(self._choose)
            self._made[index] = context
        return self._made[index]
