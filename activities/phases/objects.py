"""Objects of any kind in a cluster: where they are, server-side apply, and deletion.

Discovery says where a kind is. It is asked again when a kind is missing, because a definition may just have been
applied.
"""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from shared.json_object import Json
from shared.openshift.client import NotDone, parsed, refused, send, status_line

if TYPE_CHECKING:
    from kubernetes.client import ApiClient


FIELD_MANAGER = "aro-phases"
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_DONE = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED})
# The statuses of answers that no repetition changes.
_FINAL = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.METHOD_NOT_ALLOWED,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
# What an API server says of an object that is wrong where its status is 500, as in an outage. Source:
# kubernetes/apiserver `pkg/endpoints/handlers/fieldmanager` and etcd's `ErrRequestTooLarge`.
_WRONG = (
    "failed to create typed patch object",
    "failed to merge config: expected objects of the same type",
    "etcdserver: request is too large",
)
# What passes where the status is 403: the namespace of before is still going, or admission has just started.
_PASSING = ("because it is being terminated", "not yet ready to handle request")


class Conflicts(NotDone):
    """Somebody else manages members of the object that the phase sets to other values."""


class UnknownKind(NotDone):
    """The cluster does not serve the kind, at least not yet."""


class NotThere(NotDone):
    """The cluster lacks something that the request names, such as the namespace of an object."""


class Rejected(NotDone):
    """The cluster will never accept the object as it is."""


@dataclass(frozen=True, order=True)
class ObjectId:
    """What identifies an object, whatever the version of its API.

    Args:
        group: its API group; "" for the core.
        kind: its kind.
        namespace: its namespace; "" if it has none.
        name: its name.
    """

    group: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, document: Json) -> "ObjectId":
        """Return the id of a document."""
        metadata = document.get("metadata") or {}
        group = str(document.get("apiVersion", "")).rpartition("/")[0]
        return cls(group, str(document.get("kind", "")), metadata.get("namespace") or "", str(metadata.get("name", "")))

    def __str__(self) -> str:
        """Name the object in a sentence."""
        kind = f"{self.kind}.{self.group}" if self.group else self.kind
        return f"{kind} {self.namespace}/{self.name}" if self.namespace else f"{kind} {self.name}"


@dataclass(frozen=True)
class Served:
    """A kind as the cluster serves it.

    Args:
        path: path of its collection, with the placeholder `{namespace}` if it is namespaced.
        namespaced: whether its objects are in namespaces.
    """

    path: str
    namespaced: bool


@dataclass
class Cluster:
    """A cluster to which a phase is applied.

    Args:
        client: its client.
        dry_run: whether changes are only tried.
    """

    client: "ApiClient"
    dry_run: bool = False
    _served: dict[tuple[str, str], Served] = field(default_factory=dict)

    def apply(self, document: Json, *, force: bool = False) -> Json:
        """Apply an object on the server's side; return it as it is then.

        Args:
            document: the object as it is wanted.
            force: whether to take over members that others manage.

        Raises:
            UnknownKind: the cluster does not serve the kind.
            Conflicts: others manage members of it.
            Rejected: the cluster refuses the object as it is.
            NotDone: the problem may pass.
        """
        query = {"fieldManager": FIELD_MANAGER, "force": str(force).lower()}
        if self.dry_run:
            query["dryRun"] = "All"
        path = f"{self._path(document)}?{urlencode(query)}"
        status, body = send(self.client, "PATCH", path, document, _APPLY)
        if status == HTTPStatus.CONFLICT:
            raise Conflicts(f"the API server answers {status_line(status, body)}")
        return self._object(status, body, document)

    def create(self, document: Json) -> Json:
        """Create an object; return it as it is then.

        Raises:
            UnknownKind: the cluster does not serve the kind.
            NotThere: its namespace does not exist.
            Rejected: the cluster refuses the object as it is.
            NotDone: it exists, or the problem may pass.
        """
        path = f"{self._collection(document)}?{urlencode({'fieldManager': FIELD_MANAGER})}"
        return self._object(*send(self.client, "POST", path, document), document)

    def merge(self, document: Json, changes: Json) -> Json:
        """Change members of an object; return it as it is then.

        Args:
            document: names the object.
            changes: the members; null removes one.

        Raises:
            UnknownKind: the cluster does not serve the kind.
            NotThere: it does not exist.
            NotDone: the API server does not answer, or refuses.
        """
        path = f"{self._path(document)}?{urlencode({'fieldManager': FIELD_MANAGER})}"
        return self._object(*send(self.client, "PATCH", path, changes, _MERGE))

    def read(self, document: Json) -> Json | None:
        """Return an object as it is, or None.

        Raises:
            UnknownKind: the cluster does not serve the kind.
            NotDone: the API server does not answer, or refuses.
        """
        status, body = send(self.client, "GET", self._path(document))
        return None if status == HTTPStatus.NOT_FOUND else self._object(status, body)

    def delete(self, document: Json) -> bool:
        """Delete an object; return whether it existed.

        Raises:
            UnknownKind: the cluster does not serve the kind.
            NotDone: the API server does not answer, or refuses.
        """
        # Where a body has options, the API server reads none from the query.
        options: Json = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        if self.dry_run:
            options["dryRun"] = ["All"]
        status, body = send(self.client, "DELETE", self._path(document), options)
        if status == HTTPStatus.NOT_FOUND:
            return False
        if status not in _DONE:
            raise refused(status, f"the API server answers {status_line(status, body)}")
        return True

    def listing(self, api_version: str, kind: str, namespace: str = "", labels: str = "") -> list[Json]:
        """Return the objects of a kind; [] if the cluster does not serve it.

        Args:
            api_version: such as `cluster.x-k8s.io/v1beta1`.
            kind: the kind.
            namespace: only those in this namespace.
            labels: only those that this selector matches.
        """
        try:
            served = self.served(api_version, kind)
        except UnknownKind:
            return []
        path = served.path.format(namespace=f"namespaces/{quote(namespace)}/" if namespace else "")
        query = f"?{urlencode({'labelSelector': labels})}" if labels else ""
        status, body = send(self.client, "GET", path + query)
        items: list[Json] = self._object(status, body).get("items", [])
        return [{"apiVersion": api_version, "kind": kind} | item for item in items]

    def served(self, api_version: str, kind: str) -> Served:
        """Return how the cluster serves a kind.

        Raises:
            UnknownKind: it does not.
        """
        if (api_version, kind) not in self._served:
            self._discover(api_version)
        found = self._served.get((api_version, kind))
        if found is None:
            raise UnknownKind(f"the cluster does not serve {kind} in {api_version}")
        return found

    def kinds(self, api_version: str) -> dict[str, Served]:
        """Return all kinds that the cluster serves in a version of an API group."""
        self._discover(api_version)
        return {kind: served for (version, kind), served in self._served.items() if version == api_version}

    def version(self) -> str:
        """Return the version of the API server.

        Raises:
            NotDone: it does not answer, or refuses.
        """
        status, body = send(self.client, "GET", "/version")
        return str(self._object(status, body)["gitVersion"])

    def version_of(self, group: str) -> str:
        """Return the API version of a group that the cluster prefers; "v1" for the core.

        Raises:
            NotDone: the API server does not answer, or refuses.
        """
        if not group:
            return "v1"
        status, body = send(self.client, "GET", f"/apis/{group}")
        if status == HTTPStatus.NOT_FOUND:
            return f"{group}/v1"
        return str(self._object(status, body)["preferredVersion"]["groupVersion"])

    def _discover(self, api_version: str) -> None:
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        status, body = send(self.client, "GET", root)
        if status == HTTPStatus.NOT_FOUND:
            return
        for entry in self._object(status, body).get("resources", []):
            if "/" not in entry["name"]:
                namespaced = bool(entry["namespaced"])
                path = f"{root}/{'{namespace}' if namespaced else ''}{entry['name']}"
                self._served[api_version, entry["kind"]] = Served(path, namespaced)

    def _collection(self, document: Json) -> str:
        identity, served = ObjectId.of(document), self.served(str(document["apiVersion"]), str(document["kind"]))
        namespace = f"namespaces/{quote(identity.namespace or 'default')}/" if served.namespaced else ""
        return served.path.format(namespace=namespace)

    def _path(self, document: Json) -> str:
        return f"{self._collection(document)}/{quote(ObjectId.of(document).name)}"

    @staticmethod
    def _object(status: int, body: bytes, sent: Json | None = None) -> Json:
        """Return the object in an answer; `sent` is the one that was sent, of which an error may quote values."""
        told = f"the API server answers {status_line(status, body)}"
        is_final = _is_final(status, told)
        if sent is not None and (sent.get("apiVersion"), sent.get("kind")) == ("v1", "Secret"):
            told = (
                f"the API server answers {status_line(status, b'')}; its message may quote the Secret and is not shown"
            )
        if is_final:
            raise Rejected(told)
        if status == HTTPStatus.NOT_FOUND:
            raise NotThere(told)
        if status not in _DONE:
            raise refused(status, told)
        document: Json = parsed(body)
        if not isinstance(document, dict):
            raise NotDone("the API server's answer is not an object")
        return document


def _is_final(status: int, told: str) -> bool:
    """Tell whether an answer will be the same however often it is asked for."""
    if status == HTTPStatus.FORBIDDEN:
        return not any(text in told for text in _PASSING)
    return status in _FINAL or (status == HTTPStatus.INTERNAL_SERVER_ERROR and any(text in told for text in _WRONG))
