"""The private endpoint in the service's own network, through which the service reaches the cluster's API server."""

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import (
    PrivateEndpoint,
    PrivateEndpointProperties,
    PrivateLinkServiceConnection,
    PrivateLinkServiceConnectionProperties,
    Subnet,
)
from azure.mgmt.network.operations import PrivateEndpointsOperations

from activities.runtime.executor import Executor, Outcome, Rendered, TryAgain, wait
from activities.runtime.step import Step, own
from shared import settings
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.azure.sdk_values import text
from shared.steps import RetryClass

_CONNECTION = "rp-plsconnection"


def address(step: Step) -> str:
    """Return the address of a cluster's private endpoint, at which the service reaches the API server.

    Raises:
        CloudError: if the endpoint has no address.
    """
    service_settings = settings.load()
    interfaces = _endpoints().get(service_settings.resource_group, _name(step)).network_interfaces or []
    if not interfaces:
        raise _failed(step, "has no network interface")
    name = resource_id.parse(interfaces[0].id).name
    interface = own(NetworkManagementClient).network_interfaces.get(service_settings.resource_group, name)
    configurations = interface.ip_configurations or []
    if not configurations or not configurations[0].private_ip_address:
        raise _failed(step, "has no address")
    return str(configurations[0].private_ip_address)


def _create(step: Step) -> Outcome | None:
    """Begin to create the endpoint. A second run finds the endpoint and begins nothing, unless its creation failed.

    The cluster's private link service approves the connection, because it lists the provider's subscription.

    Source: ARO-RP `pkg/util/privateendpoint`, of June 2020.
    """
    endpoint = _find(step)
    if endpoint is None or endpoint.provisioning_state == "Failed":
        _endpoints().begin_create_or_update(settings.load().resource_group, _name(step), _wanted(step), polling=False)
        return wait("private endpoint is being created")
    return _status(step)


def _wanted(step: Step) -> PrivateEndpoint:
    group = step.properties["clusterProfile"]["resourceGroupId"]
    link = f"{group}/providers/Microsoft.Network/privateLinkServices/{step.properties['infraId']}-pls"
    connection = PrivateLinkServiceConnection(
        name=_CONNECTION, properties=PrivateLinkServiceConnectionProperties(private_link_service_id=link)
    )
    return PrivateEndpoint(
        location=step.cluster["location"],
        properties=PrivateEndpointProperties(
            subnet=Subnet(id=settings.load().private_endpoint_subnet_id),
            manual_private_link_service_connections=[connection],
        ),
    )


def _render(step: Step) -> list[Rendered]:
    return [_wanted(step).as_dict()]


def _validate(step: Step) -> list[str]:
    return [] if step.properties.get("infraId") else ["properties.infraId is not decided yet"]


def _status(step: Step) -> Outcome | None:
    """Tell whether the endpoint exists and the private link service has approved it.

    Raises:
        CloudError: if the private link service has rejected or ended the connection.
        TryAgain: if Azure gave up, or somebody deleted the endpoint.
    """
    endpoint = _find(step)
    if endpoint is None or endpoint.provisioning_state == "Failed":
        raise TryAgain(_failed(step, "is gone" if endpoint is None else "could not be created"), RetryClass.GIVEN_UP)
    if endpoint.provisioning_state != "Succeeded":
        return wait(f"private endpoint is {text(endpoint.provisioning_state)}")
    connections = endpoint.manual_private_link_service_connections or []
    state = connections[0].private_link_service_connection_state if connections else None
    status = str(state.status) if state is not None else "unknown"
    if status in ("Rejected", "Disconnected"):
        raise _failed(step, f"is {status} by the cluster's private link service")
    return None if status == "Approved" else wait(f"private endpoint is {status}")


def _settle(step: Step) -> Outcome | None:
    """Wait until the creation has ended: it cannot be cancelled, and a deletion must not begin before that."""
    endpoint = _find(step)
    busy = endpoint is not None and endpoint.provisioning_state in ("Updating", "Creating")
    return wait("private endpoint is being created") if busy else None


def _delete(step: Step) -> Outcome | None:
    """Delete the endpoint and wait until it is gone. A second run finds that it is being deleted, or is gone."""
    endpoint = _find(step)
    if endpoint is None:
        return None
    if endpoint.provisioning_state != "Deleting":
        _endpoints().begin_delete(settings.load().resource_group, _name(step), polling=False)
    return wait("private endpoint is being deleted")


def _find(step: Step) -> PrivateEndpoint | None:
    try:
        return _endpoints().get(settings.load().resource_group, _name(step))
    except ResourceNotFoundError:
        return None


def _endpoints() -> PrivateEndpointsOperations:
    return own(NetworkManagementClient).private_endpoints


def _name(step: Step) -> str:
    return f"rp-pe-{step.document['id']}"


def _failed(step: Step, what: str) -> CloudError:
    service_settings = settings.load()
    endpoint_id = (
        f"/subscriptions/{service_settings.subscription_id}/resourceGroups/{service_settings.resource_group}"
        f"/providers/Microsoft.Network/privateEndpoints/{_name(step)}"
    )
    return CloudError(
        500,
        ErrorCode.DEPLOYMENT_FAILED,
        f"The private endpoint '{_name(step)}' {what}.",
        details=[{"code": "AzureResource", "message": endpoint_id}],
        owner=Owner.PLATFORM,
    )


create_private_endpoint = Executor(run=_create, status=_status, cancel=_settle, validate=_validate, render=_render)
delete_private_endpoint = Executor(run=_delete, status=_delete)
