"""The files that `openshift-install` leaves in its folder: its state file, the files of its targets, and names in both.

The state file maps the Go type of each asset to its fields as JSON, with bytes in base64; a file is an object
`{"Filename", "Data"}` among these fields. If a file in the folder differs from the state, the file wins, and the
program regenerates everything that depends on it, even files that are in the folder as well:
`openshift/openshift-install-manifests.yaml` would cause all other objects of `openshift/` to be regenerated. So every
change here is made in both places.

Source: openshift/installer `pkg/asset/store/store.go`, `pkg/asset/installconfig/clusterid.go`, `pkg/asset/kubeconfig`,
`pkg/asset/openshiftinstall`, `pkg/asset/manifests/openshift.go`.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from installer import all_assets
from installer.assets.manifests import FURTHER
from installer.back_end_errors import InstallerError
from installer.bootstrap.stage import ROOT
from installer.graph import Content
from installer.ignition.ignition_reader import carried
from installer.openshift_install.fields import ADJUST
from installer.openshift_install.ignition_snippets import READ
from installer.openshift_install.program import write

STATE = ".openshift_install_state.json"
RENAME = "put the cluster's names in"
# As an asset of the graph: files that no other asset makes.
OTHERS = "openshift-install"
# For a way of installing that is not ours, with the principal's secret in clear; and what the program made files from.
_LEFT_OUT = ("cluster-api/", "templates/")
_OBJECTS = ("manifests/", "openshift/")
_CLUSTER_ID = "*installconfig.ClusterID"
_LARGEST_FILE = 64 << 20
# Eight characters of base64 carry six, and no infra id is shorter than that.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")


def rename(folder: Path, ids: Content) -> None:
    """Replace the ids that the program generated with the cluster's own, in its state, its files and their names.

    Ours were decided before, and already exist in Azure. Because state and files change in the same way, the program
    does not detect a change.

    Args:
        folder: the folder after `create manifests`.
        ids: `infraId`, `clusterId`.

    Raises:
        InstallerError: if the state cannot be read, or has no ids.
    """
    drawn = _json(RENAME, folder / STATE).get(_CLUSTER_ID)
    if not isinstance(drawn, Mapping) or not drawn.get("InfraID") or not drawn.get("UUID"):
        raise InstallerError(RENAME, f"'{STATE}' has no '{_CLUSTER_ID}' with InfraID and UUID")
    names = {str(drawn["InfraID"]): ids["infraId"], str(drawn["UUID"]): ids["clusterId"]}
    for path in [STATE, *_paths(folder)]:
        text = _text(RENAME, folder / path)
        if text is None:
            continue
        if (renamed := _renamed(text, names)) != text:
            write(folder / path, renamed)
        if (target := _plainly_renamed(path, names)) != path:
            (folder / target).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / path).rename(folder / target)


def manifests(folder: Path) -> dict[str, str]:
    """Return the texts of the objects that the program has made, by path.

    Raises:
        InstallerError: if one is too long.
    """
    texts = {path: _text(ADJUST, folder / path) for path in _paths(folder) if path.startswith(_OBJECTS)}
    return {path: text for path, text in texts.items() if text is not None}


def lay(folder: Path, changed: Mapping[str, str]) -> None:
    """Write files into folder and state, in place of the program's.

    Raises:
        InstallerError: if the state cannot be read.
    """
    for path, text in changed.items():
        # The program has no folder of its own for keys.
        (folder / path).parent.mkdir(mode=0o700, exist_ok=True)
        write(folder / path, text)
    state = _json(ADJUST, folder / STATE)
    for file in _files_in(state):
        if file["Filename"] in changed:
            file["Data"] = _encoded(changed[file["Filename"]])
    write(folder / STATE, json.dumps(state, indent=4))


def read(folder: Path) -> dict[str, str]:
    """Return the files by their paths in our graph, all but those of `_LEFT_OUT`.

    The bootstrap machine's files take precedence, because it boots from them, then the folder's, then the state's. The
    program has two kubeconfigs of one name: the machine's own, and in the folder the external one.

    Raises:
        InstallerError: if state or ignition cannot be read.
    """
    files = dict(_files_of_state(_json(READ, folder / STATE)))
    for theirs, ours in all_assets.IGNITION_CONFIGS.items():
        if theirs != ours:
            files.pop(theirs, None)
    for path in _paths(folder):
        if (text := _text(READ, folder / path)) is not None:
            files[all_assets.IGNITION_CONFIGS.get(path, path)] = text
    if "bootstrap.ign" in files:
        files |= _files_of_machine(_json(READ, folder / "bootstrap.ign"))
    return {path: text for path, text in files.items() if not path.startswith(_LEFT_OUT)}


def grouped(files: Mapping[str, str]) -> tuple[dict[str, Content], Content]:
    """Return the contents of each asset whose files all exist, and the remaining files.

    The rest includes objects that no asset makes; `further-manifests` is for people's own.
    """
    contents: dict[str, Content] = {}
    left: Content = {}
    for path, text in files.items():
        try:
            contents.setdefault(all_assets.asset_of(path).name, {})[path] = text
        except KeyError:
            left[path] = text
    for name in [name for name, content in contents.items() if name == FURTHER.name or any(lacking(name, content))]:
        left |= contents.pop(name)
    return contents, left


def lacking(name: str, files: Mapping[str, str]) -> Iterator[str]:
    """Yield the missing files of an asset."""
    return (pattern for pattern in all_assets.ASSETS[name].files if not any(fnmatch(path, pattern) for path in files))


def _paths(folder: Path) -> list[str]:
    """Return the files of the program's targets. Files with a leading dot are its own."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return sorted(str(file.relative_to(folder)) for file in files)


def _text(step: str, file: Path) -> str | None:
    """Return the text of a file, or "" if it is not text.

    Raises:
        InstallerError: if it is missing, or too long.
    """
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise InstallerError(step, f"'{file.name}' is longer than {_LARGEST_FILE} bytes")
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InstallerError(step, f"openshift-install has made no '{file.name}'") from None
    except UnicodeDecodeError:
        return None


def _json(step: str, file: Path) -> dict[str, Any]:
    try:
        document = json.loads(_text(step, file) or "")
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise InstallerError(step, f"'{file.name}' is not a JSON object")
    return document


def _files_in(value: Any) -> Iterator[dict[str, str]]:
    """Yield the objects of a state that are files."""
    if isinstance(value, list):
        for inner in value:
            yield from _files_in(inner)
    elif isinstance(value, dict):
        if isinstance(value.get("Filename"), str) and isinstance(value.get("Data"), str):
            yield value
        else:
            yield from _files_in(list(value.values()))


def _files_of_state(state: Any) -> Iterator[tuple[str, str]]:
    for file in _files_in(state):
        if (text := _decoded(file["Data"])) is not None:
            yield file["Filename"], text


def _files_of_machine(ignition: Mapping[str, Any]) -> Content:
    """Return the files below /opt/openshift in an ignition configuration."""
    files: Content = {}
    try:
        for entry in ignition["storage"]["files"]:
            contents = entry.get("contents") or {}
            if entry["path"].startswith(f"{ROOT}/") and contents.get("source"):
                text = carried(contents["source"], contents.get("compression") or "")
                files[entry["path"].removeprefix(f"{ROOT}/")] = text
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InstallerError(READ, "'bootstrap.ign' carries files in a way that cannot be read") from None
    return files


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names, even inside base64, which the state uses for files and Secrets for values."""
    return _BASE64.sub(lambda found: _inside(found[0], names), _plainly_renamed(text, names))


def _plainly_renamed(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def _inside(encoded: str, names: Mapping[str, str]) -> str:
    text = _decoded(encoded)
    if text is None or (renamed := _renamed(text, names)) == text:
        return encoded
    return _encoded(renamed)


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")


def _decoded(encoded: str) -> str | None:
    try:
        return base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        return None
