"""Integration of a site with a subnet: which subnet a plan's sites may join.

Source: https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan for the delegation and the provider of
Flex Consumption. The delegation of Elastic Premium, the sizes and the underscore are from memory.
"""

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change
from emulator.web import exceptions
from emulator.web.names import FLEX, PREMIUM

# The service to which the subnet must be delegated, by the tier of the plan.
DELEGATIONS = {FLEX: "Microsoft.App/environments", PREMIUM: "Microsoft.Web/serverFarms"}
# Flex Consumption makes its instances in subnets by way of this provider.
FLEX_PROVIDER = "Microsoft.App"


def check(change: Change, subnet_id: str, tier: str) -> None:
    """Check a subnet that exists and that the caller may join.

    Raises:
        ServiceError: 400 for a subnet that the site cannot use; 409 `MissingSubscriptionRegistration`.
    """
    if tier == FLEX:
        change.arm.subscriptions.require_registered(change.id.subscription_id, FLEX_PROVIDER)
    identifier = parse_resource(subnet_id)
    network, name = identifier.names
    subnet = change.arm.load(identifier)
    properties = {} if subnet is None else subnet["properties"]
    wanted = DELEGATIONS[tier]
    services = [known["properties"]["serviceName"].lower() for known in properties.get("delegations") or ()]
    if wanted.lower() not in services:
        raise exceptions.MISSING_DELEGATION(subnet=name, network=network, wanted=wanted)
    if tier == FLEX and "_" in name:
        raise exceptions.UNDERSCORE_IN_SUBNET(subnet=name, network=network)
