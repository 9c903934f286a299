"""The resource provider's own resources, which must exist before the first call, as data. `seed.py` creates them.

Braces are placeholders for names of `World`.
"""

from dataclasses import dataclass
from typing import Any

from emulator.arm.access.roles import NETWORK_CONTRIBUTOR, OWNER, REGISTRY_TOKEN_CONTRIBUTOR
from emulator.core.world import World

DATABASE = World.cosmos_database
VERSIONS_CONTAINER = World.versions_container
FIRST_PARTY_SECRET = "rp-firstparty"  # noqa: S105 - the name of a secret
# The secret that the product reads unless a setting names another.
CLUSTER_LOGGING_SECRET = "cluster-mdsd"  # noqa: S105 - the name of a secret
PAGING_KEY_SECRET = "fe-encryption-key"  # noqa: S105 - the name of a secret
SEVEN_DAYS = 604_800


@dataclass(frozen=True)
class Container:
    """One container of the resource provider's database.

    Args:
        name: name of the container.
        partition_key: path of the partition key.
        unique_keys: paths whose values are unique within a partition, each path separately.
        default_ttl: in seconds; -1 means that each item sets its own; None means that items never expire.
    """

    name: str
    partition_key: str = "/id"
    unique_keys: tuple[str, ...] = ()
    default_ttl: int | None = None


CONTAINERS = (
    Container("OpenShiftClusters", "/partitionKey", ("/key", "/clusterResourceGroupIdKey", "/clientIdKey")),
    Container("AsyncOperations", default_ttl=SEVEN_DAYS),
    Container("OperationProgress", "/operationId", default_ttl=SEVEN_DAYS),
    Container("Subscriptions"),
    Container("TaskHubs", default_ttl=SEVEN_DAYS),
    Container("Domains"),
    Container("Billing"),
    Container(VERSIONS_CONTAINER, default_ttl=-1),
)

# The vaults, and the function app's permissions on their secrets and on their certificates.
VAULTS = (
    ("{service_vault}", ("get",), ()),
    ("{cluster_vault}", ("get", "list", "set", "delete"), ("get", "create", "delete", "recover")),
)
# The issuer of certificates for managed domains in the clusters' vault: name and provider.
ISSUER = ("OneCertV2-PublicCA", "OneCertV2-PublicCA")

# The other resources of the resource provider's group: path (type and name) and body.
RESOURCES: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "Microsoft.Network/virtualNetworks/rp-vnet",
        {
            "location": "{location}",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.240.0.0/16"]},
                "subnets": [{"name": "rp-subnet", "properties": {"addressPrefix": "10.240.0.0/24"}}],
            },
        },
    ),
    # Private endpoints get loopback addresses, because the product connects to them. Customers' networks may not.
    (
        "Microsoft.Network/virtualNetworks/rp-pe-vnet-001",
        {
            "location": "{location}",
            "properties": {
                "addressSpace": {"addressPrefixes": ["127.128.0.0/16"]},
                "subnets": [
                    {
                        "name": "rp-pe-subnet",
                        "properties": {
                            "addressPrefix": "127.128.4.0/22",
                            "privateEndpointNetworkPolicies": "Disabled",
                        },
                    },
                ],
            },
        },
    ),
    ("Microsoft.Network/dnsZones/{domain}", {"location": "global"}),
    (
        "Microsoft.ContainerRegistry/registries/{registry}",
        {"location": "{location}", "sku": {"name": "Premium"}, "properties": {}},
    ),
)


@dataclass(frozen=True)
class Grant:
    """One role assignment.

    Args:
        who: `owner`, `deployer` or `first-party`.
        role: id of the role definition.
        where: scope, with names of `World` in braces.
    """

    who: str
    role: str
    where: str


RP_GROUP = "/subscriptions/{rp_subscription_id}/resourceGroups/{rp_resource_group}"
# The app's managed identity has no role: it has rights only on the data of the vaults and the database. The records of
# managed domains are in the service's group, where Network Contributor covers them.
GRANTS = (
    Grant("owner", OWNER, "/subscriptions/{subscription_id}"),
    Grant("deployer", OWNER, "/subscriptions/{rp_subscription_id}"),
    Grant("first-party", NETWORK_CONTRIBUTOR, RP_GROUP),
    Grant(
        "first-party",
        REGISTRY_TOKEN_CONTRIBUTOR,
        RP_GROUP + "/providers/Microsoft.ContainerRegistry/registries/{registry}",
    ),
)


def _marketplace_image(sku: str, version: str) -> dict[str, dict[str, str]]:
    return {"rhcosImage": {"publisher": "azureopenshift", "offer": "aro4", "sku": sku, "version": version}}


# The catalogue of versions that can be installed.
VERSIONS = tuple(
    {
        "id": version,
        "version": version,
        "enabled": True,
        "default": default,
        "openShiftPullspec": f"quay.io/openshift-release-dev/ocp-release:{version}-x86_64",
        "flavour": flavour,
        "ignitionVersion": "3.2.0",
    }
    | image
    for version, default, flavour, image in (
        # This entry has no image: it follows from the name of the release's disk.
        (
            "4.17.44",
            False,
            "C",
            {"releaseMetadata": {"azure": {"image": "rhcos-417.94.202501010000-0-azure.x86_64.vhd"}}},
        ),
        ("4.18.26", False, "C", _marketplace_image("aro_418", "418.94.20250101")),
        ("4.19.24", True, "C", _marketplace_image("aro_419", "419.94.20250101")),
    )
)
