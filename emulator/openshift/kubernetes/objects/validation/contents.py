"""The rules of annotations, ConfigMaps and Secrets."""

from collections.abc import Callable, Iterator, Mapping

from emulator.openshift.kubernetes.errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule

# `kubectl apply` writes the whole object into an annotation, and some definitions are larger than this.
MOST_ANNOTATION_BYTES = 256 << 10
# The keys that a Secret of each type must have.
TYPE_KEYS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}


def _annotations(value: Json, field: str) -> Iterator[Cause]:
    size = sum(len(key.encode()) + len(text.encode()) for key, text in (value.get("annotations") or {}).items())
    if size > MOST_ANNOTATION_BYTES:
        message = f"Too long: must have at most {MOST_ANNOTATION_BYTES} bytes"
        yield Cause("FieldValueTooLong", f"{field}.annotations", message)


def _keys(member: str) -> Callable[[Json, str], Iterator[Cause]]:
    def check(value: Json, _field: str) -> Iterator[Cause]:
        for key in sorted(value.get(member) or {}):
            for problem in names.config_key(key):
                yield invalid_value(f"{member}[{key}]", key, problem)

    return check


def _typed(value: Json, _field: str) -> Iterator[Cause]:
    for key in TYPE_KEYS.get(value.get("type") or "", ()):
        if key not in (value.get("data") or {}):
            yield required(f"data[{key}]")


IN_DATA, IN_BINARY_DATA = _keys("data"), _keys("binaryData")
RULES = (
    Rule(
        "ObjectMeta",
        _annotations,
        {"annotations": {"a": "b" * MOST_ANNOTATION_BYTES}},
        "Too long: must have at most 262144 bytes",
        field="annotations",
        reason="FieldValueTooLong",
    ),
    *(
        Rule(
            kind,
            check,
            {member: {"a/b": "AAEC"}},
            f'Invalid value: "a/b": {names.CONFIG_KEY_MESSAGE}',
            field=f"{member}[a/b]",
        )
        for kind, member, check in (
            ("ConfigMap", "data", IN_DATA),
            ("ConfigMap", "binaryData", IN_BINARY_DATA),
            ("Secret", "data", IN_DATA),
        )
    ),
    *(
        Rule("Secret", _typed, {"type": kind}, "Required value", field=f"data[{key}]", reason="FieldValueRequired")
        for kind, keys in TYPE_KEYS.items()
        for key in keys
    ),
)
