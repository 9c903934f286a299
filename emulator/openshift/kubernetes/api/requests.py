"""Read verb, kind and object from a request's path and method, for endpoints, authorization and faults."""

from dataclasses import dataclass
from urllib.parse import unquote

from starlette.requests import Request

VERB_OF_METHOD = {
    "GET": "get",
    "HEAD": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
# Subresources of a namespace. Any other word after a namespace's name is a kind.
OF_NAMESPACES = frozenset({"status", "finalize"})
API, GROUPS = "api", "apis"


@dataclass(frozen=True)
class RequestInfo:
    """One request, read.

    Args:
        verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; for a path that
            is not a resource, the method in lower case.
        path: as sent, without the query.
        is_resource: whether the path is below a version of a group, and names a kind there.
        group: API group, "" for core.
        version: version of the group.
        namespace: "" for none.
        plural: the kind's name in paths.
        name: the object's name, "" for all objects.
        subresource: "" for none.
        rest: the segments after a subresource; no existing path has any.
    """

    verb: str
    path: str
    is_resource: bool = False
    group: str = ""
    version: str = ""
    namespace: str = ""
    plural: str = ""
    name: str = ""
    subresource: str = ""
    rest: tuple[str, ...] = ()

    @property
    def resource(self) -> str:
        """Return `nodes` or `nodes/status`."""
        return f"{self.plural}/{self.subresource}" if self.subresource else self.plural

    @property
    def operation(self) -> str:
        """Return its name in faults and the journal: `LIST nodes`, `PATCH deployments.apps/status`."""
        if not self.is_resource:
            return f"{self.verb.upper()} {self.path}"
        full = f"{self.plural}.{self.group}" if self.group else self.plural
        return f"{self.verb.upper()} {full}/{self.subresource}" if self.subresource else f"{self.verb.upper()} {full}"


def read(request: Request) -> RequestInfo:
    """Read a request."""
    raw = request.scope.get("raw_path") or request.url.path.encode()
    segments = [unquote(part) for part in raw.decode("latin-1").strip("/").split("/")]
    path = request.url.path
    if any("/" in segment for segment in segments):
        # A name cannot contain a slash, not even an encoded one.
        return RequestInfo(request.method.lower(), path)
    if segments[0] == API and len(segments) > 2:  # noqa: PLR2004 - /api/{version}/{kind}
        return _resource(request, path, "", segments[1], segments[2:])
    if segments[0] == GROUPS and len(segments) > 3:  # noqa: PLR2004 - /apis/{group}/{version}/{kind}
        return _resource(request, path, segments[1], segments[2], segments[3:])
    return RequestInfo(request.method.lower().replace("head", "get"), path)


def _resource(request: Request, path: str, group: str, version: str, parts: list[str]) -> RequestInfo:
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 1:
        namespace = parts[1]
        if len(parts) > 2 and parts[2] not in OF_NAMESPACES:  # noqa: PLR2004 - namespaces/{name}/{kind}
            parts = parts[2:]
    plural, name, subresource, *rest = [*parts, "", ""] if len(parts) < 3 else parts  # noqa: PLR2004 - kind, name, subresource
    verb = VERB_OF_METHOD.get(request.method, request.method.lower())
    if not name and verb == "get":
        verb = "watch" if request.query_params.get("watch") in ("1", "true") else "list"
    elif not name and verb == "delete":
        verb = "deletecollection"
    return RequestInfo(
        verb,
        path,
        is_resource=True,
        group=group,
        version=version,
        namespace=namespace,
        plural=plural,
        name=name,
        subresource=subresource,
        rest=tuple(part for part in rest if part),
    )
