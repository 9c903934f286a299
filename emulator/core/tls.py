"""A TLS server side for asyncio on pyOpenSSL that takes any client certificate whose key the caller holds.

The standard library cannot: it refuses a certificate that chains to no trusted root during the handshake. App Service
does not; it passes the certificate on and leaves the judgement to the app. Neither does a Kubernetes API server: it
answers 401.
"""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from cryptography import x509
from OpenSSL import SSL

from emulator.core.certificates import read_private_key

_CHUNK_BYTES = 65536
_HANDSHAKE_SECONDS = 30


class Stream(Protocol):
    """What is spoken inside a connection."""

    def data_received(self, data: bytes) -> None:
        """Take decrypted bytes."""

    def connection_lost(self) -> None:
        """The caller is gone."""

    def pause_writing(self) -> None:
        """The caller reads too slowly."""

    def resume_writing(self) -> None:
        """The caller has caught up."""


def server_context(certificate_file: Path, key_file: Path) -> SSL.Context:
    """Build the context: TLS 1.2 or later, a client certificate asked for and never judged.

    OpenSSL itself proves that the caller holds the certificate's key; the callback only waives the chain.
    """
    context = _context()
    _ask(context)
    context.use_certificate_chain_file(str(certificate_file))
    context.use_privatekey_file(str(key_file))
    context.check_privatekey()
    return context


def server_context_of(chain_pem: str, key_pem: str, client_ca_pem: str = "") -> SSL.Context:
    """Build the same context from PEM texts, which tells callers whose certificates are worth showing.

    Go's clients show none that no listed authority signed. Without any authority, no certificate is asked for.

    Raises:
        ValueError: no PEM, the key is of another certificate, or OpenSSL does not serve with it.
    """
    context = _context()
    certificate, *intermediates = x509.load_pem_x509_certificates(chain_pem.encode())
    key = read_private_key(key_pem)
    if key.public_key() != certificate.public_key():
        raise ValueError(f"the key is not the one of {certificate.subject.rfc4514_string()}")
    try:
        context.use_certificate(certificate)
        for intermediate in intermediates:
            context.add_extra_chain_cert(intermediate)
        context.use_privatekey(key)
    except SSL.Error as error:
        raise ValueError(f"OpenSSL does not serve with {certificate.subject.rfc4514_string()}: {error}") from error
    if client_ca_pem:
        _ask(context)
        for authority in x509.load_pem_x509_certificates(client_ca_pem.encode()):
            context.add_client_ca(authority)
    return context


def _context() -> SSL.Context:
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.set_min_proto_version(SSL.TLS1_2_VERSION)
    context.set_alpn_select_callback(_select_protocol)
    return context


def _ask(context: SSL.Context) -> None:
    context.set_verify(SSL.VERIFY_PEER, lambda *_verdict: True)
    context.set_session_id(b"local azure")  # Without one, a resumed session with a client certificate is refused.


def _select_protocol(_connection: SSL.Connection, offered: list[bytes]) -> Any:
    return b"http/1.1" if b"http/1.1" in offered else SSL.NO_OVERLAPPING_PROTOCOLS


class TLSConnection(asyncio.Protocol):
    """One encrypted connection; the inner stream is made when the handshake is done."""

    def __init__(self, context: SSL.Context, make_stream: Callable[["TLSConnection"], Stream]) -> None:
        self._ssl = SSL.Connection(context, None)
        self._ssl.set_accept_state()
        self._make_stream = make_stream
        self._stream: Stream | None = None
        self._transport: asyncio.Transport | None = None
        self._handshake_timer: asyncio.TimerHandle | None = None
        self._flush_handle: asyncio.Handle | None = None
        self.certificate: x509.Certificate | None = None
        self.peer: Any = None

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the caller's greeting."""
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"{transport!r} is no stream transport")
        self._transport = transport
        self.peer = transport.get_extra_info("peername")
        self._handshake_timer = asyncio.get_running_loop().call_later(_HANDSHAKE_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Decrypt what arrived and hand it on."""
        try:
            self._ssl.bio_write(data)
            if self._stream is None:
                self._ssl.do_handshake()
                self._begin_stream()
            while self._stream is not None:
                self._stream.data_received(self._ssl.recv(_CHUNK_BYTES))
        except SSL.WantReadError:
            self._flush()
        except (SSL.ZeroReturnError, SSL.SysCallError):
            self.close()
        except SSL.Error:
            self._flush()  # The alert that tells the caller why.
            self.close()

    def connection_lost(self, _error: Exception | None) -> None:
        """Tell the inner stream."""
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
        if self._stream is not None:
            self._stream.connection_lost()

    def pause_writing(self) -> None:
        """Pass on that the caller reads too slowly."""
        if self._stream is not None:
            self._stream.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the caller has caught up."""
        if self._stream is not None:
            self._stream.resume_writing()

    # What the inner stream calls.

    def write(self, data: bytes) -> None:
        """Encrypt and send."""
        if self._transport is None or self._transport.is_closing():
            return
        with contextlib.suppress(SSL.Error):
            self._ssl.sendall(data)
        if len(data) > _CHUNK_BYTES:
            self._flush()
        elif self._flush_handle is None:
            # HTTP's head and body come one after the other: both go in one packet.
            self._flush_handle = asyncio.get_running_loop().call_soon(self._flush)

    def pause_reading(self) -> None:
        """Take no more from the caller for now."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take more from the caller again."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """Send what is left and close."""
        if self._transport is None or self._transport.is_closing():
            return
        with contextlib.suppress(SSL.Error):
            self._ssl.shutdown()
            self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once; what is not sent yet is lost."""
        if self._transport is not None:
            self._transport.abort()

    def is_closing(self) -> bool:
        """Tell whether the connection is or will be closed."""
        return self._transport is None or self._transport.is_closing()

    def get_extra_info(self, name: str) -> Any:
        """Return what asyncio knows of the connection below."""
        return None if self._transport is None else self._transport.get_extra_info(name)

    def _begin_stream(self) -> None:
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
        certificate = self._ssl.get_peer_certificate()
        self.certificate = None if certificate is None else certificate.to_cryptography()
        self._flush()
        self._stream = self._make_stream(self)

    def _flush(self) -> None:
        if self._flush_handle is not None:
            self._flush_handle.cancel()
            self._flush_handle = None
        with contextlib.suppress(SSL.WantReadError):
            while self._transport is not None:
                self._transport.write(self._ssl.bio_read(_CHUNK_BYTES))
