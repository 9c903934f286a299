"""The rules for names, labels, annotations and keys, in the words of the real server."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.kinds import RBAC, Kind

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_SERVICE = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"

SUBDOMAIN_MESSAGE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
LABEL_MESSAGE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    f"with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
SERVICE_MESSAGE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    f"'{_SERVICE}')"
)
QUALIFIED_MESSAGE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    f"'{_QUALIFIED}')"
)
WITH_PREFIX = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
LABEL_VALUE_MESSAGE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'({_QUALIFIED})?')"
)
CONFIG_KEY_MESSAGE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
    f"or 'key-name', regex used for validation is '{_CONFIG_KEY}')"
)
MAX_SUBDOMAIN = 253
MAX_LABEL = 63


def _matches(pattern: str, most: int, message: str) -> Callable[[str], Iterator[str]]:
    compiled = re.compile(pattern)

    def problems(value: str) -> Iterator[str]:
        if len(value) > most:
            yield f"must be no more than {most} characters"
        if not compiled.fullmatch(value):
            yield message

    return problems


def path_segment(value: str) -> Iterator[str]:
    """Yield why a text cannot be a part of a path."""
    if value in (".", ".."):
        yield f"may not be '{value}'"
    for character in "/%":
        if character in value:
            yield f"may not contain '{character}'"


subdomain = _matches(_SUBDOMAIN, MAX_SUBDOMAIN, SUBDOMAIN_MESSAGE)
label = _matches(_LABEL, MAX_LABEL, LABEL_MESSAGE)
service_name = _matches(_SERVICE, MAX_LABEL, SERVICE_MESSAGE)
label_value = _matches(rf"({_QUALIFIED})?", MAX_LABEL, LABEL_VALUE_MESSAGE)
_config_key = _matches(_CONFIG_KEY, MAX_SUBDOMAIN, CONFIG_KEY_MESSAGE)
_qualified_part = _matches(_QUALIFIED, MAX_LABEL, QUALIFIED_MESSAGE)

# The names of all other kinds are subdomains.
NAMES: Mapping[str, Callable[[str], Iterator[str]]] = {
    "Namespace": label,
    "Service": service_name,
    "Event": path_segment,
    **{f"{kind}.{RBAC}": path_segment for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")},
}


def config_key(value: str) -> Iterator[str]:
    """Yield what is wrong with the key of a ConfigMap or Secret, which becomes the name of a file."""
    yield from _config_key(value)
    if value in (".", ".."):
        yield f"must not be '{value}'"
    elif value.startswith(".."):
        yield "must not start with '..'"


def qualified_name(value: str) -> Iterator[str]:
    """Yield what is wrong with the key of a label or annotation."""
    prefix, slash, name = value.partition("/")
    if "/" in name:
        yield f"a qualified name {QUALIFIED_MESSAGE.removeprefix('name part ')} {WITH_PREFIX}"
        return
    name, prefix = (name, prefix) if slash else (prefix, "")
    if slash:
        if not prefix:
            yield "prefix part must be non-empty"
        else:
            for problem in subdomain(prefix):
                yield f"prefix part {problem}"
    if not name:
        yield "name part must be non-empty"
    for problem in _qualified_part(name):
        yield problem if problem.startswith("name part") else f"name part {problem}"


def metadata_causes(kind: Kind, metadata: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object's metadata."""
    name, prefix = metadata.get("name"), str(metadata.get("generateName") or "")
    # A dash at the end of the prefix is not the end of the name.
    for problem in NAMES.get(kind.name, subdomain)(f"{prefix[:-2]}a" if prefix[1:].endswith("-") else prefix or "a"):
        yield invalid_value("metadata.generateName", prefix, problem)
    if not name:
        yield required("metadata.name", "name or generateName is required")
    else:
        for problem in NAMES.get(kind.name, subdomain)(str(name)):
            yield invalid_value("metadata.name", name, problem)
    yield from label_causes("metadata.labels", metadata.get("labels"))
    for key in sorted(metadata.get("annotations") or {}):
        for problem in qualified_name(key.lower()):
            yield invalid_value("metadata.annotations", key, problem)


def label_causes(field: str, labels: Any) -> Iterator[Cause]:
    """Yield what is wrong with labels."""
    for key, value in sorted((labels or {}).items()):
        for problem in qualified_name(key):
            yield invalid_value(field, key, problem)
        for problem in label_value(value):
            yield invalid_value(field, value, problem)
