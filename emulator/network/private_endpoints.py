"""Private endpoints: an address in a network that leads to a private link service, if that approves the connection."""

from emulator.arm.ids import parse_resource
from emulator.arm.resources import Change, Reads, ResourceType, Writes
from emulator.arm.schema import READ_ONLY, Choice, Reference, Required, Rule, Since
from emulator.json_object import Json
from emulator.network.interfaces import drop_owned_interface, ensure_owned_interface, owned_interface
from emulator.network.private_links import LINK_VERSIONS, connection_id, ensure_connection, is_visible
from emulator.network.refusals import address_exceptions
from emulator.network.refusals import link_exceptions as exceptions
from emulator.network.types import ENDPOINT, LINK_SERVICE, SUBNET
from emulator.network.values.formats import ADDRESS, nothing

# Connections made by those who may approve them, and connections made with a request for approval.
CONNECTIONS = ("privateLinkServiceConnections", "manualPrivateLinkServiceConnections")
DISCONNECTED = {"status": "Disconnected", "description": "The private link service removed it.", "actionsRequired": ""}

CONNECTION_PROPERTIES: Json = {
    "groupIds": [str],
    "privateLinkServiceConnectionState": READ_ONLY,
    "privateLinkServiceId": Required(
        Reference(
            LINK_SERVICE,
            same_region=False,
            bare=True,
            same_subscription=False,
            missing=exceptions.NOT_VISIBLE,
            another=exceptions.SERVICE_NOT_EMULATED,
        )
    ),
    "provisioningState": READ_ONLY,
    "requestMessage": str,
}
_CONNECTION: Json = {
    "id": READ_ONLY,
    "name": Required(str),
    "type": READ_ONLY,
    "etag": READ_ONLY,
    "properties": Required(CONNECTION_PROPERTIES),
}


def prepare_endpoint(change: Change) -> None:
    """Check that an endpoint has one connection, and that it may see the service."""
    properties = change.properties
    connections = list(_connections(properties))
    if len(connections) != 1:
        raise exceptions.ONE_CONNECTION(endpoint_id=str(change.id), count=len(connections))
    service_id = _service_id(connections[0])
    service = change.arm.load(service_id)
    if service is None or not is_visible(service, change.id.subscription_id):
        raise exceptions.NOT_VISIBLE(holder=change.id, target=service_id)
    for member in CONNECTIONS:
        properties.setdefault(member, [])
    properties.setdefault("customDnsConfigs", [])
    properties.setdefault("ipConfigurations", [])


def _connections(properties: Json) -> list[Json]:
    return [connection for member in CONNECTIONS for connection in properties.get(member, ())]


def _service_id(connection: Json) -> str:
    return str(connection["properties"]["privateLinkServiceId"])


async def _connect(arm: Writes, stored: Json) -> None:
    """Give an endpoint its interface with an address, and record its connection with the service."""
    ensure_owned_interface(arm, stored, stored["properties"]["subnet"]["id"], configuration="privateEndpointIpConfig")
    for connection in _connections(stored["properties"]):
        service = arm.load(parse_resource(_service_id(connection)))
        if service is not None:
            ensure_connection(arm, service, stored)


async def _disconnect(arm: Writes, stored: Json) -> None:
    for connection in _connections(stored["properties"]):
        found = arm.load(connection_id(_service_id(connection), stored))
        if found is not None:
            arm.documents.drop(found)
    await drop_owned_interface(arm, stored)


def render_endpoint(arm: Reads, stored: Json) -> Json:
    """Show an endpoint's interface, and the state that the service gives its connection."""
    interface = owned_interface(arm, stored)
    shown: Json = {"networkInterfaces": [{"id": interface["id"]}] if interface is not None else []}
    for member in CONNECTIONS:
        shown[member] = [_render_connection(arm, stored, member, item) for item in stored["properties"].get(member, ())]
    return shown


def _render_connection(arm: Reads, stored: Json, member: str, connection: Json) -> Json:
    return {
        "id": f"{stored['id']}/{member}/{connection['name']}",
        "name": connection["name"],
        "type": f"{ENDPOINT}/{member}",
        "etag": f'W/"{stored["etag"]}"',
        "properties": connection["properties"]
        | {"provisioningState": "Succeeded", "privateLinkServiceConnectionState": connection_state(arm, stored)},
    }


def connection_state(arm: Reads, endpoint: Json) -> Json:
    """Return the state that the private link service gives the endpoint's connection."""
    for connection in _connections(endpoint["properties"]):
        found = arm.load(connection_id(_service_id(connection), endpoint))
        if found is not None:
            state: Json = found["properties"]["privateLinkServiceConnectionState"]
            return state
    return DISCONNECTED


def linked_service(arm: Reads, endpoint: Json) -> Json | None:
    """Return the private link service that an endpoint leads to, or None unless the connection is approved."""
    if connection_state(arm, endpoint)["status"] != "Approved":
        return None
    return arm.load(_service_id(_connections(endpoint["properties"])[0]))


_VERSION = Rule(
    Choice(("IPv4", "IPv6", "DualStack")),
    lambda value: value == "IPv4",
    ("IPv6", "DualStack"),
    address_exceptions.VERSION_NOT_EMULATED,
)
ENDPOINTS = ResourceType(
    name=ENDPOINT,
    api_versions=LINK_VERSIONS,
    placement="region",
    members={"extendedLocation": object},
    properties={
        "applicationSecurityGroups": Since(
            "2021-05-01", [Reference("Microsoft.Network/applicationSecurityGroups", "joinIpConfiguration/action")]
        ),
        "customDnsConfigs": [{"fqdn": str, "ipAddresses": [ADDRESS]}],
        "customNetworkInterfaceName": Since(
            "2021-05-01", nothing(str, "names for the interfaces of private endpoints", "nic")
        ),
        "ipConfigurations": Since(
            "2021-05-01", nothing([object], "static addresses of private endpoints", [{"name": "static"}])
        ),
        "ipVersionType": Since("2024-10-01", _VERSION),
        "manualPrivateLinkServiceConnections": [_CONNECTION],
        "networkInterfaces": READ_ONLY,
        "privateLinkServiceConnections": [_CONNECTION],
        "provisioningState": READ_ONLY,
        "subnet": Required(Reference(SUBNET, "join/action")),
    },
    # Estimated, because no figure is known.
    create_seconds=60,
    update_seconds=15,
    delete_seconds=60,
    reply="operation",
    etag="weak",
    prepare=prepare_endpoint,
    render=render_endpoint,
    stored=_connect,
    removed=_disconnect,
)

TYPES = (ENDPOINTS,)
