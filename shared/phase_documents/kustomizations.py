"""What a kustomization and the plugins built into kustomize may say: closed lists, in exact case.

kustomize decodes them without regard to case, and opens the files and addresses that they name. So a member or a plugin
that is not listed here is refused, and what names a file has a row that says where.

Source: kubernetes-sigs/kustomize 4.5.4, `api/types/kustomization.go`, `api/internal/builtins`,
`api/internal/plugins/builtinhelpers/builtins.go`, `api/kv/kv.go`.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from shared.bundles.problems import BundleError
from shared.json_object import Json
from shared.phase_documents.bounded_yaml import documents
from shared.phase_documents.schemas import STRING, Schema

# Returns the path that kustomize gets for one that a kustomization names.
Locate = Callable[[Any], Any]

# The API version of the plugins that are built in.
BUILT_IN = "builtin"
# Characters that JSON leaves as they are and YAML does not take.
_NOT_IN_YAML = re.compile("[\x7f-\x84\x86-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
ANYTHING: Schema = {}


def _list(items: Schema) -> Schema:
    return {"type": ["array", "null"], "items": items}


def _closed(*members: str, **schemas: Schema) -> Schema:
    properties = dict.fromkeys(members, ANYTHING) | schemas
    return {"type": "object", "properties": properties, "additionalProperties": False}


_PATHS = _list(STRING)
_SOURCES: dict[str, Schema] = {"files": _PATHS, "envs": _PATHS, "env": STRING, "literals": _PATHS}
_GENERATOR = ("name", "namespace", "behavior", "options")
_PATCH = _closed("target", "options", path=STRING, patch=STRING)
_REPLACEMENT = _closed("source", "targets", path=STRING)

KUSTOMIZATION = _closed(
    *("apiVersion", "kind", "metadata", "namePrefix", "nameSuffix", "namespace", "commonLabels", "labels"),
    *("commonAnnotations", "images", "replicas", "vars", "generatorOptions", "inventory", "buildMetadata"),
    openapi={"type": "object", "properties": {"path": STRING, "version": STRING}, "additionalProperties": False},
    resources=_PATHS,
    bases=_PATHS,
    components=_PATHS,
    crds=_PATHS,
    configurations=_PATHS,
    generators=_PATHS,
    transformers=_PATHS,
    validators=_PATHS,
    patchesStrategicMerge=_PATHS,
    patches=_list({"if": {"type": "string"}, "else": _PATCH}),
    patchesJson6902=_list(_PATCH),
    replacements=_list(_REPLACEMENT),
    configMapGenerator=_list(_closed(*_GENERATOR, **_SOURCES)),
    secretGenerator=_list(_closed(*_GENERATOR, "type", **_SOURCES)),
)
# What a kustomization of plugins may say: no more than where they are, or it could change them after they are judged.
PLUGINS_ONLY = ("apiVersion", "kind", "metadata", "resources")


def _itself(item: Any, locate: Locate) -> Any:
    return locate(item)


def _path(item: Any, locate: Locate) -> Any:
    return item | {"path": locate(item["path"])} if item.get("path") else item


def _sources(item: Any, locate: Locate) -> Any:
    """Return a generator of ConfigMaps or Secrets. A file without a key of its own has its name as key."""
    changed = dict(item)
    if item.get("files"):
        changed["files"] = [_source(one, locate) for one in item["files"]]
    if item.get("envs"):
        changed["envs"] = [locate(one) for one in item["envs"]]
    if item.get("env"):
        changed["env"] = locate(item["env"])
    return changed


def _source(source: str, locate: Locate) -> str:
    key, equals, path = source.partition("=")
    return f"{key}={locate(path)}" if equals else f"{PurePosixPath(source).name}={locate(source)}"


def _replacements(plugin: Any, locate: Locate) -> Any:
    return plugin | {"replacements": [_path(one, locate) for one in plugin.get("replacements") or ()]}


def _patch_paths(plugin: Any, locate: Locate) -> Any:
    return plugin | {"paths": [locate(one) for one in plugin.get("paths") or ()]}


def _targets(plugin: Any, locate: Locate) -> Any:
    named = plugin.get("targetFilePath")
    return plugin | {"targetFilePath": locate(named)} if named else plugin


@dataclass(frozen=True)
class Members:
    """A member of a kustomization whose items name files or other roots.

    Args:
        name: the member.
        heading: under which a tree shows them; "" if it does not show them, as airshipctl's does not.
        rewrite: returns an item with the paths that kustomize gets.
        roots: whether a path may lead to another root, and has to: `None` for either.
        in_place: whether an item may be a document instead of a path.
        plugins: whether the documents are plugins.
        is_yaml: whether kustomize parses the files.
    """

    name: str
    heading: str = ""
    rewrite: Callable[[Any, Locate], Any] = _itself
    roots: bool | None = False
    in_place: bool = False
    plugins: bool = False
    is_yaml: bool = True


MEMBERS = (
    Members("resources", "Resources", roots=None),
    Members("bases", "Resources", roots=None),
    Members("components", "Resources", roots=True),
    Members("crds", "Crds"),
    Members("generators", "Generators", roots=None, in_place=True, plugins=True),
    Members("transformers", "Transformers", roots=None, in_place=True, plugins=True),
    Members("validators", "Transformers", roots=None, in_place=True, plugins=True),
    Members("configMapGenerator", "ConfigMapGenerator", _sources, is_yaml=False),
    Members("secretGenerator", "SecretGenerator", _sources, is_yaml=False),
    Members("configurations"),
    Members("patchesStrategicMerge", in_place=True),
    Members("patches", rewrite=_path),
    Members("patchesJson6902", rewrite=_path),
    Members("replacements", rewrite=_path),
)


@dataclass(frozen=True)
class Plugin:
    """A plugin that is built into kustomize.

    Args:
        schema: what its document may say.
        rewrite: returns the document with the paths that kustomize gets.
        is_yaml: whether kustomize parses the files.
    """

    schema: Schema = field(default_factory=dict)
    rewrite: Callable[[Any, Locate], Any] = lambda plugin, _: plugin
    is_yaml: bool = True


_DOCUMENT = ("apiVersion", "kind", "metadata")
# Without HelmChartInflationGenerator, which runs a program.
PLUGINS: Mapping[str, Plugin] = {
    **dict.fromkeys(
        (
            *("AnnotationsTransformer", "HashTransformer", "IAMPolicyGenerator", "ImageTagTransformer"),
            *("LabelTransformer", "LegacyOrderTransformer", "NamespaceTransformer", "PrefixSuffixTransformer"),
            *("PrefixTransformer", "SuffixTransformer", "ReplicaCountTransformer"),
        ),
        # They open no file, whatever they say.
        Plugin(),
    ),
    "ConfigMapGenerator": Plugin(_closed(*_DOCUMENT, *_GENERATOR, **_SOURCES), _sources, is_yaml=False),
    "SecretGenerator": Plugin(_closed(*_DOCUMENT, *_GENERATOR, "type", **_SOURCES), _sources, is_yaml=False),
    "PatchTransformer": Plugin(_closed(*_DOCUMENT, "target", "options", path=STRING, patch=STRING), _path),
    "PatchJson6902Transformer": Plugin(_closed(*_DOCUMENT, "target", path=STRING, jsonOp=STRING), _path),
    "PatchStrategicMergeTransformer": Plugin(_closed(*_DOCUMENT, paths=_PATHS, patches=STRING), _patch_paths),
    "ReplacementTransformer": Plugin(_closed(*_DOCUMENT, replacements=_list(_REPLACEMENT)), _replacements),
    "ValueAddTransformer": Plugin(_closed(*_DOCUMENT, "value", "targets", targetFilePath=STRING), _targets),
}


def with_old_names(kustomization: Json) -> Json:
    """Return a kustomization in which patches have one form: paths to patches once had a member of their own."""
    patches = kustomization.get("patches") or []
    old = [one for one in patches if isinstance(one, str)]
    if not old:
        return kustomization
    merged = [*old, *(kustomization.get("patchesStrategicMerge") or [])]
    rest = {"patches": [one for one in patches if not isinstance(one, str)], "patchesStrategicMerge": merged}
    return kustomization | rest


def inline_documents(item: Any) -> list[Json]:
    """Return the documents that an item is, if it is not a path."""
    if not isinstance(item, str):
        return []
    try:
        return documents(item, "")
    except BundleError:
        return []


def as_text(document: Any) -> str:
    """Return a document as JSON that is also YAML, as kustomize gets it."""
    text = json.dumps(document, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda one: f"\\u{ord(one[0]):04x}", text)
