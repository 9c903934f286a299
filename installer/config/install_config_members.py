"""The members of an install-config: their names, types, and defaults.

The service makes its install-configs itself (`install_config.py`). Those that people write are completed here;
`install_config_checks.py` finds problems other than wrong types.

Source: openshift/installer `pkg/types/installconfig.go`, `pkg/types/defaults`, with ARO-RP's `platform.azure.aro` and
`platform.azure.image`.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from installer.config import install_config_checks
from installer.graph import Content
from shared.arm.errors import shown
from shared.release import release_rules

Problem = tuple[str, str]
"""A field's path, and a sentence."""

_NEEDED, _LEFT_OUT = object(), object()
_KINDS: dict[type, str] = {
    str: "text",
    int: "a number",
    float: "a fraction",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    type(None): "nothing",
}
_WHOLE = "the file"
_PREFIX_LENGTHS = range(1, 33)
# The range of a 64 bit integer, which all readers of manifests support.
_NUMBERS = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Value:
    """A text, a number, or a boolean.

    Args:
        kind: its type.
        default: its default; `_NEEDED` if it is required, `_LEFT_OUT` if a missing value stays missing.
    """

    kind: type
    default: Any = _NEEDED


@dataclass(frozen=True)
class Many:
    """A list.

    Args:
        item: the shape of each item.
        default: its default; `_NEEDED` if it is required.
        is_filled: whether an empty list gets the default, too.
    """

    item: Any
    default: Any = _NEEDED
    is_filled: bool = False


@dataclass(frozen=True)
class Perhaps:
    """An object that may be missing."""

    members: dict[str, Any]


_TEXT = Value(str)
_ENCRYPTION_SET = dict.fromkeys(("subscriptionId", "resourceGroup", "name"), _TEXT)


def _pool(name: str, size: str, disk_gib: int) -> dict[str, Any]:
    machine = {
        "type": Value(str, size),
        "osDisk": {"diskSizeGB": Value(int, disk_gib), "diskEncryptionSet": Perhaps(_ENCRYPTION_SET)},
        "zones": Many(_TEXT, [""], is_filled=True),
        "encryptionAtHost": Value(bool, _LEFT_OUT),
    }
    return {
        "name": Value(str, name),
        "replicas": Value(int, release_rules.MASTERS),
        "architecture": Value(str, "amd64"),
        "hyperthreading": Value(str, "Enabled"),
        "platform": {"azure": machine},
    }


MEMBERS: dict[str, Any] = {
    "apiVersion": _TEXT,
    "metadata": {"name": _TEXT, "creationTimestamp": Value(type(None), None)},
    "baseDomain": _TEXT,
    "sshKey": _TEXT,
    "pullSecret": _TEXT,
    "networking": {
        "networkType": Value(str, ""),
        "machineNetwork": Many({"cidr": _TEXT}, [{"cidr": "127.0.0.0/8"}]),
        "clusterNetwork": Many(
            {"cidr": _TEXT, "hostPrefix": Value(int, 23)}, [{"cidr": "10.128.0.0/14", "hostPrefix": 23}]
        ),
        "serviceNetwork": Many(_TEXT, ["172.30.0.0/16"]),
    },
    "controlPlane": _pool("master", "Standard_D8s_v3", 1024),
    "compute": Many(_pool("worker", "Standard_D4s_v3", 128), [{}]),
    "platform": {
        "azure": {
            "region": _TEXT,
            "resourceGroupName": _TEXT,
            "networkResourceGroupName": _TEXT,
            "virtualNetwork": _TEXT,
            "controlPlaneSubnet": _TEXT,
            "computeSubnet": _TEXT,
            "outboundType": Value(str, _LEFT_OUT),
            "aro": Value(bool, default=True),
            "image": dict.fromkeys(("publisher", "offer", "sku", "version"), _TEXT),
        }
    },
    "imageContentSources": Many({"source": _TEXT, "mirrors": Many(_TEXT)}, []),
    "publish": Value(str, "External"),
    "fips": Value(bool, _LEFT_OUT),
    "additionalTrustBundle": Value(str, _LEFT_OUT),
}
# Lists of which exactly one item is installed.
_LONE = ("compute", "networking.clusterNetwork", "networking.serviceNetwork")


def complete(document: Any, version: str) -> tuple[Content, list[Problem]]:
    """Return an install-config with all defaults filled in, and all its problems.

    Args:
        document: the document as it was read.
        version: OpenShift version, x.y.z.
    """
    problems: list[Problem] = []
    config: Content = _read(MEMBERS, document, "", problems)
    config["networking"]["networkType"] = config["networking"]["networkType"] or release_rules.network_type(version)
    problems.extend(_rules(config))
    bad = {field for field, _ in problems}
    # A field with a value of the wrong type has an empty one by now, which must not be reported again.
    further = (install_config_checks.in_own_words(problem) for problem in install_config_checks.problems(config))
    return config, problems + [problem for problem in further if not any(_touches(problem[0], field) for field in bad)]


def _touches(fields: str, bad: str) -> bool:
    return bad == _WHOLE or any(
        field == bad or field.startswith((f"{bad}.", f"{bad}[")) for field in fields.split(", ")
    )


def _rules(config: Content) -> Iterator[Problem]:
    if config["apiVersion"] not in ("", "v1"):
        yield "apiVersion", f"'{config['apiVersion']}' is not v1."
    for path in _LONE:
        items: Any = config
        for name in path.split("."):
            items = items[name]
        if len(items) != 1:
            # The rules below check the first one, so its field is not the wrong one.
            yield path + ("[1]" if items else ""), f"There are {len(items)} items, and exactly one is installed."
            items[1:] = []
            items += [_empty(path)] if not items else []
    pods = config["networking"]["clusterNetwork"][0]
    if pods["hostPrefix"] not in _PREFIX_LENGTHS:
        yield "networking.clusterNetwork[0].hostPrefix", f"{pods['hostPrefix']} is not a prefix length."
        pods["hostPrefix"] = _PREFIX_LENGTHS[-1]


def _empty(path: str) -> Any:
    shape: Any = MEMBERS
    for name in path.split("."):
        shape = shape[name]
    return _read(shape.item, shape.default[0], "", [])


def _read(shape: Any, value: Any, path: str, problems: list[Problem]) -> Any:
    """Return a value in its shape. If it does not fit, record a problem and return an empty value of the type."""
    if isinstance(shape, Perhaps):
        shape = shape.members
    kind: type = shape.kind if isinstance(shape, Value) else list if isinstance(shape, Many) else dict
    # In Python, true and false are numbers.
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_right:
        what = _KINDS.get(type(value), type(value).__name__)
        problems.append((path or _WHOLE, f"It is {what}, and has to be {_KINDS[kind]}."))
        value = kind()
    if why := _unfit(value):
        problems.append((path, why))
        value = kind()
    if isinstance(shape, Value):
        return value
    if isinstance(shape, Many):
        return [_read(shape.item, item, f"{path}[{index}]", problems) for index, item in enumerate(value)]
    return _read_members(shape, value, path, problems if is_right else [])


def _unfit(value: Any) -> str:
    """Return why a value of the right type cannot be written to a manifest."""
    if isinstance(value, int) and value not in _NUMBERS:
        return "The number has more than 64 bits."
    if isinstance(value, str) and not is_unicode(value):
        return "It has half a character: a surrogate without its other half."
    return ""


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written: in JSON and YAML an escape may be half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name_of(key: Any) -> str:
    """Return a YAML key as one line of text: `on` is read as true, and numbers have any length."""
    if not isinstance(key, str):
        return f"({_KINDS.get(type(key), type(key).__name__)})"
    return shown(key) if key.isprintable() else shown(ascii(key))


def _read_members(members: dict[str, Any], value: Content, path: str, problems: list[Problem]) -> Content:
    prefix = f"{path}." if path else ""
    strange = (name for name in value if name not in members)
    problems += [(f"{prefix}{_name_of(name)}", "No such member is known here.") for name in strange]
    result: Content = {}
    for name, shape in members.items():
        member = value.get(name)
        if member is None or (member == [] and isinstance(shape, Many) and shape.is_filled):
            default = {} if isinstance(shape, dict) else _LEFT_OUT if isinstance(shape, Perhaps) else shape.default
            if default is _LEFT_OUT:
                continue
            if default is _NEEDED:
                problems.append((f"{prefix}{name}", "It is missing."))
                default = shape.kind() if isinstance(shape, Value) else []
            member = copy.deepcopy(default)
        result[name] = _read(shape, member, f"{prefix}{name}", problems)
    return result
