"""Entry points: kustomize roots, and what each of them is made from, without running kustomize.

Before kustomize runs, everything that it would load is looked at: it has to be a file or another root in the bundle.
kustomize itself would fetch an address, and would read a folder outside the bundle as a base. So it gets what has been
looked at here and nothing else: files of the bundle, and kustomizations that are written again from what was read.
"""

import os.path
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from shared.bundles.problems import BundleError, Problem, bundle_error
from shared.json_object import Json
from shared.phase_documents import kustomizations
from shared.phase_documents.bounded_yaml import problems_of, read_file
from shared.phase_documents.kustomizations import BUILT_IN, KUSTOMIZATION, MEMBERS, PLUGINS, PLUGINS_ONLY, Members
from shared.phase_documents.schemas import differences

FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# What would run a program or fetch something.
FORBIDDEN = ("helmCharts", "helmChartInflationGenerator", "helmGlobals")
# How deep roots may lead to each other, and how many one entry point may lead to, each counted as often as it is named.
DEEPEST = 30
MOST_ROOTS = 2000


@dataclass
class EntryPoint:
    """A kustomize root or a file, with what it is made from.

    Args:
        path: path in the bundle.
        parts: by heading, such as `Resources`, what it is made from, in order.
    """

    path: str
    parts: dict[str, list["EntryPoint"]] = field(default_factory=dict)


@dataclass
class Loaded:
    """Everything that kustomize needs for an entry point.

    Args:
        point: the tree of the entry point.
        files: the files by their paths in the bundle: where each is, or its text.
    """

    point: EntryPoint
    files: dict[str, Path | str]


def tree(bundle: Path, path: str) -> EntryPoint:
    """Return the tree of an entry point; see `load`."""
    return load(bundle, path).point


def load(bundle: Path, path: str) -> Loaded:
    """Return everything that kustomize needs for an entry point.

    Args:
        bundle: the root of the bundle.
        path: path of a kustomize root in it.

    Raises:
        BundleError: with everything that it names and the bundle lacks, and everything that may not be loaded.
    """
    walk = _Walk(bundle.resolve())
    inside = walk.inside(path or ".", PurePosixPath(), "", "")
    entry_point = EntryPoint(path) if inside is None else walk.root(_Root(inside))
    if walk.problems:
        raise BundleError(walk.problems)
    return Loaded(entry_point, walk.files)


@dataclass(frozen=True)
class _Root:
    """A root on the way of a walk.

    Args:
        path: its folder, below the bundle's root.
        above: the roots that lead to it.
        named_by: the file that names it, for errors.
        file: its kustomization, for errors.
    """

    path: PurePosixPath
    above: tuple[PurePosixPath, ...] = ()
    named_by: str = ""
    file: str = ""

    def below(self, path: PurePosixPath) -> "_Root":
        """Return a root that this one names."""
        return _Root(path, (*self.above, self.path), self.file)


class _Walk:
    """One walk through a bundle, which collects problems, and the files that kustomize gets."""

    def __init__(self, bundle: Path) -> None:
        self.bundle = bundle
        self.problems: list[Problem] = []
        self.files: dict[str, Path | str] = {}
        self._roots = 0
        self._read: dict[str, list[Json]] = {}
        self._checked = set[tuple[str, bool]]()

    def root(self, root: _Root) -> EntryPoint:
        """Return the tree of a folder, with what kustomize needs for it."""
        entry_point = EntryPoint(str(root.path))
        opened = self._opened(root)
        if opened is None:
            return entry_point
        root, kustomization = opened
        written = self._without_forbidden(kustomization, root.file)
        if self._differs(written, KUSTOMIZATION, root.file, ""):
            return entry_point
        written = kustomizations.with_old_names(written)
        for members in MEMBERS:
            if written.get(members.name):
                written[members.name] = self._items(members, written[members.name], root, entry_point)
        if "path" in written.get("openapi", {}):
            located = self._file(written["openapi"]["path"], root, "openapi.path", objects=False)
            written["openapi"] = written["openapi"] | {"path": located}
        self.files[root.file] = kustomizations.as_text(written)
        return entry_point

    def _opened(self, root: _Root) -> tuple[_Root, Json] | None:
        """Return a root with the path and the content of its kustomization, or None with a problem."""
        if root.path in root.above or len(root.above) > DEEPEST:
            self._add(root.named_by, "", f"The kustomize root '{root.path}' contains itself.")
            return None
        self._roots += 1
        if self._roots > MOST_ROOTS:
            raise bundle_error(f"The entry point leads to more than {MOST_ROOTS} kustomize roots.", file=root.named_by)
        files = [name for name in FILES if (self.bundle / root.path / name).is_file()]
        if len(files) != 1:
            has = f"has {len(files)} kustomization files ({', '.join(files)})" if files else "has no kustomization file"
            place = root.named_by or str(root.path)
            self._add(place, "", f"The folder '{root.path}' {has}. A kustomize root has exactly one.")
            return None
        file = self.inside(files[0], root.path, str(root.path / files[0]), "")
        read = None if file is None else self._documents(str(file))
        if read is None:
            return None
        if len(read) != 1:
            self._add(str(file), "", f"The file has {len(read)} documents. A kustomization is exactly one.")
            return None
        return _Root(root.path, root.above, root.named_by, str(root.path / files[0])), dict(read[0])

    def _documents(self, file: str) -> list[Json] | None:
        """Return the documents of a file, read once, or None with a problem."""
        if file not in self._read:
            try:
                self._read[file] = read_file(self.bundle / file, file)
            except BundleError as error:
                self.problems += error.problems
                return None
        return self._read[file]

    def _without_forbidden(self, kustomization: Json, file: str) -> Json:
        for name in FORBIDDEN:
            if name in kustomization:
                self._add(file, name, "Helm is not run here. Render the chart into the bundle instead.")
        return {name: value for name, value in kustomization.items() if name not in FORBIDDEN and value is not None}

    def _differs(self, document: Json, schema: Json, file: str, where: str) -> bool:
        """Add what is not on the list of what a document may say; tell whether there is any."""
        problems = list(differences(document, schema))
        for place, message in problems:
            self._add(file, " ".join(filter(None, (where, place))), message)
        return bool(problems)

    def _items(self, members: Members, items: Iterable[Any], root: _Root, entry_point: EntryPoint) -> list[Any]:
        """Return the items of a member as kustomize gets them, and add their parts to a tree."""
        written: list[Any] = []
        for index, item in enumerate(items):
            where = f"{members.name}[{index}]"
            parts: list[EntryPoint] = []
            in_place = kustomizations.inline_documents(item) if members.in_place else []
            if members.plugins:
                documents = in_place or self._plugins(item, root, where, parts)
                written += [self._plugin(one, root, where) for one in documents]
            elif in_place:
                written += [kustomizations.as_text(one) for one in in_place]
            else:
                written.append(members.rewrite(item, partial(self._locate, members, root, where, parts)))
            if members.heading and parts:
                entry_point.parts.setdefault(members.heading, []).extend(parts)
        return written

    def _locate(self, members: Members, root: _Root, where: str, parts: list[EntryPoint], item: Any) -> Any:
        """Return the path that kustomize gets for one that an item names, and add its part to a tree."""
        target = self.inside(item, root.path, root.file, where)
        if target is None:
            return item
        resource = members.roots is None
        if members.roots or (resource and (self.bundle / target).is_dir()):
            parts.append(self.root(root.below(target)))
            return _relative(target, root)
        if (self.bundle / target).is_file():
            parts.append(EntryPoint(str(target)))
        return self._file(item, root, where, objects=resource if members.is_yaml else None)

    def _file(self, item: Any, root: _Root, where: str, *, objects: bool | None) -> Any:
        """Add a file that kustomize needs; return its path for it.

        Args:
            item: its path, seen from a root.
            root: the root.
            where: the member that names it, for errors.
            objects: whether its documents must be objects; None if it need not be YAML.
        """
        target = self.inside(item, root.path, root.file, where)
        if target is None:
            return item
        if not (self.bundle / target).is_file():
            self._add(root.file, where, f"'{item}' does not exist: the bundle has no file '{target}'.")
            return item
        if objects is not None and (str(target), objects) not in self._checked:
            self._checked.add((str(target), objects))
            self.problems += problems_of(self.bundle / target, str(target), objects=objects)
        self.files.setdefault(str(target), self.bundle / target)
        return _relative(target, root)

    def _plugins(self, item: Any, root: _Root, where: str, parts: list[EntryPoint]) -> list[Json]:
        """Return the documents of a file of plugins, or of a root that names such files and says nothing else."""
        target = self.inside(item, root.path, root.file, where)
        if target is None:
            return []
        if (self.bundle / target).is_dir():
            return self._plugins_of_root(root.below(target), parts)
        if not (self.bundle / target).is_file():
            self._add(root.file, where, f"'{item}' does not exist: the bundle has no file '{target}'.")
            return []
        parts.append(EntryPoint(str(target)))
        return self._documents(str(target)) or []

    def _plugins_of_root(self, root: _Root, parts: list[EntryPoint]) -> list[Json]:
        opened = self._opened(root)
        if opened is None:
            return []
        root, kustomization = opened
        if more := sorted(name for name in kustomization if name not in PLUGINS_ONLY):
            only = f"A root of plugins has no more than: {', '.join(PLUGINS_ONLY)}."
            self._add(root.file, more[0], f"'{more[0]}' could change plugins after they were checked. {only}")
            return []
        if self._differs(kustomization, KUSTOMIZATION, root.file, ""):
            return []
        point, plugins = EntryPoint(str(root.path)), list[Json]()
        parts.append(point)
        for index, item in enumerate(kustomization.get("resources") or ()):
            named: list[EntryPoint] = []
            plugins += self._plugins(item, root, f"resources[{index}]", named)
            point.parts.setdefault("Resources", []).extend(named)
        return plugins

    def _plugin(self, document: Json, root: _Root, where: str) -> str:
        """Return a plugin as kustomize gets it."""
        kind, version = document.get("kind"), document.get("apiVersion")
        plugin = PLUGINS.get(str(kind)) if version == BUILT_IN else None
        if plugin is None:
            unknown = f"'{version}' '{kind}' is not a plugin that is built into kustomize and may run here."
            self._add(root.file, where, f"{unknown} Put what the plugin makes into the bundle.")
            return ""
        if self._differs(document, plugin.schema, root.file, f"{where} {kind}"):
            return ""
        objects = False if plugin.is_yaml else None
        located = plugin.rewrite(document, lambda item: self._file(item, root, f"{where} {kind}", objects=objects))
        return kustomizations.as_text(located)

    def inside(self, item: Any, path: PurePosixPath, file: str, where: str) -> PurePosixPath | None:
        """Return the path in the bundle that an item names, or None with a problem."""
        if not isinstance(item, str) or not item:
            self._add(file, where, f"{item!r} is not a path.")
            return None
        if is_remote(item):
            self._add(
                file, where, f"'{item}' is a remote base. Only files of the bundle are loaded: copy it into the bundle."
            )
            return None
        target = located(self.bundle, path / item)
        if target is None:
            self._add(file, where, f"'{item}' is not a path in the bundle. Only files of the bundle are loaded.")
            return None
        return PurePosixPath(target.relative_to(self.bundle).as_posix())

    def _add(self, file: str, where: str, message: str) -> None:
        self.problems.append(Problem(file, where, message))


def _relative(target: PurePosixPath, root: _Root) -> str:
    """Return a path as seen from a root, in a form that cannot be taken for an address."""
    path = PurePosixPath(os.path.relpath(target, root.path))
    return str(path) if path.parts[:1] == ("..",) else f"./{path}"


def located(bundle: Path, path: str | PurePosixPath) -> Path | None:
    """Return where a path of a bundle is, whether or not it exists; None if it is outside, or cannot be a path at all.

    Args:
        bundle: the root of the bundle, without links.
        path: the path below it.
    """
    try:
        place = (bundle / path).resolve()
        # A name that no folder can have fails here, because it is too long. A circle of links has failed before.
        place.exists()
    except (OSError, RuntimeError, ValueError):
        return None
    return place if place.is_relative_to(bundle) else None


def is_remote(item: str) -> bool:
    """Tell whether kustomize would fetch an item of a kustomization instead of reading it from a folder."""
    if "://" in item or urlsplit(item).scheme in {"http", "https", "ssh", "git", "file"}:
        return True
    host = item.partition("/")[0]
    known = ("github.com", "gitlab.com", "bitbucket.org", "dev.azure.com", "gh:", "git::", "git@")
    return item.lower().startswith(known) or "?ref=" in item or (":" in host and "@" in host)
