"""The rules of ConfigMaps and Secrets."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping

from emulator.openshift.kubernetes.errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule

MOST_BYTES = 1 << 20
# What Python says of a text that is not JSON, and Go's words for it.
GO_WORDS = {
    "Expecting property name": "looking for beginning of object key string",
    "Expecting ',' delimiter": "after object key:value pair",
    "Expecting ':' delimiter": "after object key",
    "Extra data": "after top-level value",
}
DOCKER_CONFIG, DOCKER_CFG = "kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg"


def _keys(member: str) -> Callable[[Json, str], Iterator[Cause]]:
    def check(value: Json, _field: str) -> Iterator[Cause]:
        for key in sorted(value.get(member) or {}):
            for problem in names.config_key(key):
                yield invalid_value(f"{member}[{key}]", key, problem)

    return check


def _in_both(value: Json, _field: str) -> Iterator[Cause]:
    for key in sorted(set(value.get("data") or {}) & set(value.get("binaryData") or {})):
        yield invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData")


def _map_size(value: Json, _field: str) -> Iterator[Cause]:
    size = sum(len(text.encode()) for text in (value.get("data") or {}).values())
    size += sum(len(base64.b64decode(text)) for text in (value.get("binaryData") or {}).values())
    if size > MOST_BYTES:
        yield Cause("FieldValueTooLong", "[]", f"Too long: must have at most {MOST_BYTES} bytes")


def _secret_size(value: Json, _field: str) -> Iterator[Cause]:
    if sum(len(base64.b64decode(text)) for text in (value.get("data") or {}).values()) > MOST_BYTES:
        yield Cause("FieldValueTooLong", "data", f"Too long: must have at most {MOST_BYTES} bytes")


def _annotated(value: Json) -> Iterator[Cause]:
    name = "kubernetes.io/service-account.name"
    if not (value["metadata"].get("annotations") or {}).get(name):
        yield required(f"metadata.annotations[{name}]")


def _has(*keys: str) -> Callable[[Json], Iterator[Cause]]:
    def check(value: Json) -> Iterator[Cause]:
        for key in keys:
            if key not in (value.get("data") or {}):
                yield required(f"data[{key}]")

    return check


def _has_one(*keys: str) -> Callable[[Json], Iterator[Cause]]:
    def check(value: Json) -> Iterator[Cause]:
        if not set(keys) & set(value.get("data") or {}):
            for key in keys:
                # The real server writes its placeholder too.
                yield required(f"data[%s][{key}]")

    return check


def _key_not_empty(key: str) -> Callable[[Json], Iterator[Cause]]:
    def check(value: Json) -> Iterator[Cause]:
        if not (value.get("data") or {}).get(key):
            yield required(f"data[%s][{key}]")

    return check


def _json_at(key: str) -> Callable[[Json], Iterator[Cause]]:
    def check(value: Json) -> Iterator[Cause]:
        text = (value.get("data") or {}).get(key)
        if text is None:
            yield required(f"data[{key}]")
            return
        problem = _json_problem(base64.b64decode(text))
        if problem:
            yield invalid_value(f"data[{key}]", "<secret contents redacted>", problem)

    return check


def _json_problem(text: bytes) -> str:
    """Return why Go's decoder refuses a text that should be a JSON object, or ""."""
    try:
        found = json.loads(text)
    except ValueError as error:
        return _go_words(text, error) if isinstance(error, json.JSONDecodeError) else "invalid UTF-8"
    return "" if isinstance(found, dict) else "json: cannot unmarshal into Go value of type map[string]interface {}"


def _go_words(text: bytes, error: json.JSONDecodeError) -> str:
    shown = text.decode(errors="replace")
    if error.pos >= len(shown):
        return "unexpected end of JSON input"
    literal = next((word for word in ("null", "true", "false") if shown[error.pos] == word[0]), "")
    for index, wanted in enumerate(literal[1:], 1):
        found = shown[error.pos + index : error.pos + index + 1]
        if found != wanted:
            return f"invalid character '{found}' in literal {literal} (expecting '{wanted}')"
    where = next(
        (words for begin, words in GO_WORDS.items() if error.msg.startswith(begin)), "looking for beginning of value"
    )
    return f"invalid character '{shown[error.pos]}' {where}"


# What a Secret of each type must have.
TYPES: Mapping[str, Callable[[Json], Iterator[Cause]]] = {
    "kubernetes.io/basic-auth": _has_one("username", "password"),
    DOCKER_CFG: _json_at(".dockercfg"),
    DOCKER_CONFIG: _json_at(".dockerconfigjson"),
    "kubernetes.io/service-account-token": _annotated,
    "kubernetes.io/ssh-auth": _key_not_empty("ssh-privatekey"),
    "kubernetes.io/tls": _has("tls.crt", "tls.key"),
}


def _typed(value: Json, _field: str) -> Iterator[Cause]:
    check = TYPES.get(value.get("type") or "")
    if check:
        yield from check(value)


RULES = (
    *(
        Rule(
            kind,
            _keys("data"),
            {"data": {key: "YQ=="}},
            f'Invalid value: "{key}": {says}',
            field=f"data[{key}]",
        )
        for kind in ("ConfigMap", "Secret")
        for key, says in ((".", "must not be '.'"), ("..", "must not be '..'"), ("..a", "must not start with '..'"))
    ),
    Rule(
        "ConfigMap",
        _keys("data"),
        {"data": {"a/b": "c"}},
        "Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        field="data[a/b]",
    ),
    Rule(
        "ConfigMap",
        _keys("binaryData"),
        {"binaryData": {"a/b": "AAEC"}},
        "Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        field="binaryData[a/b]",
    ),
    Rule(
        "ConfigMap",
        _in_both,
        {"data": {"a": "b"}, "binaryData": {"a": "AAEC"}},
        'Invalid value: "a": duplicate of key present in binaryData',
        field="data[a]",
    ),
    Rule(
        "ConfigMap",
        _map_size,
        {"data": {"a": "b" * (MOST_BYTES + 1)}},
        "Too long: must have at most 1048576 bytes",
        field="[]",
        reason="FieldValueTooLong",
    ),
    Rule(
        "Secret",
        _keys("data"),
        {"data": {"a/b": "AAEC"}},
        "Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        field="data[a/b]",
    ),
    Rule(
        "Secret",
        _secret_size,
        {"data": {"a": "AAAA" * (MOST_BYTES // 3 + 1)}},
        "Too long: must have at most 1048576 bytes",
        field="data",
        reason="FieldValueTooLong",
    ),
    Rule(
        "Secret",
        _typed,
        {"type": "kubernetes.io/tls", "data": {"tls.key": ""}},
        "Required value",
        field="data[tls.crt]",
        reason="FieldValueRequired",
    ),
    Rule(
        "Secret",
        _typed,
        {"type": "kubernetes.io/tls", "data": {"tls.crt": ""}},
        "Required value",
        field="data[tls.key]",
        reason="FieldValueRequired",
    ),
    Rule(
        "Secret",
        _typed,
        {"type": DOCKER_CONFIG},
        "Required value",
        field="data[.dockerconfigjson]",
        reason="FieldValueRequired",
    ),
    Rule(
        "Secret",
        _typed,
        {"type": DOCKER_CONFIG, "data": {".dockerconfigjson": "bm90IEpTT04="}},
        "Invalid value: \"<secret contents redacted>\": invalid character 'o' in literal null (expecting 'u')",
        field="data[.dockerconfigjson]",
    ),
    Rule(
        "Secret", _typed, {"type": DOCKER_CFG}, "Required value", field="data[.dockercfg]", reason="FieldValueRequired"
    ),
    Rule(
        "Secret",
        _typed,
        {"type": "kubernetes.io/basic-auth"},
        "Required value",
        field="data[%s][username]",
        reason="FieldValueRequired",
    ),
    Rule(
        "Secret",
        _typed,
        {"type": "kubernetes.io/ssh-auth"},
        "Required value",
        field="data[%s][ssh-privatekey]",
        reason="FieldValueRequired",
    ),
    Rule(
        "Secret",
        _typed,
        {"type": "kubernetes.io/service-account-token"},
        "Required value",
        field="metadata.annotations[kubernetes.io/service-account.name]",
        reason="FieldValueRequired",
    ),
)
