"""What is checked before a deployment begins: types and versions, registered providers, access, preflight.

The checks cover the resources of nested templates too. Each kind of check reports everything that it finds.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from emulator.arm.exceptions import NO_REGISTERED_PROVIDER
from emulator.arm.forwarding import provider_calls
from emulator.arm.groups import normal_location
from emulator.arm.ids import ResourceId
from emulator.arm.models import ArmModel
from emulator.arm.policy import policies
from emulator.arm.policy.policies import Write
from emulator.arm.provider.manifest import SYSTEM_NAMESPACE
from emulator.core.service_error import ServiceError
from emulator.deployments import exceptions
from emulator.deployments.groups_and_deployments import ACTIONS, VERSIONS, identify, kind_of
from emulator.deployments.journal_entries import journaled
from emulator.deployments.language.values import without_unknown
from emulator.deployments.preparation import Prepared
from emulator.deployments.templates.declarations import Declaration, render
from emulator.entra.models import Principal


async def check(arm: ArmModel, caller: Principal, prepared: Prepared) -> set[tuple[str, str]]:
    """Check a deployment; return the subscriptions and namespaces that must be registered for it.

    ARM registers the providers of a template's resources itself, if the caller may do so.

    Raises:
        ServiceError: an unknown type or version, 409 `MissingSubscriptionRegistration`, or `InvalidTemplateDeployment`
            with all resources that the caller may not write, or that their providers would refuse; 5xx if the resource
            provider is not there to be asked.
    """
    resources = [
        (declaration, _type_name(arm, declaration, identify(declaration.id)))
        for part in prepared.with_nested()
        for declaration in part.plan.declarations.values()
    ]
    missing = _unregistered(arm, caller, [declaration for declaration, _ in resources])
    _authorize(arm, caller, resources)
    if refused := list(_disallowed(arm, prepared)):
        raise exceptions.POLICY_VIOLATION(details=[error.body() for error in refused])
    if failures := [*_preflight(arm, prepared), *await _ask_provider(arm, caller, prepared)]:
        raise exceptions.PREFLIGHT_FAILED(
            name=prepared.record["name"], tracking_id=uuid4(), details=[error.body() for error in failures]
        )
    return missing


def _type_name(arm: ArmModel, declaration: Declaration, identifier: ResourceId) -> str:
    """Return the name under which actions on a resource are granted; refuse unknown types and versions."""
    kind, version = kind_of(identifier), declaration.api_version
    if kind:
        if version.lower() not in VERSIONS:
            raise NO_REGISTERED_PROVIDER(
                location=arm.platform.world.location, version=version, kind=kind, supported=VERSIONS
            )
        return ACTIONS[kind]
    if arm.front_door.serves(identifier):
        return arm.registration.type_name(identifier, version)
    return arm.row(identifier, version).name


def _unregistered(arm: ArmModel, caller: Principal, declarations: list[Declaration]) -> set[tuple[str, str]]:
    missing: set[tuple[str, str]] = set()
    for identifier in (identify(declaration.id) for declaration in declarations):
        subscription_id, namespace = identifier.subscription_id, arm.subscriptions.canonical(identifier.namespace)
        if not subscription_id or (subscription_id, namespace) in missing:
            continue
        try:
            arm.subscriptions.require_registered(subscription_id, namespace)
        except ServiceError:
            scope = f"/subscriptions/{subscription_id}"
            if not arm.authorization.allowed(caller, f"{namespace}/register/action", scope):
                raise
            missing.add((subscription_id, namespace))
    return missing


def _authorize(arm: ArmModel, caller: Principal, resources: list[tuple[Declaration, str]]) -> None:
    denied: list[ServiceError] = []
    for declaration, name in resources:
        try:
            arm.authorize(caller, f"{name}/write", declaration.id)
        except ServiceError as error:
            denied.append(
                exceptions.NOT_ALLOWED(error=error, name=declaration.name, kind=name, resource_id=declaration.id)
            )
    if denied:
        raise exceptions.invalid_template_deployment(denied)


def _disallowed(arm: ArmModel, prepared: Prepared) -> Iterator[ServiceError]:
    """Yield why policies would refuse the resources, as far as these are known before the deployment begins."""
    for part in prepared.with_nested():
        observer = part.observer()
        for declaration in part.plan.declarations.values():
            row = arm.resource_type(declaration.type)
            if row is None:
                continue
            body = without_unknown(render(declaration, observer))
            location, tags = str(body.get("location") or ""), body.get("tags") or {}
            if location.startswith("[") or not isinstance(tags, dict):
                continue  # The write itself is checked again.
            tracked = row.placement != "none"
            try:
                policies.check(arm, Write(row.name, declaration.id, normal_location(location), tags, tracked, body))
            except ServiceError as error:
                yield error


def _preflight(arm: ArmModel, prepared: Prepared) -> list[ServiceError]:
    """Run the preflight checks of the local Azure's own types."""
    wanted: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for part in prepared.with_nested():
        observer = part.observer()
        for declaration in part.plan.declarations.values():
            row = arm.resource_type(declaration.type)
            if row is not None and row.preflight is not None:
                wanted.setdefault(row.name, []).append((declaration.id, render(declaration, observer)))
    failures: list[ServiceError] = []
    for kind, resources in wanted.items():
        preflight = arm.types[kind.lower()].preflight
        failures += preflight(arm, resources) if preflight is not None else []
    return failures


async def _ask_provider(arm: ArmModel, caller: Principal, prepared: Prepared) -> list[ServiceError]:
    """Have the resource provider check its resources: one call for each deployment and each group that it writes to."""
    failures: list[ServiceError] = []
    for part in prepared.with_nested():
        name, correlation_id = part.record["name"], part.record["correlationId"]
        for group, resources in _provided(arm, part).items():
            path = f"{group}/providers/{SYSTEM_NAMESPACE}/deployments/{name}/preflight"
            with journaled(
                arm.platform,
                f"POST {SYSTEM_NAMESPACE}/deployments/preflight",
                path,
                caller=caller.name,
                correlation_id=correlation_id,
            ) as answer:
                refusal = await provider_calls.preflight(arm, caller, path, resources, correlation_id=correlation_id)
                answer.status = HTTPStatus.OK
            failures += [] if refusal is None else [refusal]
    return failures


def _provided(arm: ArmModel, part: Prepared) -> dict[str, list[dict[str, Any]]]:
    """Return what a deployment sends to the provider, by resource group: what is not known yet stays an expression."""
    found: dict[str, list[dict[str, Any]]] = {}
    observer = part.observer()
    for declaration in part.plan.declarations.values():
        identifier = identify(declaration.id)
        if arm.registration.has_preflight(identifier):
            head = {"name": declaration.name, "type": declaration.type, "apiVersion": declaration.api_version}
            body = without_unknown(render(declaration, observer))
            found.setdefault(identifier.scope, []).append({"id": declaration.id} | head | body)
    return found
