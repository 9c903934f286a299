"""What a template can make besides the resources of a provider: resource groups and deployments."""

import re

from emulator.arm.ids import ResourceId, parse_resource
from emulator.arm.urls import RESOURCES_VERSIONS

RESOURCE_GROUPS = "Microsoft.Resources/resourceGroups"
DEPLOYMENTS = "Microsoft.Resources/deployments"
# Api-versions of both.
VERSIONS = RESOURCES_VERSIONS
# The action prefix of a resource group has another name than its type in templates.
ACTIONS = {RESOURCE_GROUPS: "Microsoft.Resources/subscriptions/resourceGroups", DEPLOYMENTS: DEPLOYMENTS}
# Namespaces whose resources can be made at a subscription.
AT_SUBSCRIPTIONS = ("microsoft.authorization",)

_GROUP = re.compile(r"/subscriptions/([^/]+)/resourceGroups/([^/]+)", re.IGNORECASE)


def identify(identifier: str) -> ResourceId:
    """Parse the id of a resource, a deployment or a resource group.

    Raises:
        ValueError: the text is not the id of one.
    """
    group = _GROUP.fullmatch(identifier)
    if group is None:
        return parse_resource(identifier)
    subscription_id, name = group[1], group[2]
    namespace, kind = RESOURCE_GROUPS.split("/")
    return ResourceId(f"/subscriptions/{subscription_id}", namespace, (kind,), (name,), subscription_id)


def kind_of(identifier: ResourceId) -> str:
    """Return `RESOURCE_GROUPS` or `DEPLOYMENTS`, or "" for a resource of a provider."""
    return next((kind for kind in (RESOURCE_GROUPS, DEPLOYMENTS) if identifier.type.lower() == kind.lower()), "")
