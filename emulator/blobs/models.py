"""The storage accounts that exist, and where Azurite keeps their containers."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol
from xml.etree import ElementTree as ET

import httpx
from starlette.requests import Request

from emulator.blobs import azurite
from emulator.blobs.exceptions import NOT_SUPPORTED, SERVER_BUSY
from emulator.blobs.operations import Target
from emulator.core.exceptions import repeated
from emulator.core.platform import Platform

SUFFIX = ".blob.core.windows.net"
# The container of an account's static website. Azurite has no such name, so it has a shorter one than any container there.
WEB, IN_AZURITE = "$web", "w"
_LONGEST_NAME = 63
# Azurite only writes to disk; a request that takes longer than this hangs.
_TIMEOUT_SECONDS = 60
_NOT_FOUND, _CONFLICT = 404, 409
_PAGE = 1000


class StorageAccounts(Protocol):
    """What the blob service needs from the management side of storage, which owns the accounts."""

    def exists(self, account: str) -> bool:
        """Tell whether an account with this name exists."""

    def keys(self, account: str) -> Sequence[bytes]:
        """Return an account's keys."""

    def allows_keys(self, account: str) -> bool:
        """Tell whether an account accepts its keys, and what is signed with them."""

    def admits(self, account: str, subnet: str) -> bool:
        """Tell whether an account's network rules let in a caller from a subnet; "" is the internet."""

    def resource_id(self, account: str) -> str:
        """Return an account's resource id, the scope at which roles on it are looked up."""

    def has_website(self, account: str) -> bool:
        """Tell whether an account has a static website."""

    def container_deleted(self, account: str, name: str) -> None:
        """Take note that a container was deleted here, so that ARM no longer shows it."""


def prefix(account: str) -> str:
    """Return the prefix of an account's container names in Azurite; it is unique, as account names have no hyphen."""
    return f"{account}-"


def shown(account: str, name: str) -> str:
    """Return the name of a container of an account, by its name in Azurite."""
    own = name.removeprefix(prefix(account))
    return WEB if own == IN_AZURITE else own


class BlobsModel:
    """The blobs and containers of all accounts, kept in Azurite."""

    def __init__(self, platform: Platform, accounts: StorageAccounts) -> None:
        """Keep the accounts, and sign the SAS for Azurite."""
        self._platform = platform
        self.accounts = accounts
        self._signature = azurite.signature(azurite.key(platform.store))
        self._client: httpx.AsyncClient | None = None

    def resolves(self, host: str) -> bool:
        """Tell whether a host name belongs to an account; Azure's DNS has no other names with this suffix."""
        return host.endswith(SUFFIX) and self.accounts.exists(host.removesuffix(SUFFIX))

    def source(self, request: Request) -> str:
        """Return the id of the subnet from which a request comes, "" if it comes from the internet."""
        return self._platform.sources.get((request.scope["client"], request.scope["server"]), "")

    async def create_container(self, account: str, name: str) -> None:
        """Create a container, unless it exists."""
        await self._call("PUT", self.url(Target(account, name), "restype=container"), _CONFLICT)

    async def exists(self, target: Target) -> bool:
        """Tell whether a blob exists."""
        return await self.blob_type(target) is not None

    async def blob_type(self, target: Target) -> str | None:
        """Return the type of a blob, such as `BlockBlob`, or None if there is no such blob."""
        reply = await self._call("HEAD", self.url(target, ""), _NOT_FOUND)
        return reply.headers.get("x-ms-blob-type", "BlockBlob") if reply.is_success else None

    async def read(self, target: Target) -> httpx.Response | None:
        """Return Azurite's answer with a blob, or None if there is no such blob."""
        reply = await self._call("GET", self.url(target, ""), _NOT_FOUND)
        return reply if reply.is_success else None

    async def delete_container(self, account: str, name: str) -> None:
        """Delete a container with its blobs, if it exists."""
        await self._call("DELETE", self.url(Target(account, name), "restype=container"), _NOT_FOUND)

    async def delete_account(self, account: str) -> None:
        """Delete all containers of an account."""
        names = [name async for name in self.containers(account)]
        for name in names:
            await self.delete_container(account, name)

    async def containers(self, account: str) -> AsyncIterator[str]:
        """Yield the names of an account's containers."""
        marker = ""
        while True:
            query = f"comp=list&maxresults={_PAGE}&prefix={prefix(account)}&marker={marker}"
            reply = await self._call("GET", self.url(Target(account), query))
            root = ET.fromstring(reply.content)  # noqa: S314 - Azurite's own answer
            for name in root.iterfind("Containers/Container/Name"):
                yield shown(account, name.text or "")
            marker = root.findtext("NextMarker") or ""
            if not marker:
                return

    async def put_blob(self, target: Target, content: bytes) -> None:
        """Write a blob, replacing an existing one."""
        headers = {"x-ms-blob-type": "BlockBlob"}
        await self._call("PUT", self.url(target, ""), content=content, headers=headers)

    async def put_page_blob(self, target: Target, content: bytes) -> None:
        """Write a page blob of at most 4 MiB, replacing an existing one."""
        headers = {"x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": str(len(content))}
        await self._call("PUT", self.url(target, ""), headers=headers)
        if content:
            headers = {"x-ms-page-write": "update", "x-ms-range": f"bytes=0-{len(content) - 1}"}
            await self._call("PUT", self.url(target, "comp=page"), content=content, headers=headers)

    def url(self, target: Target, query: str) -> httpx.URL:
        """Return the URL in Azurite of what a request addresses.

        Raises:
            ServiceError: 400 if the names of account and container are too long together.
        """
        path = f"/{azurite.ACCOUNT}"
        if target.container:
            name = prefix(target.account) + (IN_AZURITE if target.container == WEB else target.container)
            if len(name) > _LONGEST_NAME:
                raise NOT_SUPPORTED(f"names of account and container longer than {_LONGEST_NAME - 1} together")
            path += f"/{name}" + (f"/{target.blob}" if target.blob else "")
        query = f"{query}&{self._signature}" if query else self._signature
        return httpx.URL(
            scheme="http",
            host="127.0.0.1",
            port=self._platform.ports["azurite"],
            raw_path=f"{path}?{query}".encode(),
        )

    def client(self) -> httpx.AsyncClient:
        """Return the client of this event loop, which is closed when the platform stops."""
        if self._client is None:
            # Ignore the environment: a proxy set there leads to the local Azure, and this code is the local Azure.
            client = httpx.AsyncClient(timeout=_TIMEOUT_SECONDS, trust_env=False)
            self._client = client
            self._platform.spawn(_close_at_end(client), "blobs client")
        return self._client

    async def _call(
        self,
        method: str,
        url: httpx.URL,
        *fine: int,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        try:
            reply = await self.client().request(method, url, content=content, headers=headers)
        except httpx.TransportError as error:
            raise SERVER_BUSY() from error
        if reply.is_error and reply.status_code not in fine:
            code = reply.headers.get("x-ms-error-code", "InternalError")
            raise repeated(
                reply.status_code, {"code": code, "message": f"Azurite answered {method} {url.path} with {code}."}
            )
        return reply


async def _close_at_end(client: httpx.AsyncClient) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await client.aclose()
