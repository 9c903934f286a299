"""What `openshift-install` leaves in its folder: its state file, the files of its targets, and names in both.

The state file maps the Go type of each asset to its fields as JSON, bytes in base64; among the fields each file is an
object `{"Filename", "Data"}`. What lies in the folder and differs from the state wins over it, and makes the program
make anew whatever depends on it, even what lies in the folder as well: `openshift/openshift-install-manifests.yaml`
would take all other objects of `openshift/` with it. So whatever is changed here is changed in both places.

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

from installer.assets import assets
from installer.assets.manifests import FURTHER
from installer.bootstrap.stage import ROOT
from installer.errors import InstallerError
from installer.graph import Content
from installer.ignition.ignition_parsing import carried
from installer.openshift_install.program import write

STATE = ".openshift_install_state.json"
RENAME, ADJUST, READ = "put the cluster's names in", "adjust manifests", "read what openshift-install made"
# As an asset of the graph: files that no other asset makes.
OTHERS = "openshift-install"
_CLUSTER_ID = "*installconfig.ClusterID"
_LONGEST = 64 << 20
# Eight characters carry six, which no infra id is shorter than.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")


def rename(folder: Path, ids: Content) -> None:
    """Put the cluster's own infra id and id where the program has drawn some: in its state, files and their names.

    Ours were decided before, and stand in Azure by now. Because state and files change alike, the program takes nothing
    for changed.

    Args:
        folder: after `create manifests`.
        ids: `infraId`, `clusterId`.

    Raises:
        InstallerError: when the state cannot be read, or names none.
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


def lay(folder: Path, contents: Mapping[str, Content]) -> None:
    """Write the files of these assets into folder and state, in place of those that the program has made of them.

    Raises:
        InstallerError: when the state cannot be read.
    """
    laid = {path: str(text) for content in contents.values() for path, text in content.items()}
    patterns = [pattern for name in contents for pattern in assets.ASSETS[name].files]
    for path in _paths(folder):
        if path not in laid and any(fnmatch(path, pattern) for pattern in patterns):
            (folder / path).unlink()
    for path, text in laid.items():
        (folder / path).parent.mkdir(mode=0o700, exist_ok=True)
        write(folder / path, text)
    state = _json(ADJUST, folder / STATE)
    for file in _files_in(state):
        if file["Filename"] in laid:
            file["Data"] = _encoded(laid[file["Filename"]])
    write(folder / STATE, json.dumps(state, indent=4))


def read(folder: Path) -> dict[str, str]:
    """Return all files by the paths that our graph has for them.

    Those of the bootstrap machine count most, because it boots from them; then the folder's, then the state's. The
    program has two kubeconfigs of one name: the machine's own, and in the folder the outer one.

    Raises:
        InstallerError: when state or ignition cannot be read.
    """
    found = dict(_files_of_state(_json(READ, folder / STATE)))
    for theirs, ours in assets.IGNITION_CONFIGS.items():
        if theirs != ours:
            found.pop(theirs, None)
    for path in _paths(folder):
        if (text := _text(READ, folder / path)) is not None:
            found[assets.IGNITION_CONFIGS.get(path, path)] = text
    if "bootstrap.ign" in found:
        found |= _files_of_machine(_json(READ, folder / "bootstrap.ign"))
    return found


def files_of_state(folder: Path) -> dict[str, str]:
    """Return the files of the state alone, by the program's own paths.

    Raises:
        InstallerError: when the state cannot be read.
    """
    return dict(_files_of_state(_json(READ, folder / STATE)))


def grouped(files: Mapping[str, str]) -> tuple[dict[str, Content], Content]:
    """Return the contents of each asset whose files are all there, and the files that are left.

    Left are also objects that no asset makes: `further-manifests` are people's.
    """
    contents: dict[str, Content] = {}
    left: Content = {}
    for path, text in files.items():
        try:
            contents.setdefault(assets.asset_of(path).name, {})[path] = text
        except KeyError:
            left[path] = text
    for name in [name for name, content in contents.items() if name == FURTHER.name or any(lacking(name, content))]:
        left |= contents.pop(name)
    return contents, left


def lacking(name: str, files: Mapping[str, str]) -> Iterator[str]:
    """Yield the files of an asset that are not there."""
    return (pattern for pattern in assets.ASSETS[name].files if not any(fnmatch(path, pattern) for path in files))


def _paths(folder: Path) -> list[str]:
    """Return the files of the program's targets; those with a dot are its own."""
    found = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return sorted(str(file.relative_to(folder)) for file in found)


def _text(step: str, file: Path) -> str | None:
    """Return a text; nothing for a file that is none.

    Raises:
        InstallerError: when it is not there, or too long.
    """
    try:
        if file.stat().st_size > _LONGEST:
            raise InstallerError(step, f"'{file.name}' is longer than {_LONGEST} bytes")
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
        for each in value:
            yield from _files_in(each)
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
    """Return the files below /opt/openshift that an ignition configuration carries."""
    found: Content = {}
    try:
        for entry in ignition["storage"]["files"]:
            contents = entry.get("contents") or {}
            if entry["path"].startswith(f"{ROOT}/") and contents.get("source"):
                text = carried(contents["source"], contents.get("compression") or "")
                found[entry["path"].removeprefix(f"{ROOT}/")] = text
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InstallerError(READ, "'bootstrap.ign' carries files in a way that cannot be read") from None
    return found


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names, also where base64 hides them: the state holds files so, and Secrets values."""
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
