"""What is checked before a deployment begins: types and versions, registered providers, access, preflight.

The checks cover the resources of nested templates too. Each kind of check reports everything that it finds.
"""

from typing import Any

from emulator.arm.exceptions import no_registered_provider
from emulator.arm.ids import ResourceId
from emulator.arm.models import ArmModel
from emulator.core.errors import ServiceError
from emulator.deployments import exceptions
from emulator.deployments.kinds import ACTIONS, VERSIONS, identify, kind_of
from emulator.deployments.preparation import Prepared
from emulator.deployments.templates.declarations import Declaration, render
from emulator.entra.models import Principal


def check(arm: ArmModel, caller: Principal, prepared: Prepared) -> set[tuple[str, str]]:
    """Check a deployment; return the subscriptions and namespaces that must be registered for it.

    ARM registers the providers of a template's resources itself, if the caller may do so.

    Args:
        arm: the model.
        caller: who deploys.
        prepared: the deployment.

    Raises:
        ServiceError: an unknown type or version, 409 `MissingSubscriptionRegistration`, or `InvalidTemplateDeployment`
            with all resources that the caller may not write, or that their providers would refuse.
    """
    resources = [
        (declaration, _type_name(arm, declaration, identify(declaration.id)))
        for part in prepared.with_nested()
        for declaration in part.plan.declarations.values()
    ]
    missing = _unregistered(arm, caller, [declaration for declaration, _ in resources])
    _authorize(arm, caller, resources)
    _preflight(arm, prepared)
    return missing


def _type_name(arm: ArmModel, declaration: Declaration, identifier: ResourceId) -> str:
    """Return the name under which actions on a resource are granted; refuse unknown types and versions."""
    kind, version, location = kind_of(identifier), declaration.api_version, arm.platform.world.location
    if kind:
        if version.lower() not in VERSIONS:
            raise no_registered_provider(kind, location, version, VERSIONS)
        return ACTIONS[kind]
    if arm.front_door.serves(identifier):
        return arm.registration.type_name(identifier, version, location)
    return arm.row(identifier, version, location=location).name


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
            message = (
                f"Authorization failed for template resource '{declaration.name}' of type '{name}'. {error.message}"
            )
            denied.append(ServiceError(error.status_code, error.code, message, target=declaration.id))
    if denied:
        raise exceptions.invalid_template_deployment(denied)


def _preflight(arm: ArmModel, prepared: Prepared) -> None:
    """Run the preflight checks of the providers that have one; refuse the template if any of them fails."""
    wanted: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for part in prepared.with_nested():
        observer = part.observer()
        for declaration in part.plan.declarations.values():
            row = arm.resource_type(declaration.type)
            if row is not None and row.preflight is not None:
                wanted.setdefault(row.name, []).append((declaration.id, render(part.template, declaration, observer)))
    failures: list[ServiceError] = []
    for kind, resources in wanted.items():
        preflight = arm.types[kind.lower()].preflight
        failures += preflight(arm, resources) if preflight is not None else []
    if failures:
        raise exceptions.preflight_failed(prepared.record["name"], failures)
