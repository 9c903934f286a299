"""The rules of annotations, ConfigMaps and Secrets."""

from collections.abc import Iterator, Mapping

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, invalid_value, required
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Check

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


def _keys(member: str) -> Check:
    def check(value: Json, _field: str) -> Iterator[Cause]:
        for key in sorted(value.get(member) or {}):
            for problem in names.config_key(key):
                yield invalid_value(f"{member}[{key}]", key, problem)

    return check


def _typed(value: Json, _field: str) -> Iterator[Cause]:
    for key in TYPE_KEYS.get(value.get("type") or "", ()):
        if key not in (value.get("data") or {}):
            yield required(f"data[{key}]")


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "ObjectMeta": (_annotations,),
    "ConfigMap": (_keys("data"), _keys("binaryData")),
    "Secret": (_keys("data"), _typed),
}
