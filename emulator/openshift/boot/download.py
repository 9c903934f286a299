"""Requests from machines: names in their virtual network, load balancers, TLS, and errors in Go's words."""

import ssl
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from emulator.arm.models import ArmModel
from emulator.core.certificate_authority import write_private
from emulator.core.platform import Platform
from emulator.json_object import Json
from emulator.network.reach import Reach
from emulator.openshift.boot.machines import Machine

# Takes a virtual machine's id and a port; returns the local port that serves it now, or None.
Listener = Callable[[str, int], int | None]

TIMEOUT_SECONDS = 10
HTTPS_PORT = 443
# Error codes of OpenSSL: https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/
_OUT_OF_TIME = (9, 10)
_OTHER_NAME = (62, 64)
_UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21, 22, 24, 26, 79)


class DownloadError(Exception):
    """A request failed; the message is what a Go program prints."""


@dataclass(frozen=True)
class Identity:
    """A client certificate with its key, as PEM."""

    certificate_pem: str
    key_pem: str


@dataclass(frozen=True)
class Reply:
    """An HTTP response."""

    status: int
    reason: str
    content: bytes
    server: str


class Downloads:
    """Requests that machines send."""

    def __init__(self, platform: Platform, listener: Listener) -> None:
        self._platform, self._listener = platform, listener

    @cached_property
    def _public(self) -> ssl.SSLContext:
        """The TLS context for public names, which trusts the authority of the local Azure."""
        return _context([self._platform.authority.pem().decode()], None)

    async def send(
        self,
        machine: Machine,
        url: str,
        authorities: Sequence[str] = (),
        identity: Identity | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a GET from a machine, or post a form.

        Raises:
            DownloadError: if there is no connection, or the server cannot be trusted.
        """
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or HTTPS_PORT
        try:
            context = _context(authorities, identity) if authorities else self._public
        except (ssl.SSLError, ValueError) as error:
            raise DownloadError(f"tls: failed to parse certificate: {error}") from error
        # A machine reaches itself without any network.
        server, local = (
            (machine.id, self._listener(machine.id, port))
            if host == "localhost"
            else (self._inside(machine, host, port))
        )
        if server and local is None:
            raise DownloadError(f"dial tcp {host}:{port}: connect: connection refused")
        if local is None:
            # Azure knows from which subnet a call comes.
            proxy = httpx.Proxy(f"http://127.0.0.1:{self._platform.ports['proxy']}", auth=(self._subnet(machine), ""))
            target, headers = url, {}
        else:
            path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            proxy, target, headers = None, f"https://127.0.0.1:{local}{path}", {"Host": parts.netloc}
        # The machine does not see this process's environment, such as its proxy settings.
        async with httpx.AsyncClient(verify=context, proxy=proxy, trust_env=False, timeout=TIMEOUT_SECONDS) as client:
            try:
                answer = await client.request(
                    "GET" if form is None else "POST",
                    target,
                    headers=headers,
                    data=form,
                    extensions={"sni_hostname": host},
                )
            except httpx.HTTPError as error:
                raise DownloadError(_worded(error, host, port)) from error
        return Reply(answer.status_code, answer.reason_phrase, answer.content, server)

    def addresses(self, machine: Machine, host: str) -> list[str]:
        """Return the addresses of a name in the private DNS zones of the machine's network."""
        return self._platform.model(Reach).resolve_private(self._network(machine), host)

    def configurations(self, machine: Machine) -> list[Json]:
        """Return the properties of the IP configurations of the machine's first interface."""
        nic = self._platform.model(ArmModel).get_resource(machine.nics[0], "") if machine.nics else None
        found = (nic or {}).get("properties", {}).get("ipConfigurations") or ()
        return [configuration["properties"] for configuration in found]

    def why_not_out(self, machine: Machine) -> str:
        """Return why the machine's connections do not leave its network, as a clause, or "" if they do."""
        return self._platform.model(Reach).why_not_out(machine.nics[0] if machine.nics else "")

    def _network(self, machine: Machine) -> str:
        """Return the id of the virtual network that the machine is in; raises as `_subnet` does."""
        return self._subnet(machine).rpartition("/subnets/")[0]

    def _subnet(self, machine: Machine) -> str:
        """Return the id of the subnet that the machine is in.

        Raises:
            DownloadError: if it is not in a network.
        """
        for configuration in self.configurations(machine):
            subnet: str = configuration.get("subnet", {}).get("id", "")
            if "/subnets/" in subnet:
                return subnet
        raise DownloadError("dial tcp: connect: network is unreachable")

    def _inside(self, machine: Machine, host: str, port: int) -> tuple[str, int | None]:
        """Return the VM that answers inside the network and its local port; ("", None) for a name outside the network.

        Raises:
            DownloadError: if nobody answers at the name's addresses.
        """
        reach, nic = self._platform.model(Reach), machine.nics[0] if machine.nics else ""
        addresses = self.addresses(machine, host)
        for address in addresses:
            for backend in reach.from_vnet(nic, address, port):
                local = self._listener(backend.vm_id, backend.port)
                if local is not None:
                    return backend.vm_id, local
        if addresses:
            why = reach.why_not_from_vnet(nic, addresses[0], port)
            raise DownloadError(f"dial tcp {addresses[0]}:{port}: i/o timeout{' - ' + why if why else ''}")
        if why := self.why_not_out(machine):
            raise DownloadError(f"dial tcp {host}:{port}: i/o timeout - {why}")
        return "", None


def _context(authorities: Sequence[str], identity: Identity | None) -> ssl.SSLContext:
    # Not the default context: from Python 3.13 on it is stricter about old certificates than Go is.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata="\n".join(authorities))
    if identity is not None:
        # The ssl module reads a chain from files only.
        with tempfile.TemporaryDirectory() as folder:
            chain = f"{identity.certificate_pem}\n{identity.key_pem}".encode()
            context.load_cert_chain(write_private(Path(folder) / "client.pem", chain))
    return context


def _worded(error: httpx.HTTPError, host: str, port: int) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"x509: {_verification(cause, host)}"
    if isinstance(cause, ssl.SSLError):
        return f"remote error: tls: {(cause.reason or 'handshake failure').lower().replace('_', ' ')}"
    if isinstance(error, httpx.ProxyError):
        return f"dial tcp: lookup {host} on 168.63.129.16:53: no such host"
    if isinstance(error, httpx.TimeoutException):
        return f"dial tcp {host}:{port}: i/o timeout"
    return f"dial tcp {host}:{port}: connect: connection refused"


def _verification(error: ssl.SSLCertVerificationError, host: str) -> str:
    if error.verify_code in _OUT_OF_TIME:
        return "certificate has expired or is not yet valid"
    if error.verify_code in _OTHER_NAME:
        return f"certificate is not valid for any names, but wanted to match {host}"
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return "certificate signed by unknown authority"
    return error.verify_message
