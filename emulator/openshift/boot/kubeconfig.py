"""Kubeconfigs, as the programs on the machines use them."""

import base64
import binascii
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from emulator.openshift.boot.download import DownloadError, Downloads, Identity
from emulator.openshift.boot.installation import Installation, InstallationError
from emulator.openshift.boot.machines import Machine
from emulator.openshift.kubernetes.go_yaml import FastLoader

_LEAST_ERROR, _FORBIDDEN = 400, 403


@dataclass(frozen=True)
class Credentials:
    """The server and the credentials of a kubeconfig's current context."""

    server: str
    authority_pem: str
    identity: Identity

    async def call(self, downloads: Downloads, machine: Machine, path: str) -> str:
        """Send a GET from a machine; return why it failed, "" if it did not.

        A 403 is not a failure: the server knows the caller, but does not allow the call.
        """
        url = f"{self.server}{path}"
        try:
            reply = await downloads.send(machine, url, (self.authority_pem,), self.identity)
        except DownloadError as error:
            return f'Get "{url}": {error}'
        if reply.status >= _LEAST_ERROR and reply.status != _FORBIDDEN:
            return f'Get "{url}": {reply.status} {reply.reason}'
        return ""


def credentials(installation: Installation, name: str) -> Credentials:
    """Read one of the bootstrap machine's kubeconfigs.

    Raises:
        InstallationError: if it is missing or incomplete.
    """
    return read(installation.text(name), name)


@lru_cache(maxsize=64)
def read(text: str, name: str) -> Credentials:
    """Read a kubeconfig.

    Raises:
        InstallationError: if it is malformed or incomplete.
    """
    try:
        document = yaml.load(text, FastLoader)  # noqa: S506 - a safe loader
        context = _named(document["contexts"], document["current-context"])["context"]
        cluster = _named(document["clusters"], context["cluster"])["cluster"]
        user = _named(document["users"], context["user"])["user"]
        return Credentials(
            cluster["server"],
            _decoded(cluster["certificate-authority-data"]),
            Identity(_decoded(user["client-certificate-data"]), _decoded(user["client-key-data"])),
        )
    except (KeyError, TypeError, StopIteration, ValueError, yaml.YAMLError) as error:
        # The parser's message may quote the key.
        raise InstallationError(f"error loading config file {name}: invalid configuration") from error


def _named(items: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(item for item in items if item["name"] == name)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("ascii")
    except binascii.Error as error:
        raise ValueError(f"illegal base64 data: {error}") from error
