"""Entry points: kustomize roots, and what each of them is made from, without running kustomize.

Before kustomize runs, everything that it would load is looked at: it has to be a file or another root in the bundle.
kustomize itself would fetch an address, and would read a folder outside the bundle as a base.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from shared.phases.problems import BundleError, Problem, refused
from shared.phases.reading import problems_of, read_file

Json = dict[str, Any]

FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# What would run a program or fetch something.
FORBIDDEN = ("helmCharts", "helmChartInflationGenerator", "helmGlobals")
# How deep roots may lead to each other, and how many one entry point may lead to, each counted as often as it is named.
DEEPEST = 30
MOST_ROOTS = 2000
YAML = frozenset({".yaml", ".yml"})


def _itself(item: Any) -> Iterator[Any]:
    """Yield an item that is a path, unless it is a document written in place."""
    if not (isinstance(item, str) and "\n" in item):
        yield item


def _path(item: Any) -> Iterator[Any]:
    """Yield the path of an item that may have one."""
    if isinstance(item, Mapping) and "path" in item:
        yield item["path"]


def _read_from(item: Any) -> Iterator[Any]:
    """Yield the paths of the files from which a generator of ConfigMaps or Secrets reads."""
    if isinstance(item, Mapping):
        for name in ("files", "envs"):
            for given in item.get(name) or ():
                yield str(given).partition("=")[2] or given
        if "env" in item:
            yield item["env"]


@dataclass(frozen=True)
class Members:
    """A member of a kustomization whose items name files or other roots.

    Args:
        name: the member.
        heading: under which a tree shows them; "" if it does not show them, as airshipctl's does not.
        paths: yields the paths in an item.
        roots: whether a path may lead to another root.
    """

    name: str
    heading: str = ""
    paths: Callable[[Any], Iterator[Any]] = _itself
    roots: bool = False


MEMBERS = (
    Members("resources", "Resources", roots=True),
    Members("bases", "Resources", roots=True),
    Members("components", "Resources", roots=True),
    Members("crds", "Crds"),
    Members("generators", "Generators", roots=True),
    Members("transformers", "Transformers", roots=True),
    Members("validators", "Transformers", roots=True),
    Members("configMapGenerator", "ConfigMapGenerator", _read_from),
    Members("secretGenerator", "SecretGenerator", _read_from),
    Members("configurations"),
    Members("patchesStrategicMerge"),
    Members("patches", paths=_path),
    Members("patchesJson6902", paths=_path),
    Members("replacements", paths=_path),
)


@dataclass
class EntryPoint:
    """A kustomize root or a file, with what it is made from.

    Args:
        path: path in the bundle.
        parts: by heading, such as `Resources`, what it is made from, in order.
    """

    path: str
    parts: dict[str, list["EntryPoint"]] = field(default_factory=dict)


def tree(bundle: Path, path: str) -> EntryPoint:
    """Return the tree of an entry point.

    Args:
        bundle: the root of the bundle.
        path: path of a kustomize root in it.

    Raises:
        BundleError: with everything that it names and the bundle lacks, and everything that may not be loaded.
    """
    walk = _Walk(bundle.resolve())
    inside = walk.inside(path or ".", PurePosixPath(), "", "")
    found = EntryPoint(path) if inside is None else walk.root(inside, (), "")
    if walk.problems:
        raise BundleError(walk.problems)
    return found


class _Walk:
    """One walk through a bundle, which collects problems."""

    def __init__(self, bundle: Path) -> None:
        self.bundle = bundle
        self.problems: list[Problem] = []
        self.roots = 0

    def root(self, path: PurePosixPath, above: tuple[PurePosixPath, ...], named_by: str) -> EntryPoint:
        """Return the tree of a folder.

        Args:
            path: the folder, below the bundle's root.
            above: the roots that lead here.
            named_by: the file that names it, for errors.
        """
        found = EntryPoint(str(path))
        if path in above or len(above) > DEEPEST:
            self._add(named_by, "", f"The kustomize root '{path}' contains itself.")
            return found
        self.roots += 1
        if self.roots > MOST_ROOTS:
            raise refused(f"The entry point leads to more than {MOST_ROOTS} kustomize roots.", file=named_by)
        files = [name for name in FILES if (self.bundle / path / name).is_file()]
        if len(files) != 1:
            has = f"has {len(files)} kustomization files ({', '.join(files)})" if files else "has no kustomization file"
            self._add(named_by or str(path), "", f"The folder '{path}' {has}. A kustomize root has exactly one.")
            return found
        file = str(path / files[0])
        try:
            read = read_file(self.bundle / path / files[0], file)
        except BundleError as error:
            self.problems += error.problems
            return found
        if len(read) != 1:
            self._add(file, "", f"The file has {len(read)} documents. A kustomization is exactly one.")
            return found
        self._members(read[0], path, file, (*above, path), found)
        return found

    def _members(
        self, read: Json, path: PurePosixPath, file: str, above: tuple[PurePosixPath, ...], found: EntryPoint
    ) -> None:
        for name in FORBIDDEN:
            if name in read:
                self._add(file, name, "Helm is not run here. Render the chart into the bundle instead.")
        for members in MEMBERS:
            given = read.get(members.name)
            for index, item in enumerate(given if isinstance(given, list) else ()):
                for named in members.paths(item):
                    where = f"{members.name}[{index}]"
                    part = self._part(named, path, file, where, above, roots=members.roots)
                    if part is not None and members.heading:
                        found.parts.setdefault(members.heading, []).append(part)
        for named in _path(read.get("openapi")):
            self._part(named, path, file, "openapi.path", above)

    def _part(
        self,
        item: Any,
        path: PurePosixPath,
        file: str,
        where: str,
        above: tuple[PurePosixPath, ...],
        *,
        roots: bool = False,
    ) -> EntryPoint | None:
        """Return the tree of a file or root that a kustomization names, or None if it may not be loaded."""
        target = self.inside(item, path, file, where)
        if target is None:
            return None
        if roots and (self.bundle / target).is_dir():
            return self.root(target, above, file)
        if not (self.bundle / target).is_file():
            self._add(file, where, f"'{item}' does not exist: the bundle has no file '{target}'.")
            return None
        if roots and target.suffix in YAML:
            self.problems += problems_of(self.bundle / target, str(target))
        return EntryPoint(str(target))

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


def located(bundle: Path, path: str | PurePosixPath) -> Path | None:
    """Return where a path of a bundle is, whether or not it exists; None if it is outside, or can be no path at all.

    Args:
        bundle: the root of the bundle, without links.
        path: the path below it.
    """
    try:
        found = (bundle / path).resolve()
        # A name that no folder can have fails here, because it is too long. A circle of links has failed before.
        found.exists()
    except (OSError, RuntimeError, ValueError):
        return None
    return found if found.is_relative_to(bundle) else None


def is_remote(item: str) -> bool:
    """Tell whether kustomize would fetch an item of a kustomization instead of reading it from a folder."""
    if "://" in item or urlsplit(item).scheme in {"http", "https", "ssh", "git", "file"}:
        return True
    host = item.partition("/")[0]
    known = ("github.com", "gitlab.com", "bitbucket.org", "dev.azure.com", "gh:", "git::", "git@")
    return item.lower().startswith(known) or "?ref=" in item or (":" in host and "@" in host)
