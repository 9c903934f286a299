"""The OpenShift versions that can be installed. They are documents of the catalogue, not code."""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shared.arm.errors import CloudError, ErrorCode
from shared.clusters.checks.vm_sizes import version_key
from shared.documents import CatalogueDocument
from shared.release import machine_image, release_rules

_log = logging.getLogger(__name__)
_TARGET = "properties.clusterProfile.version"
# What follows x.y.z is limited to what an id of Cosmos DB and a segment of a path may contain.
_VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}([-+][0-9A-Za-z.+-]{1,64})?")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}\+00:00")
# The programs that make the install graph; `installer/back_ends.py` has a function for each.
INSTALLERS = ("built-in", "openshift-install")


@dataclass(frozen=True)
class Entry:
    """A version that can be installed.

    Args:
        version: x.y.z.
        pullspec: pull spec of the release image, `openShiftPullspec`.
        image: the machines' image, `rhcosImage`; None if the release names it.
        ignition_version: the version of ignition that the machines read, `ignitionVersion`; by default it follows from
            the version.
        flavour: flavour of the bootstrap; by default it follows from the version.
        installer: what makes the install graph.
        installer_digest: digest of the archive with the program `openshift-install`, `installerDigest`; empty if the
            program is in the release image.
        enabled: whether the version is offered.
        default: whether a create that names no version gets this one.
        snippets: rows by role, laid over the ignition: see `installer/ignition/snippets.py`.
        release_images: the images that `releaseMetadata` names; None if they have to be read from the release image.
    """

    version: str
    pullspec: str
    image: dict[str, str] | None
    ignition_version: str
    flavour: str
    installer: str = "built-in"
    installer_digest: str = ""
    enabled: bool = False
    default: bool = False
    snippets: dict[str, Any] | None = None
    release_images: machine_image.ReleaseImages | None = None


def names(documents: Iterable[CatalogueDocument]) -> list[str]:
    """Return the enabled versions that can be installed, oldest first.

    A wrong entry would make each create fail after half an hour. So it is not offered, and the log tells the operator
    why.
    """
    return sorted((document["version"] for document in _offered(documents)), key=order)


def registries(documents: Iterable[CatalogueDocument], version: str) -> tuple[str, ...]:
    """Return the registry of a version's release image or, if the version is not offered, those of all that are."""
    offered = list(_offered(documents))
    named = [document for document in offered if document["version"] == version] or offered
    return tuple(dict.fromkeys(document["openShiftPullspec"].partition("/")[0] for document in named))


def installer(documents: Iterable[CatalogueDocument], version: str) -> str:
    """Return the program that makes the install graph of a version's clusters, or "" if the version is not offered."""
    return next((read(document).installer for document in _offered(documents) if document["version"] == version), "")


def order(version: str) -> tuple[Any, str]:
    """Return what sorts versions, oldest first."""
    return version_key(version), version


def _offered(documents: Iterable[CatalogueDocument]) -> Iterator[CatalogueDocument]:
    for document in documents:
        if not document.get("enabled"):
            continue
        if wrong := problems(document):
            _log.warning("A version is not offered: %s", "; ".join(wrong))
        else:
            yield document


def default(documents: Iterable[CatalogueDocument]) -> CatalogueDocument | None:
    """Return the entry of a create that names no version, or None if no offered version is marked.

    While an operator changes the default, two entries are marked. The one marked last wins.
    """
    marked = [document for document in _offered(documents) if document.get("default")]
    return max(marked, key=marked_at, default=None)


def marked_at(document: CatalogueDocument) -> tuple[str, str]:
    """Return the sort key of entries that are marked as the default, by which every instance chooses the same one."""
    since = str(document.get("defaultSince") or "")
    return since if _TIME.fullmatch(since) else "", str(document.get("id"))


def default_version(documents: Iterable[CatalogueDocument]) -> str:
    """Return the version of a create that names none.

    Raises:
        CloudError: 500 `InternalServerError` if no offered version is marked as the default; an operator has to mark
            one.
    """
    if found := default(documents):
        return found["version"]
    raise CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        f"This region has no default OpenShift version. Give '{_TARGET}', or contact support.",
        _TARGET,
    )


def entry(documents: Iterable[CatalogueDocument], version: str) -> CatalogueDocument:
    """Return the entry of a version: release image, machine image, ignition version.

    Raises:
        CloudError: 400 `InvalidParameter`, for the customer: the version is no longer offered.
    """
    for document in documents:
        if document.get("enabled") and document["version"] == version:
            return document.copy()
    raise CloudError(
        400, ErrorCode.INVALID_PARAMETER, f"The OpenShift version '{version}' is not offered any more.", _TARGET
    )


def read(document: CatalogueDocument) -> Entry:
    """Return an entry, whichever build wrote it.

    Raises:
        ValueError: lists every problem of the entry.
    """
    if wrong := problems(document):
        raise ValueError("; ".join(wrong))
    version, image, metadata = document["version"], document.get("rhcosImage"), document.get("releaseMetadata")
    return Entry(
        version=version,
        pullspec=document["openShiftPullspec"],
        image=dict(image) if image else None,
        # Entries of older builds have neither member.
        ignition_version=document.get("ignitionVersion") or release_rules.ignition_versions(version)[0],
        flavour=document.get("flavour") or release_rules.flavour(version),
        installer=_installer(document),
        installer_digest=document.get("installerDigest") or "",
        enabled=bool(document.get("enabled")),
        default=bool(document.get("default")),
        snippets=document.get("snippets"),
        release_images=machine_image.of_release(metadata, version) if metadata and not image else None,
    )


def _installer(document: Mapping[str, Any]) -> str:
    return document.get("installer") or INSTALLERS[0]


def problems(document: Mapping[str, Any]) -> list[str]:
    """Return the problems of an entry, one sentence each."""
    return [sentence for _, sentence in findings(document)]


def findings(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the problems of an entry: the member that causes it, and a sentence."""
    version = document.get("version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        return [("version", f"the catalogue's entry '{document.get('id')}' has no version x.y.z, but {version!r}")]
    whose = f"the catalogue's entry of version {version}"
    return [(member, f"{whose} {problem}") for member, problem in _findings(document, version)]


def _findings(document: Mapping[str, Any], version: str) -> Iterator[tuple[str, str]]:
    if document.get("id") not in (None, version):
        yield "version", f"has the id '{document['id']}', which must be its version"
    yield from _image_findings(document, version)
    if not isinstance(document.get("openShiftPullspec"), str) or not document["openShiftPullspec"]:
        yield "openShiftPullspec", "has no 'openShiftPullspec'"
    allowed = {
        "ignitionVersion": release_rules.ignition_versions(version),
        "flavour": release_rules.FLAVOURS,
        "installer": INSTALLERS,
    }
    for member, values in allowed.items():
        if document.get(member) and document[member] not in values:
            yield member, f"has {member} '{document[member]}', which is not one of {', '.join(values)}"
    yield from _digest_findings(document, version)
    for member in ("enabled", "default"):
        if document.get(member) is not None and not isinstance(document[member], bool):
            yield member, f"has {member} {document[member]!r}, which is neither true nor false"
    if document.get("snippets") is not None and not isinstance(document["snippets"], Mapping):
        yield "snippets", "has 'snippets' that are not an object"


def _digest_findings(document: Mapping[str, Any], version: str) -> Iterator[tuple[str, str]]:
    digest, program = document.get("installerDigest"), _installer(document) == "openshift-install"
    pullspec = str(document.get("openShiftPullspec"))
    remedy = f"Give the SHA-256 of openshift-install-linux-{version}.tar.gz as its publisher's signed list has it"
    if digest is not None and not (isinstance(digest, str) and release_rules.DIGEST.fullmatch(digest)):
        form = "'sha256:' and 64 hexadecimal digits in lower case"
        yield "installerDigest", f"has installerDigest {digest!r}, which is not {form}. {remedy}"
    elif program and digest is None and release_rules.wants_installer_digest(version, pullspec):
        lack = "has no 'installerDigest', by which openshift-install is fetched"
        yield "installerDigest", f"{lack}. {remedy}, or an 'openShiftPullspec' that ends with '@sha256:...'"


def _image_findings(document: Mapping[str, Any], version: str) -> Iterator[tuple[str, str]]:
    image, metadata = document.get("rhcosImage"), document.get("releaseMetadata")
    if image:
        if wrong := machine_image.problem(image):
            yield "rhcosImage", wrong
    elif metadata:
        try:
            machine_image.of_release(metadata, version)
        except ValueError as error:
            yield "releaseMetadata", f"has a 'releaseMetadata' from which no image follows: {error}"
    elif not release_rules.names_machine_image(version):
        # Older releases do not contain this information.
        yield (
            "rhcosImage",
            "has no 'rhcosImage', and no 'releaseMetadata' from which it would follow, as it needs below 4.8",
        )
