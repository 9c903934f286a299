"""The two API servers that the contract tests run against: the emulated one, and the real one where it is installed."""

import asyncio
import os
import signal
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding

from emulator.core.certificate_authority import CertificateAuthority, PrivateKey, private_key_pem, write_private
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.kubernetes import ApiServer, Certificate, Serving, create
from emulator.openshift.operators import statuses
from emulator.openshift.release.kinds import definitions, full_name
from tests.platform_server import Listening, free_port, listening

READY_SECONDS = 120.0
OWN_SERVICE = "/api/v1/namespaces/default/services/kubernetes"
# The network of Services.
SERVICES = "10.0.0.0/24"
# The binaries are looked for here if the variables that controller-runtime's envtest uses are unset.
BESIDE = Path(__file__).parents[5] / "shared" / "bin"
BINARIES = {"TEST_ASSET_KUBE_APISERVER": "kube-apiserver", "TEST_ASSET_ETCD": "etcd"}


class NoBinaryError(Exception):
    """The real server is not installed here."""


@dataclass
class Api:
    """One API server, and the authority that signs its users' certificates."""

    url: str
    authority: CertificateAuthority
    folder: Path
    is_real: bool = False
    _clients: dict[tuple[str, tuple[str, ...]], httpx.Client] = field(default_factory=dict)

    def client_certificate(
        self, user: str, *groups: str, authority: CertificateAuthority | None = None, days: int = 1
    ) -> Path:
        """Issue a certificate for a user; return the file with it and its key.

        Args:
            user: common name.
            groups: organizations.
            authority: authority that signs it; by default the one that the server trusts.
            days: days until it expires.
        """
        certificate, key = (authority or self.authority).issue(user, organizations=groups, client=True, days=days)
        return self.write_pair(certificate, key)

    def write_pair(self, certificate: x509.Certificate, key: PrivateKey) -> Path:
        """Write a certificate and its key to one file; return it."""
        path = self.folder / f"{certificate.serial_number:x}.pem"
        return write_private(path, certificate.public_bytes(Encoding.PEM) + private_key_pem(key))

    def client(self, user: str = "admin", *groups: str) -> httpx.Client:
        """Return a client with a user's certificate; `admin` may do everything."""
        if user == "admin":
            groups = ("system:masters",)
        if (user, groups) not in self._clients:
            self._clients[user, groups] = self.client_with(self.client_certificate(user, *groups))
        return self._clients[user, groups]

    def client_with(self, certificate: Path | None) -> httpx.Client:
        """Return a client with a certificate, or with none."""
        context = ssl.create_default_context(cafile=str(self.authority.certificate_path))
        if certificate is not None:
            context.load_cert_chain(certificate)
        # The agent must not look like a browser's, for which the real server indents its answers.
        headers = {"User-Agent": "contract"}
        return httpx.Client(base_url=self.url, verify=context, trust_env=False, headers=headers, timeout=60)

    def close(self) -> None:
        """Close the clients."""
        for client in self._clients.values():
            client.close()


@dataclass
class EmulatedApi(Api):
    """The emulated server, with the platform behind it."""

    server: ApiServer = field(kw_only=True)
    local: Listening = field(kw_only=True)

    @property
    def platform(self) -> Platform:
        """The platform that the server runs on."""
        return self.local.platform

    def put(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Write an object from inside the process, in its loop, as operators do."""

        async def put() -> dict[str, Any]:
            return self.server.objects.put(obj)

        return self.local.run(put())


@contextmanager
def controlled(folder: Path) -> Iterator[EmulatedApi]:
    """Run the emulated server with OpenShift's kinds, where workloads become current by themselves."""
    with emulated(folder, time_scale=60) as api:
        changed: set[statuses.Key] = set()

        def note(_event: str, obj: dict[str, Any]) -> None:
            metadata = obj["metadata"]
            changed.add((full_name(obj), metadata.get("namespace", ""), metadata["name"]))

        async def control() -> None:
            objects = api.server.objects
            current = statuses.Statuses(objects, api.platform.clock)
            while True:
                noted = changed.copy()
                changed.clear()
                for kind, namespace, name in noted:
                    daemon_set = objects.get(kind, name, namespace) if kind == "DaemonSet.apps" else None
                    if daemon_set is not None:
                        counts = daemon_set["status"] | {"observedGeneration": daemon_set["metadata"]["generation"]}
                        # There are no nodes here.
                        objects.set_status(kind, name, counts, namespace)
                current.reconcile(noted)
                await asyncio.sleep(0.1)

        async def begin() -> asyncio.Task[None]:
            api.server.objects.subscribe(note)
            for definition in definitions():
                api.server.objects.define(definition)
            return asyncio.create_task(control())

        task = api.local.run(begin())
        try:
            yield api
        finally:
            api.local.loop.call_soon_threadsafe(task.cancel)


def serving(authority: CertificateAuthority, *names: str) -> Serving:
    """Return what a server on loopback serves with: certificates for localhost and for each further name."""
    certificates = [("localhost", "127.0.0.1"), *((name,) for name in names)]
    issued = [(each, authority.issue(each[0], names=each)) for each in certificates]
    return Serving(
        [
            Certificate(each, leaf.public_bytes(Encoding.PEM).decode(), private_key_pem(key).decode())
            for each, (leaf, key) in issued
        ],
        authority.pem().decode(),
    )


@contextmanager
def emulated(folder: Path, time_scale: float = 1.0) -> Iterator[EmulatedApi]:
    """Run the emulated server, with its state in a folder.

    Args:
        folder: folder of the state.
        time_scale: how much faster than in Azure pods start, if controllers run.
    """
    platform = Platform(folder / "state", clock=Clock(time_scale), world=World())
    platform.services.append(create(platform))
    authority = CertificateAuthority(folder / "users")
    with listening(platform) as local:
        server = ApiServer(platform, "contract", SERVICES)
        port = local.run(server.listen(serving(authority, "api.example.com")))
        api = EmulatedApi(
            f"https://localhost:{port}",
            authority,
            folder,
            server=server,
            local=local,
        )
        try:
            yield api
        finally:
            api.close()
            local.run(server.stop())


@contextmanager
def real(folder: Path) -> Iterator[Api]:
    """Run etcd and kube-apiserver.

    Raises:
        NoBinaryError: they are not installed.
    """
    server, etcd = (_binary(variable, name) for variable, name in BINARIES.items())
    authority = CertificateAuthority(folder / "users")
    signing = write_private(folder / "signing.key", private_key_pem(rsa.generate_private_key(65537, 2048)))
    leaf, key = authority.issue("localhost", names=("localhost", "127.0.0.1"))
    pair = write_private(folder / "serving.pem", leaf.public_bytes(Encoding.PEM) + private_key_pem(key))
    client_port, peer_port, port = free_port(), free_port(), free_port()
    store, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    with ExitStack() as stack:
        stack.enter_context(
            _running(
                folder / "etcd.log",
                [
                    str(etcd),
                    f"--data-dir={folder / 'etcd'}",
                    f"--listen-client-urls={store}",
                    f"--advertise-client-urls={store}",
                    f"--listen-peer-urls={peer}",
                    f"--initial-advertise-peer-urls={peer}",
                    f"--initial-cluster=default={peer}",
                    "--unsafe-no-fsync",
                ],
            )
        )
        process = stack.enter_context(
            _running(
                folder / "apiserver.log",
                [
                    str(server),
                    f"--etcd-servers={store}",
                    f"--tls-cert-file={pair}",
                    f"--tls-private-key-file={pair}",
                    "--bind-address=127.0.0.1",
                    "--advertise-address=127.0.0.1",
                    f"--secure-port={port}",
                    "--insecure-port=0",
                    f"--service-cluster-ip-range={SERVICES}",
                    "--authorization-mode=RBAC",
                    # As on OpenShift, where security context constraints decide what pods may do.
                    "--allow-privileged=true",
                    f"--client-ca-file={authority.certificate_path}",
                    f"--service-account-key-file={signing}",
                    f"--service-account-signing-key-file={signing}",
                    "--service-account-issuer=https://localhost",
                    "--disable-admission-plugins=ServiceAccount",
                ],
            )
        )
        api = Api(f"https://localhost:{port}", authority, folder, is_real=True)
        stack.callback(api.close)
        _await_ready(api, process, folder / "apiserver.log")
        yield api


def _binary(variable: str, name: str) -> Path:
    path = Path(os.environ.get(variable) or BESIDE / name)
    if not path.is_file():
        raise NoBinaryError(f"no {name}: set {variable} to one, or put it at {BESIDE / name}")
    return path


@contextmanager
def _running(log: Path, command: list[str]) -> Iterator[subprocess.Popen[Any]]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            # Neither process has anything to save: the folder is not needed after the session.
            process.send_signal(signal.SIGKILL)
            process.wait()


def _await_ready(api: Api, process: subprocess.Popen[Any], log: Path) -> None:
    """Poll the server until it is ready; it cannot notify the test."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            # It makes its own Service a moment after it is ready.
            if all(api.client().get(path).status_code == httpx.codes.OK for path in ("/readyz", OWN_SERVICE)):
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"kube-apiserver is not ready: {log.read_text()[-2000:]}")
