"""The software bill of materials of a package, in CycloneDX: every distribution in it, kustomize, and the page's parts.

It names what is in the package that was built, not what was asked for, so it is read from the package's own files.
Like the package, it depends on the commit alone: it has neither a time nor a random serial number.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from email.parser import BytesHeaderParser
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from shared import portal_files
from shared.phase_documents.kustomize import IN_PACKAGE, VERSION

_LOCK = portal_files.INSTALLED.parent / "package-lock.json"
NAME = "openshift-resource-provider"


def sbom(files: Mapping[str, bytes], build: str) -> bytes:
    """Return the bill of materials, as CycloneDX 1.6 in JSON.

    Args:
        files: the package: content by path.
        build: the commit that it was built from.
    """
    bom = Bom(components=[*_distributions(files), *_kustomize(files), *_of_npm(files)])
    bom.metadata.component = Component(name=NAME, version=build, type=ComponentType.APPLICATION, bom_ref=NAME)
    bom.register_dependency(bom.metadata.component, bom.components)
    written: dict[str, Any] = json.loads(make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string())
    del written["metadata"]["timestamp"], written["serialNumber"]
    return json.dumps(written, indent=2, sort_keys=True).encode() + b"\n"


def _distributions(files: Mapping[str, bytes]) -> Iterator[Component]:
    for path, content in files.items():
        if path.endswith(".dist-info/METADATA"):
            metadata = BytesHeaderParser().parsebytes(content)
            name, version = metadata["Name"], metadata["Version"]
            purl = PackageURL("pypi", name=name, version=version)
            yield Component(name=name, version=version, purl=purl, bom_ref=str(purl))


def _kustomize(files: Mapping[str, bytes]) -> Iterator[Component]:
    if program := files.get(IN_PACKAGE):
        purl = PackageURL("golang", "sigs.k8s.io/kustomize", "kustomize/v4", f"v{VERSION}")
        yield Component(
            name="kustomize",
            version=VERSION,
            type=ComponentType.APPLICATION,
            purl=purl,
            bom_ref=str(purl),
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(program).hexdigest())],
        )


def _of_npm(files: Mapping[str, bytes]) -> Iterator[Component]:
    """Yield the packages of npm's whose files the page has, in the versions of the lock file."""
    lock = json.loads(_LOCK.read_text(encoding="utf-8"))["packages"]
    inside = {part: files.get(f"{portal_files.IN_PACKAGE}/{name}") for name, part in portal_files.OF_NPM.items()}
    for package in sorted({"/".join(part.split("/")[:2]) for part, content in inside.items() if content}):
        version = lock[f"node_modules/{package}"]["version"]
        group, _, name = package.rpartition("/")
        purl = PackageURL("npm", group, name, version)
        yield Component(group=group, name=name, version=version, purl=purl, bom_ref=str(purl))
