"""A custom kind for tests, with one of everything that a structural schema can express."""

import time
from dataclasses import dataclass
from typing import Any

import httpx

from emulator.openshift.release import kinds

SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
        "list": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "port": {"x-kubernetes-int-or-string": True},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "since": {"type": "string", "format": "date-time"},
    },
}
STATUS = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
SCHEMA = {"type": "object", "required": ["spec"], "properties": {"spec": SPEC, "status": STATUS}}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISHED_SECONDS = 120.0


@dataclass(frozen=True)
class Widgets:
    """The kind `Widget` of one group.

    Args:
        group: its API group.
        path: path of its objects in a namespace.
    """

    group: str
    path: str

    def widget(self, name: str, /, **spec: Any) -> dict[str, Any]:
        """Return an object."""
        body: dict[str, Any] = {"apiVersion": f"{self.group}/v1", "kind": "Widget", "metadata": {"name": name}}
        return body | {"spec": spec}

    def invalid(self, name: str, *causes: tuple[str, str, str]) -> dict[str, Any]:
        """Return the Status that refuses an object, with causes of (reason, field, message)."""
        lines = [f"{field}: {message}" for _, field, message in causes]
        what = lines[0] if len(lines) == 1 else f"[{', '.join(lines)}]"
        return {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": f'Widget.{self.group} "{name}" is invalid: {what}',
            "reason": "Invalid",
            "details": {
                "name": name,
                "group": self.group,
                "kind": "Widget",
                "causes": [{"reason": reason, "message": message, "field": field} for reason, field, message in causes],
            },
            "code": 422,
        }


def definition(group: str, **version: Any) -> dict[str, Any]:
    """Return a definition of the kind."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["w"]},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": SCHEMA},
                }
                | version
            ],
        },
    }


def define(admin: httpx.Client, group: str, namespace: str, **version: Any) -> Widgets:
    """Define the kind, and wait until it can be used: the real server takes a second.

    Args:
        admin: client that may define kinds.
        group: API group of the kind.
        namespace: namespace in the path of the Widgets returned.
        version: members of the definition's version that replace the default ones.
    """
    admin.post(DEFINITIONS, json=definition(group, **version)).raise_for_status()
    path = f"/apis/{group}/v1/namespaces/{namespace}/widgets"
    established(admin, group, path)
    return Widgets(group, path)


def established(admin: httpx.Client, group: str, path: str) -> None:
    """Wait until the kind of a group can be used.

    Args:
        admin: client that may read kinds.
        group: API group of the kind.
        path: path of its objects.
    """
    end = time.monotonic() + ESTABLISHED_SECONDS
    while time.monotonic() < end:
        conditions = admin.get(f"{DEFINITIONS}/widgets.{group}").json()["status"].get("conditions") or []
        done = any(one["type"] == "Established" and one["status"] == "True" for one in conditions)
        if done and admin.get(path).status_code == httpx.codes.OK:
            return
        time.sleep(0.05)
    raise TimeoutError(f"widgets.{group} is not established")


def define_openshift(admin: httpx.Client, resource: str) -> str:
    """Define one of OpenShift's kinds unless it is already defined; return the path of its objects."""
    definition = next(one for one in kinds.definitions() if one["metadata"]["name"] == resource)
    spec = definition["spec"]
    admin.post(DEFINITIONS, json=definition)
    within = "namespaces/default/" if spec["scope"] == "Namespaced" else ""
    path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{within}{spec['names']['plural']}"
    end = time.monotonic() + ESTABLISHED_SECONDS
    # The real server takes a second, and sends no notice.
    while admin.get(path).status_code != httpx.codes.OK and time.monotonic() < end:
        time.sleep(0.05)
    return path
