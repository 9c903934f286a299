"""An in-memory API server in place of the connection: it gets what a client sends, and everything above is real."""

import copy
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import urllib3
from kubernetes.client import ApiClient

from shared.json_object import Json
from shared.openshift.client import Read
from shared.openshift.writes import identity

Answer = tuple[int, Json]


def failure(code: int, reason: str, message: str) -> Answer:
    """Make an error in the format of API servers."""
    return code, {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}


@dataclass
class FakeApi:
    """Objects by their path. Namespaces are not checked unless `namespaces` lists the existing ones.

    Attributes:
        objects: path to object.
        requests: method, path and body of each request.
        first: sees each request before the server does; a value that it returns is the answer.
        namespaces: the existing namespaces.
    """

    objects: dict[str, Json] = field(default_factory=dict)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    first: Callable[[str, str], Answer | None] = lambda _method, _path: None
    namespaces: set[str] | None = None
    _versions: int = 0

    configuration = SimpleNamespace(host="", auth_settings=dict)
    user_agent = "test"

    @property
    def client(self) -> ApiClient:
        """The client that functions of the product take."""
        return cast("ApiClient", self)

    @property
    def changes(self) -> list[tuple[str, str, Any]]:
        """The requests that are not reads."""
        return [request for request in self.requests if request[0] != "GET"]

    def add(self, *objects: Json) -> None:
        """Add objects that somebody else has written."""
        for one in objects:
            self._store(identity(one).path, copy.deepcopy(one))

    def at(self, kind: str, name: str, namespace: str = "") -> Json:
        """Return an object."""
        return self.objects[Read(kind, name, namespace).path]

    def call_api(self, method: str, url: str, headers: dict[str, str], **sent: Any) -> Any:
        """Answer a request like `ApiClient.call_api`."""
        body = json.loads(json.dumps(sent["body"]))
        self.requests.append((method, url, body))
        code, answer = self.first(method, url) or self._answer(method, url, headers, body)
        body = json.dumps(answer).encode()
        headers = {"Content-Length": str(len(body))}
        return SimpleNamespace(
            status=code, response=urllib3.HTTPResponse(io.BytesIO(body), headers, preload_content=False)
        )

    def _answer(self, method: str, path: str, headers: dict[str, str], body: Any) -> Answer:
        if method == "POST":
            return self._create(f"{path}/{body['metadata']['name']}", body)
        found = self.objects.get(path) or (self._listed(path) if method == "GET" else None)
        if found is None:
            return failure(404, "NotFound", f"{path} not found")
        if method == "GET":
            return 200, found
        if method == "DELETE":
            return 200, self.objects.pop(path)
        wanted = body["metadata"]["resourceVersion"]
        if wanted != found["metadata"]["resourceVersion"]:
            return failure(409, "Conflict", f"{path}: the object has been modified")
        if method == "PATCH":
            assert headers["Content-Type"] == "application/merge-patch+json"
            body = _patched(found, body)
        return 200, self._store(path, body)

    def _listed(self, path: str) -> Json | None:
        """Return a list of the objects of a collection, whatever their labels, or None for an empty one."""
        collection = path.partition("?")[0]
        items = [one for at, one in self.objects.items() if at.rpartition("/")[0] == collection]
        return {"items": items} if items else None

    def _create(self, path: str, body: Json) -> Answer:
        namespace = body["metadata"].get("namespace", "")
        if namespace and self.namespaces is not None and namespace not in self.namespaces:
            return failure(404, "NotFound", f'namespaces "{namespace}" not found')
        if path in self.objects:
            return failure(409, "AlreadyExists", f"{path} already exists")
        return 201, self._store(path, body)

    def _store(self, path: str, obj: Json) -> Json:
        self._versions += 1
        obj["metadata"] = obj["metadata"] | {"resourceVersion": str(self._versions)}
        self.objects[path] = obj
        return obj


def _patched(found: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(found) if isinstance(found, dict) else {}
    for name, member in patch.items():
        if member is None:
            result.pop(name, None)
        else:
            result[name] = _patched(result.get(name), member)
    return result
