"""The changes of a deployment, one for each resource that it names or that its groups contain."""

from collections.abc import AsyncIterator
from http import HTTPStatus

from emulator.arm.forwarding import provider_calls
from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from emulator.deployments.groups_and_deployments import ACTIONS, DEPLOYMENTS, RESOURCE_GROUPS, identify, kind_of
from emulator.deployments.language.values import without_unknown
from emulator.deployments.preparation import Prepared
from emulator.deployments.templates.declarations import Declaration, render
from emulator.deployments.whatif.difference import differences, predicted
from emulator.entra.models import Principal
from emulator.json_object import Json

UNSUPPORTED = (
    "Changes to the resources of this nested deployment cannot be predicted: they depend on the reference function, "
    "which only a running deployment evaluates."
)


async def changes_of(arm: ArmModel, prepared: Prepared, *, with_payloads: bool) -> list[Json]:
    """Return the changes that a deployment would make.

    Raises:
        ServiceError: the caller may not read a resource.
    """
    caller = prepared.request.caller
    found: list[Json] = []
    for part in prepared.with_nested():
        observer = part.observer()
        for declaration in part.plan.declarations.values():
            if declaration.nested:
                if declaration.key not in part.nested:
                    found.append(_unsupported(declaration))
                continue
            body = without_unknown(render(declaration, observer))
            before = await _current(arm, caller, declaration)
            found.append(_change(arm, declaration, before, body, with_payloads=with_payloads))
    named = {change["resourceId"].lower() for change in found}
    async for resource in _others(arm, prepared):
        if resource["id"].lower() not in named:
            payload = {"before": resource, "after": resource} if with_payloads else {}
            found.append({"resourceId": resource["id"], "changeType": "Ignore"} | payload)
    return found


def _unsupported(declaration: Declaration) -> Json:
    return {"resourceId": declaration.id, "changeType": "Unsupported", "unsupportedReason": UNSUPPORTED}


def _change(arm: ArmModel, declaration: Declaration, before: Json | None, body: Json, *, with_payloads: bool) -> Json:
    identifier = identify(declaration.id)
    row = arm.resource_type(declaration.type)
    head = {
        "apiVersion": declaration.api_version,
        "id": declaration.id,
        "name": identifier.name,
        "type": identifier.type,
    }
    change: Json = {"resourceId": declaration.id}
    if before is None:
        return change | {"changeType": "Create"} | ({"after": head | body} if with_payloads else {})
    if not with_payloads:
        return change | {"changeType": "Deploy"}
    delta = differences(before, body, {} if row is None else row.members | {"properties": row.properties})
    before = {"apiVersion": declaration.api_version} | before
    return change | {
        "changeType": "Modify" if any(item["propertyChangeType"] != "NoEffect" for item in delta) else "NoChange",
        "before": before,
        "after": predicted(before, body),
        "delta": delta,
    }


async def _current(arm: ArmModel, caller: Principal, declaration: Declaration) -> Json | None:
    """Return a resource as GET answers it, or None."""
    identifier, version = identify(declaration.id), declaration.api_version
    if kind_of(identifier) == RESOURCE_GROUPS:
        arm.authorize(caller, f"{ACTIONS[RESOURCE_GROUPS]}/read", declaration.id)
        return arm.resource_group(identifier.subscription_id, identifier.name)
    if arm.front_door.serves(identifier):
        try:
            return await provider_calls.get(arm, caller, declaration.id, version)
        except ServiceError as error:
            if error.status_code == HTTPStatus.NOT_FOUND:
                return None
            raise
    arm.authorize(caller, f"{arm.row(identifier, version).name}/read", declaration.id)
    return arm.get_resource(declaration.id, version)


async def _others(arm: ArmModel, prepared: Prepared) -> AsyncIterator[Json]:
    """Yield the tracked resources of the groups that a deployment touches."""
    groups = {part.record["id"].partition(f"/providers/{DEPLOYMENTS}/")[0] for part in prepared.with_nested()}
    for group in sorted(group for group in groups if "/resourcegroups/" in group.lower()):
        for stored in list(arm.scan(f"{group}/")):
            if "location" in stored:
                yield arm.render(stored)
        for known in await arm.front_door.known(f"{group}/"):
            yield known
