"""The OpenAPI documents, as far as kubectl needs them: they say that writes accept `fieldValidation`.

Kubectl then leaves validation to the server; otherwise it would download all schemas before it applies anything.
Discovery has the rest. A kubectl before 1.27 asks for the older document, version 2 as protobuf, and does not check
kinds that the document leaves out.
"""

from emulator.openshift.kubernetes.kinds import Json, Kinds

FIELD_VALIDATION = {"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}
INFO = {"title": "Kubernetes", "version": "v1.32.5"}
VERSION_2 = "/openapi/v2"
# By the rules of MIME, the type that kubectl asks for is not a media type. Its parser of responses follows these rules,
# so the response has another type.
PROTOBUF_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"


def version_2_json() -> Json:
    """Return the document of version 2."""
    return {"swagger": "2.0", "info": INFO, "paths": {}}


def version_2_protobuf() -> bytes:
    """Return the document of version 2 as message `openapi.v2.Document`: fields 1, 2 (with fields 1 and 2) and 8."""
    info = _member(1, INFO["title"].encode()) + _member(2, INFO["version"].encode())
    return _member(1, b"2.0") + _member(2, info) + _member(8, b"")


def _member(number: int, content: bytes) -> bytes:
    """Encode a string or message of less than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def answer(kinds: Kinds, path: str) -> Json | None:
    """Return the document at `/openapi/v3` or a path below it, or None if there is none."""
    documents = _documents(kinds)
    if path == "/openapi/v3":
        return {"paths": {name: {"serverRelativeURL": f"/openapi/v3/{name}"} for name in documents}}
    return documents.get(path.removeprefix("/openapi/v3/"))


def _documents(kinds: Kinds) -> dict[str, Json]:
    documents: dict[str, Json] = {}
    for kind in kinds:
        name = f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}"
        info = {"title": "Kubernetes", "version": kind.version}
        document = documents.setdefault(name, {"openapi": "3.0.0", "info": info, "paths": {}})
        below = "/namespaces/{namespace}" if kind.namespaced else ""
        if "patch" in kind.verbs:
            gvk = {"group": kind.group, "version": kind.version, "kind": kind.kind}
            operation = {"x-kubernetes-group-version-kind": gvk, "parameters": [FIELD_VALIDATION], "responses": {}}
            document["paths"][f"/{name}{below}/{kind.plural}/{{name}}"] = {"patch": operation}
    return documents
