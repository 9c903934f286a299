"""Kubeconfigs on this machine: written for their owner alone, and merged into the one that kubectl reads."""

import os
import tempfile
from pathlib import Path

import yaml

from aroctl.api import Json
from aroctl.problems import wrong

_LISTS = ("clusters", "users", "contexts")


def usual() -> Path:
    """Return the file that kubectl writes to: the first of KUBECONFIG, or ~/.kube/config."""
    first = next(filter(None, os.environ.get("KUBECONFIG", "").split(os.pathsep)), "")
    return Path(first) if first else Path.home() / ".kube" / "config"


def write(path: Path, text: str) -> None:
    """Write a file that only its owner can read. It is never there in part, nor for others to see."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # It is made with mode 0600.
    with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as file:
        file.write(text)
    Path(file.name).replace(path)


def merge(path: Path, text: str, name: str, *, overwrite: bool) -> None:
    """Add a cluster to a kubeconfig, and make it the current one.

    Args:
        path: the kubeconfig; it is made if it does not exist.
        text: the cluster's own kubeconfig.
        name: what the cluster and its context are called there.
        overwrite: whether to replace another cluster of that name.

    Raises:
        Problem: the file cannot be read, or has another cluster of that name.
    """
    merged, added = _read(path), _renamed(yaml.safe_load(text), name)
    for kind in _LISTS:
        entries = merged.setdefault(kind, None) or []
        (new,) = added[kind]
        same = next((each for each in entries if each.get("name") == new["name"]), None)
        if kind == "clusters" and same and same["cluster"].get("server") != new["cluster"]["server"] and not overwrite:
            raise wrong(
                f"{path} has another cluster '{name}', at {same['cluster'].get('server')}.",
                "Replace it with --overwrite, or write a file of its own with --file.",
            )
        merged[kind] = [each for each in entries if each is not same] + [new]
    merged["current-context"] = name
    write(path, yaml.safe_dump(merged, sort_keys=False))


def _read(path: Path) -> Json:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise wrong(f"{path} cannot be read: {error}", "Write a file of its own with --file.") from error
    empty: Json = {"apiVersion": "v1", "kind": "Config", "preferences": {}}
    if found is not None and not isinstance(found, dict):
        raise wrong(f"{path} is not a kubeconfig.", "Write a file of its own with --file.")
    return found or empty


def _renamed(kubeconfig: Json, name: str) -> Json:
    """Return the current context of a kubeconfig with names of its own: every installer calls its user `admin`."""
    named = {kind: {each["name"]: each for each in kubeconfig[kind]} for kind in _LISTS}
    context = named["contexts"][kubeconfig["current-context"]]["context"]
    user = f"admin@{name}"
    return {
        "clusters": [{**named["clusters"][context["cluster"]], "name": name}],
        "users": [{**named["users"][context["user"]], "name": user}],
        "contexts": [{"name": name, "context": {**context, "cluster": name, "user": user}}],
    }
