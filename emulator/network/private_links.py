"""Private link services: an internal load balancer's frontend, offered to private endpoints of other networks."""

from uuid import NAMESPACE_URL, uuid5

from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Since
from emulator.json_object import Json
from emulator.network.exceptions import CHILD_NOT_FOUND
from emulator.network.interfaces import drop_owned_interface, ensure_owned_interface, owned_interface
from emulator.network.refusals import link_exceptions as exceptions
from emulator.network.types import (
    FRONTEND,
    LINK_CONFIGURATION,
    LINK_CONNECTION,
    LINK_SERVICE,
    SUBNET,
    inline_child,
)
from emulator.network.values.formats import ADDRESS, VERSION, nothing
from emulator.network.versions import NETWORK_VERSIONS

MOST_CONFIGURATIONS = 8

LINK_VERSIONS = tuple(version for version in NETWORK_VERSIONS if version >= "2019-04-01")
EVERYBODY = "*"

CONFIGURATION_PROPERTIES: Json = {
    "primary": bool,
    "privateIPAddress": ADDRESS,
    "privateIPAddressVersion": VERSION,
    "privateIPAllocationMethod": Choice(("Static", "Dynamic")),
    "provisioningState": READ_ONLY,
    "subnet": Required(Reference(SUBNET, "join/action")),
}


def prepare_service(change: Change) -> None:
    """Check the number of a service's addresses, fill in its defaults, and give it its alias."""
    properties = change.properties
    configurations = properties.get("ipConfigurations") or []
    if not 0 < len(configurations) <= MOST_CONFIGURATIONS:
        raise exceptions.WRONG_COUNT(service_id=str(change.id), most=MOST_CONFIGURATIONS, count=len(configurations))
    if not any(item.get("properties", {}).get("primary") for item in configurations):
        configurations[0].setdefault("properties", {})["primary"] = True
    # Each list is an array of subscription ids inside an object. Absent or null means nobody.
    for member in ("visibility", "autoApproval"):
        properties.setdefault(member, {}).setdefault("subscriptions", [])
    properties.setdefault("enableProxyProtocol", False)
    properties.setdefault("fqdns", [])
    properties["alias"] = (
        f"{change.id.name}.{uuid5(NAMESPACE_URL, change.id.key)}.{change.location}.azure.privatelinkservice"
    )


def prepare_configuration(change: Change) -> None:
    """Check that the subnet of a service's addresses allows them, and fill in defaults."""
    subnet_id: str = change.properties["subnet"]["id"]
    subnet = change.arm.load(subnet_id)
    if subnet is not None and subnet["properties"].get("privateLinkServiceNetworkPolicies") == "Enabled":
        raise exceptions.POLICIES_ENABLED(service_id=str(change.id.parent), subnet_id=subnet["id"])
    change.properties.setdefault("primary", False)
    change.properties.setdefault("privateIPAllocationMethod", "Dynamic")
    change.properties.setdefault("privateIPAddressVersion", "IPv4")


async def _make_interface(arm: Writes, stored: Json) -> None:
    configurations = list(arm.scan(f"{stored['id']}/ipConfigurations/", LINK_CONFIGURATION))
    ensure_owned_interface(
        arm, stored, configurations[0]["properties"]["subnet"]["id"], configuration=configurations[0]["name"]
    )


def render_service(arm: Reads, stored: Json) -> Json:
    """Show a service's interface and its connections."""
    interface = owned_interface(arm, stored)
    connections = arm.scan(f"{stored['id']}/privateEndpointConnections/", LINK_CONNECTION)
    return {
        "networkInterfaces": [{"id": interface["id"]}] if interface is not None else [],
        "privateEndpointConnections": [arm.render(connection) for connection in connections],
    }


def is_visible(service: Json, subscription_id: str, member: str = "visibility") -> bool:
    """Tell whether a service is visible to a subscription, or approves its connections without asking."""
    listed = {item.lower() for item in service["properties"][member]["subscriptions"]}
    own = service["id"].split("/")[2].lower() == subscription_id.lower()
    return (own and member == "visibility") or bool(listed & {subscription_id.lower(), EVERYBODY})


# Connections, which private endpoints make


def prepare_connection(change: Change) -> None:
    """Let the service's owner set the state of a connection, which only private endpoints can create."""
    if change.existing is None:
        raise exceptions.NO_CONNECTION(str(change.id))
    state = change.properties.get("privateLinkServiceConnectionState", {})
    state.setdefault("description", "")
    state.setdefault("actionsRequired", "None")
    kept = change.existing["properties"]
    change.body["properties"] = kept | {"privateLinkServiceConnectionState": state}


async def _disconnect(arm: Writes, stored: Json) -> None:
    """Remove a private endpoint's reference to the service, after its connection was deleted."""
    endpoint = arm.load(stored["properties"]["privateEndpoint"]["id"])
    service = stored["id"].rsplit("/", 2)[0].lower()
    if endpoint is not None and service in endpoint["references"]:
        left = [reference for reference in endpoint["references"] if reference != service]
        arm.documents.put(endpoint | {"references": left})


def connection_id(service_id: str, endpoint: Json) -> str:
    """Return the id of a private endpoint's connection to a service."""
    guid = uuid5(NAMESPACE_URL, endpoint["id"].lower())
    return f"{service_id}/privateEndpointConnections/{endpoint['name']}.{guid}"


def ensure_connection(arm: Writes, service: Json, endpoint: Json) -> None:
    """Record a private endpoint's connection with a service, approved at once if the service says so."""
    identifier = connection_id(service["id"], endpoint)
    if arm.load(identifier) is not None:
        return
    approved = is_visible(service, endpoint["id"].split("/")[2], "autoApproval")
    arm.documents.put(
        {
            "id": identifier,
            "name": identifier.rsplit("/", 1)[-1],
            "type": LINK_CONNECTION,
            "properties": {
                "linkIdentifier": str(int(uuid5(NAMESPACE_URL, identifier.lower()).hex[:8], 16)),
                "privateEndpoint": {"id": endpoint["id"]},
                "privateEndpointLocation": endpoint["location"],
                "privateLinkServiceConnectionState": {
                    "status": "Approved" if approved else "Pending",
                    "description": "Auto-approved" if approved else "",
                    "actionsRequired": "None" if approved else "Awaiting approval",
                },
            },
        }
    )


SERVICES = ResourceType(
    name=LINK_SERVICE,
    api_versions=LINK_VERSIONS,
    placement="region",
    members={"extendedLocation": object},
    properties={
        "accessMode": Since("2024-07-01", Choice(("Default", "Restricted"))),
        "alias": READ_ONLY,
        "autoApproval": {"subscriptions": [str]},
        "destinationIPAddress": Since(
            "2024-03-01", nothing(str, "private link services that lead to an address", "10.0.0.9")
        ),
        "enableProxyProtocol": bool,
        "fqdns": [str],
        "ipConfigurations": [inline_child(CONFIGURATION_PROPERTIES)],
        "loadBalancerFrontendIpConfigurations": [Reference(FRONTEND)],
        "networkInterfaces": READ_ONLY,
        "privateEndpointConnections": READ_ONLY,
        "provisioningState": READ_ONLY,
        "visibility": {"subscriptions": [str]},
    },
    inline={"ipConfigurations": LINK_CONFIGURATION},
    # Estimated, because no figure is known.
    create_seconds=30,
    update_seconds=15,
    delete_seconds=30,
    reply="operation",
    etag="weak",
    prepare=prepare_service,
    render=render_service,
    in_use=exceptions.SERVICE_WITH_CONNECTIONS,
    stored=_make_interface,
    removed=drop_owned_interface,
)
CONFIGURATIONS = ResourceType(
    name=LINK_CONFIGURATION,
    api_versions=LINK_VERSIONS,
    properties=CONFIGURATION_PROPERTIES,
    inline_only=True,
    absent=CHILD_NOT_FOUND,
    etag="weak",
    prepare=prepare_configuration,
)
CONNECTIONS = ResourceType(
    name=LINK_CONNECTION,
    api_versions=LINK_VERSIONS,
    properties={
        "linkIdentifier": READ_ONLY,
        "privateEndpoint": READ_ONLY,
        "privateEndpointLocation": READ_ONLY,
        "privateLinkServiceConnectionState": {"status": str, "description": str, "actionsRequired": str},
        "provisioningState": READ_ONLY,
    },
    reply="operation",
    delete_seconds=10,
    absent=CHILD_NOT_FOUND,
    etag="weak",
    prepare=prepare_connection,
    removed=_disconnect,
)

TYPES = (SERVICES, CONFIGURATIONS, CONNECTIONS)
