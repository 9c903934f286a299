"""Kubeconfigs, as the programs on the machines use them."""

import base64
import binascii
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from emulator.openshift.boot.download import DownloadError, Downloads, Identity
from emulator.openshift.boot.installation import LOADER, Installation, InstallationError
from emulator.openshift.boot.machines import Machine

_LEAST_ERROR, _FORBIDDEN = 400, 403


@dataclass(frozen=True)
class Credentials:
    """What a kubeconfig's current context leads to.

    Args:
        server: URL.
        authority_pem: what the server's certificate is verified with.
        identity: the client certificate.
    """

    server: str
    authority_pem: str
    identity: Identity

    async def call(self, downloads: Downloads, machine: Machine, path: str) -> str:
        """Send a GET from a machine; return why there is no answer, or none for this caller, "" when there is.

        Who is known but not allowed has been answered too.
        """
        url = f"{self.server}{path}"
        try:
            reply = await downloads.get(machine, url, (self.authority_pem,), self.identity)
        except DownloadError as error:
            return f'Get "{url}": {error}'
        if reply.status >= _LEAST_ERROR and reply.status != _FORBIDDEN:
            return f'Get "{url}": {reply.status} {reply.reason}'
        return ""


def credentials(installation: Installation, name: str) -> Credentials:
    """Return what one of the bootstrap machine's kubeconfigs says.

    Raises:
        InstallationError: it is missing, or lacks something.
    """
    return read(installation.text(name), name)


@lru_cache(maxsize=64)
def read(text: str, name: str) -> Credentials:
    """Return what a kubeconfig says.

    Raises:
        InstallationError: it lacks something.
    """
    try:
        document = yaml.load(text, LOADER)  # noqa: S506 - a safe loader, in C where there is one
        context = _named(document["contexts"], document["current-context"])["context"]
        cluster = _named(document["clusters"], context["cluster"])["cluster"]
        user = _named(document["users"], context["user"])["user"]
        return Credentials(
            cluster["server"],
            _decoded(cluster["certificate-authority-data"]),
            Identity(_decoded(user["client-certificate-data"]), _decoded(user["client-key-data"])),
        )
    except (KeyError, TypeError, StopIteration, ValueError, yaml.YAMLError) as error:
        # What the parser says may quote the key.
        raise InstallationError(f"error loading config file {name}: invalid configuration") from error


def _named(items: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(item for item in items if item["name"] == name)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("ascii")
    except binascii.Error as error:
        raise ValueError(f"illegal base64 data: {error}") from error
