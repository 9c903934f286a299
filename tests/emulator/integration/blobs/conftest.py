"""Azurite and a platform with Entra ID and blobs for all tests here, and SDK clients that reach them."""

import base64
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from azure.storage.blob import BlobServiceClient

from emulator import blobs, entra
from emulator.blobs import azurite
from emulator.core.clock import Clock
from emulator.core.platform import Platform, Service
from emulator.core.world import World
from emulator.entra import Principal
from emulator.run.command_error import RunError
from emulator.run.tools import find_azurite, find_node
from tests.platform_server import Listening, free_port, listening


@dataclass
class Accounts:
    """A stand-in for storage's management side: what the blob service asks of it."""

    known: dict[str, list[bytes]] = field(default_factory=dict)

    def exists(self, account: str) -> bool:
        """Tell whether there is an account."""
        return account in self.known

    def keys(self, account: str) -> list[bytes]:
        """Return its two keys."""
        return self.known[account]

    def allows_keys(self, account: str) -> bool:
        """Tell that every account allows its keys."""
        return account in self.known

    def admits(self, account: str, subnet: str) -> bool:
        """Tell that every account admits callers on the internet."""
        return not subnet and account in self.known

    def resource_id(self, account: str) -> str:
        """Return its resource id."""
        return f"/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/{account}"

    def has_website(self, account: str) -> bool:
        """Tell that every account has a static website."""
        return account in self.known

    def container_deleted(self, account: str, name: str) -> None:
        """Do nothing: ARM would forget the container, but this stand-in keeps none."""


@dataclass
class Roles:
    """A stand-in for ARM's roles: permission entries by object id and scope."""

    known: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    def allowed(self, caller: Principal, action: str, scope: str) -> bool:
        """Tell whether `actions` allow an action."""
        return self._allow(caller, action, scope, "actions", "notActions")

    def data_allowed(self, caller: Principal, data_action: str, scope: str) -> bool:
        """Tell whether `dataActions` allow an action."""
        return self._allow(caller, data_action, scope, "dataActions", "notDataActions")

    def _allow(self, caller: Principal, action: str, scope: str, *members: str) -> bool:
        found = [
            [any(fnmatchcase(action.lower(), pattern.lower()) for pattern in permission[member]) for member in members]
            for (object_id, above), permissions in self.known.items()
            if object_id == caller.object_id and f"{scope}/".startswith(f"{above}/")
            for permission in permissions
        ]
        return [True, False] in found


@dataclass(frozen=True)
class LocalBlobs:
    """A platform with blobs: where it listens, the accounts and roles that it knows, and clients."""

    listening: Listening
    accounts: Accounts = field(default_factory=Accounts)
    roles: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def platform(self) -> Platform:
        """The platform."""
        return self.listening.platform

    @property
    def model(self) -> blobs.BlobsModel:
        """The blob service's model, which the management side calls."""
        return self.platform.model(blobs.BlobsModel)

    @property
    def options(self) -> dict[str, Any]:
        """The options that lead the SDK's clients to the platform."""
        return {
            "proxies": {"https": self.listening.proxy},
            "connection_verify": str(self.platform.authority.certificate_path),
            "retry_total": 0,
        }

    def account(self) -> tuple[str, str]:
        """Create an account; return its name and its first key."""
        name = f"cluster{uuid4().hex[:8]}"
        self.accounts.known[name] = [secrets.token_bytes(64), secrets.token_bytes(64)]
        return name, base64.b64encode(self.accounts.known[name][0]).decode()

    def client(self, account: str, credential: Any) -> BlobServiceClient:
        """Return the SDK's client with a key, a SAS, a token credential or nothing."""
        return BlobServiceClient(f"https://{account}.blob.core.windows.net", credential, **self.options)


class Azurite:
    """An Azurite process on its own port."""

    def __init__(self, folder: Path) -> None:
        """Choose the port, or skip the test where Azurite or Node.js is not installed."""
        try:
            self._program = (str(find_node()), find_azurite())
        except RunError as error:
            pytest.skip(str(error))
        self._folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, platform: Platform) -> None:
        """Start it and wait until it listens."""
        node, script = self._program
        self._process = subprocess.Popen(
            [node, *azurite.arguments(script, self.port, self._folder)],
            env={"PATH": os.environ["PATH"], **azurite.environment(platform.store)},
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """Kill Azurite, as the system would when it is out of memory."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)


@pytest.fixture(scope="session")
def local_azurite(tmp_path_factory: pytest.TempPathFactory) -> Azurite:
    """Return an Azurite that is not started."""
    return Azurite(tmp_path_factory.mktemp("azurite"))


@contextmanager
def running(root: Path, local_azurite: Azurite, services: Callable[[Platform], list[Service]]) -> Iterator[Listening]:
    """Run Azurite with a platform in front of it.

    Args:
        root: folder of the platform's state.
        local_azurite: not started; it is killed in the end.
        services: makes the platform's services.
    """
    platform = Platform(root, clock=Clock(40), world=World())
    platform.ports["azurite"] = local_azurite.port
    platform.services += services(platform)
    with listening(platform) as local:
        try:
            local_azurite.start(platform)
            yield local
        finally:
            local_azurite.kill()


@pytest.fixture(scope="session")
def local_blobs(local_azurite: Azurite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBlobs]:
    """Run Entra ID and blobs, with accounts and roles that the tests set."""
    accounts, roles = Accounts(), Roles()

    def services(platform: Platform) -> list[Service]:
        return [entra.create(platform), blobs.create(platform, accounts, roles)]

    with running(tmp_path_factory.mktemp("local-azure"), local_azurite, services) as local:
        yield LocalBlobs(local, accounts, roles.known)


Owner = tuple[str, str, BlobServiceClient]


@pytest.fixture
def owner(local_blobs: LocalBlobs) -> Owner:
    """Create an account; return its name, its key, and a client with the key."""
    name, key = local_blobs.account()
    return name, key, local_blobs.client(name, key)
