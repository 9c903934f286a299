"""TLS servers for asyncio, on pyOpenSSL, that accept any client certificate if the caller holds its key.

The standard library cannot do this: it refuses, during the handshake, a certificate that chains to no trusted root. App
Service accepts such a certificate and leaves the decision to the app. A Kubernetes API server accepts it too, and
answers 401.
"""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from cryptography import x509
from OpenSSL import SSL

from emulator.core.certificate_authority import read_private_key

_CHUNK_BYTES = 65536
_HANDSHAKE_SECONDS = 30


class Stream(Protocol):
    """The protocol inside an encrypted connection."""

    def data_received(self, data: bytes) -> None:
        """Receive decrypted bytes."""

    def connection_lost(self) -> None:
        """End the protocol: the caller is gone."""

    def pause_writing(self) -> None:
        """Stop writing: the caller reads too slowly."""

    def resume_writing(self) -> None:
        """Write again: the caller has caught up."""


def server_context(certificate_file: Path, key_file: Path, *, asks: bool = True) -> SSL.Context:
    """Build a context for TLS 1.2 or later that asks for a client certificate and accepts any.

    OpenSSL itself verifies that the caller holds the certificate's key; the callback only skips the check of the chain.

    Args:
        certificate_file: PEM file with the certificate chain.
        key_file: PEM file with the private key.
        asks: whether to ask for a client certificate at all.
    """
    context = _context()
    if asks:
        _ask(context)
    context.use_certificate_chain_file(str(certificate_file))
    context.use_privatekey_file(str(key_file))
    context.check_privatekey()
    return context


def server_context_of(chain_pem: str, key_pem: str, client_ca_pem: str = "") -> SSL.Context:
    """Build a context from PEM texts that lists the authorities of the client certificates it wants.

    Go's clients show only certificates that a listed authority has signed.

    Args:
        chain_pem: the server's certificate, followed by its intermediates.
        key_pem: the unencrypted key of the server's certificate.
        client_ca_pem: certificates of the listed authorities; if "", the context asks for no client certificate.

    Raises:
        ValueError: a text is not PEM, the key belongs to another certificate, or OpenSSL rejects the certificate.
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
    """One encrypted connection. It creates the inner stream when the handshake is complete."""

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

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the caller's handshake, and abort the connection if it takes too long."""
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"{transport!r} is not a stream transport")
        self._transport = transport
        self.peer = transport.get_extra_info("peername")
        self._handshake_timer = asyncio.get_running_loop().call_later(_HANDSHAKE_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Decrypt received data and pass it to the inner stream."""
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
            self._flush()  # Sends the alert that tells the caller why.
            self.close()

    def connection_lost(self, _error: Exception | None) -> None:
        """Tell the inner stream that the caller is gone."""
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
        if self._stream is not None:
            self._stream.connection_lost()

    def pause_writing(self) -> None:
        """Tell the inner stream that the caller reads too slowly."""
        if self._stream is not None:
            self._stream.pause_writing()

    def resume_writing(self) -> None:
        """Tell the inner stream that the caller has caught up."""
        if self._stream is not None:
            self._stream.resume_writing()

    # Called by the inner stream

    def write(self, data: bytes) -> None:
        """Encrypt and send data."""
        if self._transport is None or self._transport.is_closing():
            return
        with contextlib.suppress(SSL.Error):
            self._ssl.sendall(data)
        if len(data) > _CHUNK_BYTES:
            self._flush()
        elif self._flush_handle is None:
            # The head and the body of an answer come in two writes; the delay sends both in one packet.
            self._flush_handle = asyncio.get_running_loop().call_soon(self._flush)

    def pause_reading(self) -> None:
        """Stop receiving from the caller for now."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Receive from the caller again."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """Send the remaining data and close."""
        if self._transport is None or self._transport.is_closing():
            return
        with contextlib.suppress(SSL.Error):
            self._ssl.shutdown()
            self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once, and lose data that has not been sent yet."""
        if self._transport is not None:
            self._transport.abort()

    def is_closing(self) -> bool:
        """Tell whether the connection is closed or closing."""
        return self._transport is None or self._transport.is_closing()

    def get_extra_info(self, name: str) -> Any:
        """Return what asyncio knows about the underlying connection."""
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
