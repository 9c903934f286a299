"""The OpenShift versions that can be installed. They are documents of the catalogue, not code."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
_Rule = Callable[[Mapping[str, Any], str], Iterator[tuple[str, str]]]
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
        installer: what makes the install graph; by default it follows from the version.
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
    installer: str
    installer_digest: str = ""
    enabled: bool = False
    default: bool = False
    snippets: dict[str, Any] | None = None
    release_images: machine_image.ReleaseImages | None = None


def installable_versions(documents: Iterable[CatalogueDocument]) -> list[str]:
    """Return the enabled versions that can be installed, oldest first.

    A wrong entry would make each create fail after half an hour. So it is not offered, and the log tells the operator
    why.
    """
    return sorted((document["version"] for document in _offered(documents)), key=version_order)


def registries(documents: Iterable[CatalogueDocument], version: str) -> tuple[str, ...]:
    """Return the registry of a version's release image or, if the version is not offered, those of all that are."""
    offered = list(_offered(documents))
    named = [document for document in offered if document["version"] == version] or offered
    return tuple(dict.fromkeys(document["openShiftPullspec"].partition("/")[0] for document in named))


def installer(documents: Iterable[CatalogueDocument], version: str) -> str:
    """Return the program that makes the install graph of a version's clusters, or "" if the version is not offered."""
    return next(
        (parse_entry(document).installer for document in _offered(documents) if document["version"] == version), ""
    )


def version_order(version: str) -> tuple[Any, str]:
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


def default_entry(documents: Iterable[CatalogueDocument]) -> CatalogueDocument | None:
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
    if found := default_entry(documents):
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


def parse_entry(document: CatalogueDocument) -> Entry:
    """Return an entry, whichever build wrote it.

    Raises:
        ValueError: lists the defects of the entry.
    """
    if wrong := defects(document):
        raise ValueError("; ".join(wrong))
    version, image, metadata = document["version"], document.get("rhcosImage"), document.get("releaseMetadata")
    return Entry(
        version=version,
        pullspec=document["openShiftPullspec"],
        image=dict(image) if image else None,
        # Entries of older builds have neither member.
        ignition_version=document.get("ignitionVersion") or release_rules.ignition_versions(version)[0],
        flavour=document.get("flavour") or release_rules.flavour(version),
        installer=_installer(document, version),
        installer_digest=document.get("installerDigest") or "",
        enabled=bool(document.get("enabled")),
        default=bool(document.get("default")),
        snippets=document.get("snippets"),
        release_images=machine_image.release_images(metadata, version) if metadata and not image else None,
    )


def _installer(document: Mapping[str, Any], version: str) -> str:
    return document.get("installer") or release_rules.back_end(version)[0]


def problems(document: Mapping[str, Any]) -> list[str]:
    """Return why an entry is not offered, one sentence each."""
    return [sentence for _, sentence in findings(document)]


def findings(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return why an entry is not offered: the member that causes it, and a sentence."""
    return _found(document, (_defects, _rules_of_new_clusters))


def defects(document: Mapping[str, Any]) -> list[str]:
    """Return why not even a create that runs can use an entry, one sentence each.

    Rules for new clusters do not stop a create that began before this build had them.
    """
    return [sentence for _, sentence in _found(document, (_defects,))]


def _found(document: Mapping[str, Any], rules: Iterable[_Rule]) -> list[tuple[str, str]]:
    version = document.get("version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        return [("version", f"the catalogue's entry '{document.get('id')}' has no version x.y.z, but {version!r}")]
    whose = f"the catalogue's entry of version {version}"
    return [(member, f"{whose} {problem}") for rule in rules for member, problem in rule(document, version)]


def _defects(document: Mapping[str, Any], version: str) -> Iterator[tuple[str, str]]:
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
    if (digest := document.get("installerDigest")) is not None and not _is_digest(digest):
        form = "'sha256:' and 64 hexadecimal digits in lower case"
        yield "installerDigest", f"has installerDigest {digest!r}, which is not {form}. {_digest_remedy(version)}"
    for member in ("enabled", "default"):
        if document.get(member) is not None and not isinstance(document[member], bool):
            yield member, f"has {member} {document[member]!r}, which is neither true nor false"
    if document.get("snippets") is not None and not isinstance(document["snippets"], Mapping):
        yield "snippets", "has 'snippets' that are not an object"


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and release_rules.DIGEST.fullmatch(value) is not None


def _digest_remedy(version: str) -> str:
    return f"Give the SHA-256 of openshift-install-linux-{version}.tar.gz as its publisher's signed list has it"


def _rules_of_new_clusters(document: Mapping[str, Any], version: str) -> Iterator[tuple[str, str]]:
    """Yield why no new cluster gets a version: nothing makes its graph, or another program than the entry says."""
    (program, reason), installer = release_rules.back_end(version), _installer(document, version)
    if not program:
        yield "version", f"cannot be installed: {reason}"
    elif installer in INSTALLERS and installer != program:
        yield "installer", f"has installer '{installer}', and it has to be '{program}': {reason}"
    elif (
        installer == "openshift-install"
        and document.get("installerDigest") is None
        # A release image that is named by digest contains the program, so that needs no digest of its own.
        and not release_rules.pinned_digest(str(document.get("openShiftPullspec")))
    ):
        lack = "has no 'installerDigest', by which openshift-install is fetched"
        remedy = f"{_digest_remedy(version)}, or an 'openShiftPullspec' that ends with '@sha256:...'"
        yield "installerDigest", f"{lack}. {remedy}"


def _image_findings(document: Mapping[str, Any], version: str) -> Iterator[tuple[str, str]]:
    image, metadata = document.get("rhcosImage"), document.get("releaseMetadata")
    if image:
        if wrong := machine_image.problem(image):
            yield "rhcosImage", wrong
    elif metadata:
        try:
            machine_image.release_images(metadata, version)
        except ValueError as error:
            yield "releaseMetadata", f"has a 'releaseMetadata' from which no image follows: {error}"
    elif not release_rules.names_machine_image(version):
        # Older releases do not contain this information.
        yield (
            "rhcosImage",
            "has no 'rhcosImage', and no 'releaseMetadata' from which it would follow, as it needs below 4.8",
        )
