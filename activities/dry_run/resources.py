"""The resources that a rendered deployment would make, and which of them exist."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.resources import ResourceManagementClient

from activities.azure import deployments, resource_group
from activities.dry_run.expressions import Scope, Unknown
from activities.runtime.executor import Rendered
from activities.runtime.step import Step
from shared.json_object import Json
from shared.steps import TriedResource, Verdict

_MASK = "***"


@dataclass(frozen=True)
class _Resource:
    """A resource of a template; its id is an expression if only ARM knows its name."""

    id: str
    api_version: str
    known: bool


def plain(rendered: Rendered) -> Json:
    """Return what a row would send as JSON, with the values of secure parameters masked."""
    found: Json = json.loads(json.dumps(rendered, default=_members))
    properties = found.get("properties") or {}
    declared = (properties.get("template") or {}).get("parameters") or {}
    for name, parameter in (properties.get("parameters") or {}).items():
        if str((declared.get(name) or {}).get("type", "")).lower().startswith("secure"):
            parameter["value"] = _MASK
    return found


def _members(value: Any) -> Any:
    """Return a model of an SDK, which is a mapping, as JSON's encoder takes it."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def is_deployment(rendered: Json) -> bool:
    """Tell whether it is the deployment of a template."""
    return "template" in (rendered.get("properties") or {})


def compare(step: Step, rendered: Json) -> tuple[Verdict, list[TriedResource]]:
    """Look for each resource of a deployment.

    Returns:
        `unchanged` if this deployment has succeeded, so that it would not be sent again; `made` if none of the
        resources exists; otherwise `changed`: the deployment would be sent, and ARM alone knows what it changes in
        those that exist. And the resources.
    """
    exists = resource_group.find(step) is not None
    found: list[TriedResource] = [
        {"id": one.id, "state": _state(step, one, group_exists=exists)} for one in _resources(step, rendered)
    ]
    if exists and _is_deployed(step, rendered):
        return Verdict.UNCHANGED, found
    states = {one["state"] for one in found}
    return Verdict.MADE if states == {"made"} or not exists else Verdict.CHANGED, found


def _is_deployed(step: Step, rendered: Json) -> bool:
    """Tell whether a deployment with this content has succeeded; the operation recognizes it by the same tag."""
    made = step.customer(DeploymentsMgmtClient).deployments.list_by_resource_group(step.resource_group)
    wanted = rendered["tags"][deployments.DIGEST]
    return any(
        (each.tags or {}).get(deployments.DIGEST) == wanted and deployments.state(each) == "Succeeded" for each in made
    )


def _state(step: Step, one: _Resource, *, group_exists: bool) -> Any:
    if not group_exists:
        return "made"
    if not one.known:
        return "notChecked"
    resources = step.customer(ResourceManagementClient).resources
    try:
        # The SDK puts the first slash before it.
        resources.get_by_id(one.id.lstrip("/"), api_version=one.api_version)
    except HttpResponseError as error:
        if error.status_code != HTTPStatus.NOT_FOUND:
            raise
        return "made"
    return "exists"


def _resources(step: Step, rendered: Json) -> Iterator[_Resource]:
    template = rendered["properties"]["template"]
    parameters = {name: each["value"] for name, each in rendered["properties"]["parameters"].items()}
    for declared in template["resources"]:
        count = Scope(template, parameters).value((declared.get("copy") or {}).get("count", 1))
        for index in range(count):
            scope = Scope(template, parameters, index)
            if scope.value(declared.get("condition", True)):
                yield _resource(step, declared, scope)


def _resource(step: Step, declared: Mapping[str, Any], scope: Scope) -> _Resource:
    try:
        name, known = str(scope.value(declared["name"])), True
    except Unknown:
        name, known = str(declared["name"]), False
    namespace, *types = declared["type"].split("/")
    # An expression is one name, whatever slashes it has.
    names = name.split("/") if known else [name]
    path = "/".join(f"{kind}/{each}" for kind, each in zip(types, names, strict=False))
    return _Resource(f"{resource_group.group_id(step)}/providers/{namespace}/{path}", declared["apiVersion"], known)
