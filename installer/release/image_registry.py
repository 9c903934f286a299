"""Images of a registry, as far as one file of an image is needed.

Libraries for this (oras, python-dxf) bring command lines, uploads and dependencies of their own, and limit no sizes.
This module needs only three GETs and a token.

Source: OCI distribution specification 1.1, "Pulling"; OCI image specification 1.1; Docker registry token
authentication.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import IO, Any
from urllib.parse import urlsplit

import requests
from requests.utils import parse_dict_header

from installer.release.archives import Archive, Limits
from installer.release.downloads import Downloads
from shared import bounded_answers

_PULLSPEC = re.compile(
    r"(?P<server>[A-Za-z0-9.-]+(:\d+)?)/(?P<repository>[a-z0-9._/-]+?)"
    r"(@sha256:(?P<digest>[0-9a-f]{64})|:(?P<tag>[\w.-]{1,128}))"
)
_DIGEST = re.compile(r"sha256:(?P<hex>[0-9a-f]{64})")
_MANIFEST = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_LONGEST_LAYER = 1 << 30
_PLATFORM = {"os": "linux", "architecture": "amd64"}


@dataclass(frozen=True)
class Pullspec:
    """The location of an image: server, repository, and tag or `sha256:<digest>`."""

    server: str
    repository: str
    reference: str

    def __str__(self) -> str:
        separator = "@" if self.reference.startswith("sha256:") else ":"
        return f"{self.server}/{self.repository}{separator}{self.reference}"


def parse(pullspec: str) -> Pullspec | None:
    """Read a pull spec; return None if it names no server, or neither tag nor digest."""
    match = _PULLSPEC.fullmatch(pullspec)
    if not match:
        return None
    reference = f"sha256:{match['digest']}" if match["digest"] else match["tag"]
    return Pullspec(match["server"], match["repository"], reference)


def _digests(body: bytes) -> tuple[bool, list[str]]:
    """Return whether a manifest is an index, and the digests of its images for this machine, or of its layers.

    Raises:
        ValueError: if it is neither.
    """
    try:
        manifest = bounded_answers.parse(body)
        if "manifests" not in manifest:
            return False, [str(layer["digest"]) for layer in manifest.get("layers") or []]
        images = [image for image in manifest["manifests"] if _is_for_this_machine(image.get("platform") or {})]
        return True, [str(image["digest"]) for image in images]
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(type(error).__name__) from None


def _is_for_this_machine(platform: Mapping[str, Any]) -> bool:
    return {name: platform.get(name) for name in _PLATFORM} == _PLATFORM


@dataclass
class Image:
    """An image that is read with the credential of a pull secret.

    Args:
        downloads: limits of the download.
        at: location of the image.
        credential: `auth` of the pull secret, or "".
    """

    downloads: Downloads
    at: Pullspec
    credential: str = field(default="", repr=False)
    _authorization: dict[str, str] = field(default_factory=dict, repr=False, init=False)

    def extract(self, member: str, target: IO[bytes], longest: int) -> None:
        """Write a file of the image to another file. If several layers have it, the last one wins.

        Args:
            member: path of the file in the image.
            target: the file to write.
            longest: maximum size, in bytes.

        Raises:
            InstallerError: also if no layer has it.
        """
        for layer in reversed(self._layers(self.at.reference)):
            digest = _DIGEST.fullmatch(layer)
            if not digest:
                raise self.downloads.failed(f"a layer of image {self.at} has no SHA-256 digest")
            url = self._url(f"blobs/{layer}")
            archive = Archive(self.downloads, self._get(url), url, digest["hex"])
            if archive.unpack(member, target, Limits(_LONGEST_LAYER, longest)):
                return
        raise self.downloads.failed(f"image {self.at} has no file '{member}'")

    def _url(self, what: str) -> str:
        return f"https://{self.at.server}/v2/{self.at.repository}/{what}"

    def _layers(self, reference: str, *, of_index: bool = False) -> list[str]:
        """Return the digests of the layers, lowest first; for an index, those of its image for this machine."""
        url = self._url(f"manifests/{reference}")
        body = self.downloads.short(self._get(url, ", ".join(_MANIFEST)), url)
        if (digest := _DIGEST.fullmatch(reference)) and hashlib.sha256(body).hexdigest() != digest["hex"]:
            raise self.downloads.failed(f"{url} has another digest than its name says")
        try:
            is_index, digests = _digests(body)
        except ValueError:
            raise self.downloads.failed(f"{url} is not an image manifest") from None
        if not is_index:
            return digests
        if of_index:
            raise self.downloads.failed(f"{url} is an index in an index")
        for image in digests:
            if _DIGEST.fullmatch(image):
                return self._layers(image, of_index=True)
        raise self.downloads.failed(f"image {self.at} has none for linux/amd64")

    def _get(self, url: str, accept: str = "*/*") -> requests.Response:
        """Send a GET; if the registry asks for a token, send it again with one."""
        answer = self.downloads.get(url, headers={"Accept": accept, **self._authorization})
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            answer.close()
            self._authorize(answer.headers.get("WWW-Authenticate", ""))
            answer = self.downloads.get(url, headers={"Accept": accept, **self._authorization})
        return self.downloads.expect(answer, url)

    def _authorize(self, challenge: str) -> None:
        """Answer a challenge: send the credential, or a token obtained with it."""
        kind, _, parameters = challenge.partition(" ")
        basic = {"Authorization": f"Basic {self.credential}"} if self.credential else {}
        if kind.lower() == "basic" and basic:
            self._authorization = basic
            return
        wants = parse_dict_header(parameters)  # type: ignore[no-untyped-call]  # the stubs leave it untyped
        realm = wants.pop("realm", None) or ""
        if kind.lower() != "bearer" or urlsplit(realm).scheme != "https":
            raise self.downloads.failed(f"registry {self.at.server} wants an authentication that is not known here")
        query = {name: wants[name] for name in ("service", "scope") if wants.get(name)}
        answer = self.downloads.get(realm, headers=basic, query=query)
        body = self.downloads.short(self.downloads.expect(answer, realm), realm)
        try:
            document = bounded_answers.parse(body)
            token = str(document.get("token") or document["access_token"])
        except (ValueError, KeyError, AttributeError):
            raise self.downloads.failed(f"registry {self.at.server} gave no token") from None
        self._authorization = {"Authorization": f"Bearer {token}"}


def with_credential(downloads: Downloads, at: Pullspec, auths: Mapping[str, Any]) -> Image:
    """Return an image that is read with the credential of its server in a pull secret, or without one.

    Args:
        downloads: limits of the download.
        at: location of the image.
        auths: `auths` of the pull secret.
    """
    return Image(downloads, at, str((auths.get(at.server) or {}).get("auth") or ""))
