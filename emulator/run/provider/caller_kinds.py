"""What depends on who calls the service: how it is deployed, who acts for it, where clusters are made."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.json_object import Json
from emulator.run.provider import hosted_deployment, own_deployment
from emulator.run.provider.callers import Callers
from emulator.run.provider.calls import Operator
from emulator.run.provider.deployment_record import Deployed
from emulator.run.seed import Application, Seed


@dataclass(frozen=True)
class Home:
    """Where clusters are made."""

    tenant_id: str
    subscription_id: str
    owner: Application


@dataclass(frozen=True)
class Kind:
    """One way to deploy the service.

    Args:
        parameters: the parameter file, `infra/<this>.parameters.json`.
        prepare: makes what operators have before they deploy; returns the parameters that follow from it.
        principal: returns the object id of who acts for the service in a tenant, by the outputs of
            `infra/service.json`.
        publish: tells ARM of the service, if ARM is the one who calls.
        home: returns where clusters are made.
    """

    parameters: str
    prepare: Callable[[Operator, Platform], Awaitable[Json]]
    principal: Callable[[Platform, str, Mapping[str, Any]], str]
    publish: Callable[[Platform, Deployed], None]
    home: Callable[[World, Seed], Home]


def _customer(world: World, seed: Seed) -> Home:
    """Return the subscription of a customer, whose tenant is not the provider's."""
    return Home(world.tenant_id, world.subscription_id, seed.owner)


def _same(world: World, seed: Seed) -> Home:
    """Return the subscription in which the service is, with whoever deployed it."""
    return Home(world.rp_tenant_id, world.rp_subscription_id, seed.deployer)


KINDS: Mapping[Callers, Kind] = {
    Callers.ARM: Kind(
        "hosted", hosted_deployment.prepare, hosted_deployment.principal, hosted_deployment.register, _customer
    ),
    Callers.ENTRA: Kind("own", own_deployment.prepare, own_deployment.principal, own_deployment.publish, _same),
}
