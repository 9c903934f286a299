"""What `create manifests` leaves for `create ignition-configs`: the state, and manifests that people may have changed.

Keys, ids and names stay those of the first run. The objects are those in the folders: as people edited them, without
those that they removed, with those that they added.

Source: openshift/installer, `pkg/asset/store`, and `Load` of `pkg/asset/manifests`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from installer import all_assets, graph
from installer.command import command_inputs
from installer.command.command_inputs import INSTALL_CONFIG, PRINCIPAL, SPECS, Asked, Wrong
from installer.config.install_config_members import Problem
from installer.graph import Content, Graph
from shared import kubernetes_yaml

STATE = ".installer_state.json"
FOLDERS = ("manifests", "openshift")
START_OVER = "Or start over, with other keys and names: `create manifests --overwrite`."
_ABOUT = (
    "State of `python -m installer create manifests`, read by `create ignition-configs`. It holds private keys, "
    "the pull secret and the principal's secret in clear: keep it as you would keep those."
)
_FORMAT = 1
_LARGEST_STATE = 64 << 20
# etcd accepts requests of at most 1.5 MiB, so the cluster could not store a larger object.
_LARGEST_MANIFEST = 3 << 19
_MOST_MANIFESTS = 1000
_SUFFIXES = (".yaml", ".yml", ".json")

OBJECTS = tuple(
    name
    for name, asset in all_assets.ASSETS.items()
    if any(path.startswith(tuple(f"{folder}/" for folder in FOLDERS)) for path in asset.files)
)
"""Names of the assets that make manifests."""


@dataclass(frozen=True)
class Start:
    """The starting point of a run.

    Args:
        known: contents by asset.
        told: what people changed since the run before, a line for each.
    """

    known: dict[str, Content]
    told: list[str] = field(default_factory=list)


def to_text(made: Graph) -> str:
    """Return the text of a state."""
    return json.dumps({"about": _ABOUT, "format": _FORMAT, "contents": made.contents}, indent=1)


def go_on(folder: Path, environment: Mapping[str, str], asked: Asked) -> Start | None:
    """Return what is known after `create manifests`; None if there was none.

    Args:
        folder: folder with state and manifests.
        environment: environment variables.
        asked: the options, which must not differ from those of the first run.

    Raises:
        Wrong: with every problem.
    """
    if not (folder / STATE).exists():
        if strange := [folder / name for name in FOLDERS if any((folder / name).glob("*"))]:
            sentence = f"The run that made it left no {STATE} with its keys. Move it away."
            raise Wrong([(str(one), sentence) for one in strange], START_OVER)
        return None
    before = _read_state(folder / STATE)
    found = [
        *_config_changes(folder / INSTALL_CONFIG, before),
        *_other_options(asked, before),
        *_principal_changes(folder / PRINCIPAL, environment, before),
    ]
    files, left_out, wrong = _manifests(folder, {path for name in OBJECTS for path in before.get(name, {}).items()})
    if found or wrong:
        raise Wrong(found + wrong, START_OVER)
    return Start(*_merged(before, files, left_out))


def _read_state(file: Path) -> dict[str, Content]:
    try:
        state = command_inputs.read_json(file, _LARGEST_STATE)
    except Wrong as wrong:
        raise Wrong(wrong.problems, START_OVER) from None
    contents = state.get("contents")
    if state.get("format") != _FORMAT or not isinstance(contents, dict):
        raise Wrong([(str(file), "This version of the command cannot read it.")], START_OVER)
    wanted = {*(asset.name for asset in all_assets.GIVEN), *contents}
    if lost := sorted(name for name in wanted if not isinstance(contents.get(name), dict)):
        raise Wrong([(str(file), f"It has lost {', '.join(lost)}.")], START_OVER)
    return contents


def _config_changes(file: Path, before: Mapping[str, Content]) -> Iterator[Problem]:
    """Yield the changes of the install-config. People may have removed it, as with openshift-install."""
    if not file.exists():
        return
    config, wrong = command_inputs.read_install_config(file, before["release-image"]["version"])
    if wrong:
        yield from wrong
    elif changed := list(_differences(before["install-config"], config, "")):
        fields = ", ".join(changed)
        what = f"It has changed since `create manifests`, and the manifests have the old values: {fields}."
        yield str(file), f"{what} Undo the change, and edit the manifests instead."


def _differences(before: Any, now: Any, path: str) -> Iterator[str]:
    """Yield the paths at which two documents differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in sorted({*before, *now}):
            yield from _differences(before.get(name), now.get(name), f"{path}.{name}".strip("."))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for index, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif before != now:
        yield path


def _other_options(asked: Asked, before: Mapping[str, Content]) -> Iterator[Problem]:
    release = before["release-image"]
    for option, wanted, first in (
        ("--version", asked.version, release["version"]),
        ("--release-image", asked.image, release["pullspec"]),
        ("--spec", SPECS.get(asked.spec, ""), release["ignitionVersion"]),
        ("--infra-id", asked.infra_id, before["cluster-id"]["infraId"]),
    ):
        if wanted and wanted != first:
            yield option, f"The manifests were made with {first}: leave the option out."
    rows, wrong = command_inputs.read_snippets(asked.snippets, before["install-config"])
    yield from wrong
    if asked.snippets and not wrong and rows != release.get("snippets"):
        yield "--snippets", "The manifests were made with other snippets, or none: leave the option out."


def _principal_changes(file: Path, environment: Mapping[str, str], before: Mapping[str, Content]) -> Iterator[Problem]:
    try:
        for place, sentence in command_inputs.principal_changes(file, environment, before["platform-credentials"]):
            yield place, f"{sentence} Leave it out."
    except Wrong as wrong:
        yield from wrong.problems


def _manifests(folder: Path, unchanged: set[tuple[str, str]]) -> tuple[dict[str, str], list[str], list[Problem]]:
    """Return texts by path, the names of files that are not manifests, and all problems.

    Args:
        folder: folder of the manifests' folders.
        unchanged: path and text of files that need no check.
    """
    files: dict[str, str] = {}
    left_out: list[str] = []
    wrong: list[Problem] = []
    for name in FOLDERS:
        try:
            entries = sorted((folder / name).iterdir())
        except OSError as error:
            wrong.append((str(folder / name), f"It cannot be read: {error.strerror}."))
            continue
        if len(entries) > _MOST_MANIFESTS:
            wrong.append((str(folder / name), f"It holds {len(entries)} files, and may hold {_MOST_MANIFESTS}."))
            continue
        for file in entries:
            if file.name.startswith(".") or file.suffix not in _SUFFIXES or not file.is_file():
                left_out.append(f"{name}/{file.name}")
                continue
            try:
                text = command_inputs.read_text(file, _LARGEST_MANIFEST)
            except Wrong as error:
                wrong += error.problems
                continue
            files[f"{name}/{file.name}"] = text
            if (f"{name}/{file.name}", text) not in unchanged:
                wrong += [(str(file), sentence) for sentence in _object_problems(file.name, text)]
    return files, left_out, wrong


def _object_problems(name: str, text: str) -> Iterator[str]:
    """Yield why the cluster could not create the objects in a manifest."""
    if not name.isprintable():
        yield "Its name holds characters that cannot be printed."
    try:
        found = [document for document in kubernetes_yaml.load_all(text) if document is not None]
    except kubernetes_yaml.NO_YAML as error:
        yield command_inputs.no_yaml(error)
        return
    if not found:
        yield "It holds no object. Remove the file if there is to be none."
    for number, document in enumerate(found, 1):
        whose = f"Its object {number}" if len(found) > 1 else "It"
        if not isinstance(document, dict):
            yield f"{whose} is not a Kubernetes object."
            continue
        metadata = document.get("metadata")
        members = {
            "apiVersion": document.get("apiVersion"),
            "kind": document.get("kind"),
            "metadata.name": metadata.get("name") if isinstance(metadata, dict) else None,
        }
        if missing := [path for path, value in members.items() if not isinstance(value, str) or not value]:
            yield f"{whose} has no {', no '.join(missing)}."


def _merged(
    before: Mapping[str, Content], files: Mapping[str, str], left_out: list[str]
) -> tuple[dict[str, Content], list[str]]:
    """Return contents by asset including the objects of the folders, and the differences from before."""
    known: dict[str, Content] = dict(before) | {name: {} for name in OBJECTS}
    for path, text in files.items():
        known[all_assets.asset_of(path).name][path] = text
    then = {path: text for name in OBJECTS for path, text in before.get(name, {}).items()}
    told = [f"edited: {path}" for path, text in files.items() if path in then and then[path] != text]
    told += [f"added: {path}" for path in files if path not in then]
    told += [f"removed: {path}" for path in then if path not in files]
    told += [f"not read: {path} (neither of {', '.join(_SUFFIXES)})" for path in left_out]
    for name in _stale(known, before):
        told += [f"made again, from what was edited: {path}" for path in known.pop(name)]
    return known, told


def _stale(known: Mapping[str, Content], before: Mapping[str, Content]) -> list[str]:
    """Return the names of assets that nobody edited, but that depend on an edited one."""
    changed = {name for name in OBJECTS if known[name] != before.get(name, {})}
    stale: list[str] = []
    for name in graph.needed(all_assets.ASSETS, OBJECTS):
        if name in OBJECTS and name not in changed and changed & {*all_assets.ASSETS[name].inputs}:
            stale.append(name)
            changed.add(name)
    return stale
