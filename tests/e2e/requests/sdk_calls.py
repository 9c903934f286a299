"""What programs send beside clusters: calls of Azure's SDKs, in their order, and what each gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

import jwt
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.keyvault.secrets import SecretClient
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.keyvault import KeyVaultManagementClient
from azure.mgmt.msi import ManagedServiceIdentityClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.privatedns import PrivateDnsManagementClient
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.locks import ManagementLockClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.resource.subscriptions import SubscriptionClient
from azure.mgmt.storage import StorageManagementClient
from azure.storage.blob import BlobServiceClient

from demo.customer import Customer

PLACE: Any = {"location": "eastus"}
NETWORK: Any = {**PLACE, "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/22"]}}}
SUBNET: Any = {"properties": {"addressPrefix": "10.0.0.0/23"}}
RECORD: Any = {"properties": {"ttl": 60, "aRecords": [{"ipv4Address": "10.0.0.4"}]}}
ACCOUNT: Any = {**PLACE, "kind": "StorageV2", "sku": {"name": "Standard_LRS"}}
DISK: Any = {**PLACE, "properties": {"creationData": {"createOption": "Empty"}, "diskSizeGB": 8}}
LOCK: Any = {"properties": {"level": "CanNotDelete"}}
SECRETS_OFFICER = "b86a8fe4-44ce-4948-aee5-eccb2c155cd7"
IDENTITIES = "Microsoft.ManagedIdentity/userAssignedIdentities"
TEMPLATE: Any = {
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0",
    "parameters": {"name": {"type": "string", "defaultValue": "deployed"}},
    "resources": [{**PLACE, "type": IDENTITIES, "apiVersion": "2023-01-31", "name": "[parameters('name')]"}],
    "outputs": {"id": {"type": "string", "value": f"[resourceId('{IDENTITIES}', parameters('name'))]"}},
}
# Of the group, when all but the last calls have been sent.
RESOURCES = ["deployed", "guard", "net", "operator", "sdkrequests.example.com", "ssdkrequests", "vsdkrequests"]
DEPLOYMENT: Any = {"properties": {"mode": "Incremental", "template": TEMPLATE}}


@dataclass(frozen=True)
class Program:
    """A program that acts for a customer.

    Args:
        customer: the customer, whose group does not exist yet.
    """

    customer: Customer
    _clients: dict[Any, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """Name of the customer's group."""
        return self.customer.group

    @property
    def name(self) -> str:
        """What the names end with that no other customer may have."""
        return self.customer.cluster

    def client(self, kind: Callable[..., Any]) -> Any:
        """Return the management client of a class, always the same one."""
        if kind not in self._clients:
            self._clients[kind] = self.customer.client(kind)
        return self._clients[kind]


@dataclass(frozen=True)
class Call:
    """One call, or a few that belong together.

    Args:
        name: what is called.
        send: sends it.
        gives: what `send` returns.
    """

    name: str
    send: Callable[[Program], Any]
    gives: Any


def _status_of_refusal(send: Callable[[], object]) -> int | None:
    """Send what is refused; return the status of the refusal."""
    try:
        send()
    except HttpResponseError as error:
        return error.status_code
    return None


def _subscriptions(program: Program) -> bool:
    customer = program.customer
    with SubscriptionClient(customer.credential, **customer.options) as client:
        return customer.subscription_id in [found.subscription_id for found in client.subscriptions.list()]


def _assign_role(program: Program) -> str:
    customer = program.customer
    token = customer.credential.get_token("https://management.azure.com/.default").token
    mine = jwt.decode(token, options={"verify_signature": False})["oid"]
    roles = f"/subscriptions/{customer.subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
    body = {"properties": {"roleDefinitionId": f"{roles}/{SECRETS_OFFICER}", "principalId": mine}}
    assignments = program.client(AuthorizationManagementClient).role_assignments
    assignments.create(customer.group_id, str(UUID(int=4)), body)
    return str(next(assignments.list_for_scope(customer.group_id, filter="atScope()")).principal_id == mine)


def _continued_poller(program: Program) -> str:
    groups = program.client(NetworkManagementClient).network_security_groups
    token = groups.begin_create_or_update(program.group, "guard", PLACE).continuation_token()
    return str(groups.begin_create_or_update(program.group, "guard", PLACE, continuation_token=token).result().name)


def _second_page(program: Program) -> list[str]:
    resources = program.client(ResourceManagementClient).resources
    pages = resources.list_by_resource_group(program.group, top=1).by_page()
    names = [found.name for found in next(pages)]
    rest = resources.list_by_resource_group(program.group, top=1).by_page(pages.continuation_token)
    return sorted([*names, *(found.name for page in rest for found in page)])


def _conditional_records(program: Program) -> list[int | None]:
    """Write a record that exists as a new one, and one that has changed."""
    client, where = program.client(PrivateDnsManagementClient), (program.group, f"{program.name}.example.com")
    client.private_zones.begin_create_or_update(*where, {"location": "global"}).result()
    client.record_sets.create_or_update(*where, "A", "api", RECORD)
    conditions: tuple[Any, ...] = (
        {"etag": "*", "match_condition": MatchConditions.IfMissing},
        {"etag": "of another time", "match_condition": MatchConditions.IfNotModified},
    )
    return [
        _status_of_refusal(partial(client.record_sets.create_or_update, *where, "A", "api", RECORD, **condition))
        for condition in conditions
    ]


def _create_vault(program: Program) -> str:
    sku = {"family": "A", "name": "standard"}
    properties = {"tenantId": program.customer.endpoints["tenant_id"], "sku": sku, "enableRbacAuthorization": True}
    vaults = program.client(KeyVaultManagementClient).vaults
    body = {**PLACE, "properties": properties}
    return str(vaults.begin_create_or_update(program.group, f"v{program.name}", body).result().name)


def _versions_of_a_secret(program: Program) -> list[Any]:
    customer = program.customer
    url = f"https://v{program.name}.vault.azure.net"
    with SecretClient(url, customer.credential, **customer.options) as secrets:
        for value in ("first", "second"):
            secrets.set_secret("pull", value)
        return [len(list(secrets.list_properties_of_secret_versions("pull"))), secrets.get_secret("pull").value]


def _conditional_blob(program: Program) -> list[Any]:
    """Write a blob twice under the ETag of its first content, with the account's key."""
    name = f"s{program.name}"
    accounts = program.client(StorageManagementClient).storage_accounts
    accounts.begin_create(program.group, name, ACCOUNT).result()
    key = accounts.list_keys(program.group, name)["keys"][0]["value"]
    url = f"https://{name}.blob.core.windows.net"
    with BlobServiceClient(url, key, **program.customer.options) as blobs:
        blob = blobs.create_container("box").get_blob_client("a.txt")
        unchanged: Any = {"etag": blob.upload_blob(b"one")["etag"], "match_condition": MatchConditions.IfNotModified}
        blob.upload_blob(b"two", overwrite=True, **unchanged)
        status = _status_of_refusal(lambda: blob.upload_blob(b"three", overwrite=True, **unchanged))
        return [blob.download_blob().readall(), status]


def _disk(program: Program) -> list[Any]:
    disks = program.client(ComputeManagementClient).disks
    disks.begin_create_or_update(program.group, "data", DISK).result()
    found = [disk.disk_size_gb for disk in disks.list_by_resource_group(program.group)]
    disks.begin_delete(program.group, "data").result()
    return [*found, len(list(disks.list_by_resource_group(program.group)))]


def _lock(program: Program) -> list[str]:
    locks = program.client(ManagementLockClient).management_locks
    locks.create_or_update_at_resource_group_level(program.group, "keep", LOCK)
    found = [lock.name for lock in locks.list_at_resource_group_level(program.group)]
    locks.delete_at_resource_group_level(program.group, "keep")
    return found


def _deployment(program: Program) -> list[Any]:
    deployments = program.client(DeploymentsMgmtClient)
    changes = deployments.deployments.begin_what_if(program.group, "one", DEPLOYMENT).result()
    done = deployments.deployments.begin_create_or_update(program.group, "one", DEPLOYMENT).result()
    operations = list(deployments.deployment_operations.list(program.group, "one"))
    kinds = [change["changeType"] for change in changes["properties"]["changes"] if change["changeType"] == "Create"]
    return [kinds, done.properties.provisioning_state, len(operations) > 0]


CALLS = (
    Call("subscriptions.list", _subscriptions, True),
    Call(
        "providers.get",
        lambda program: program.client(ResourceManagementClient).providers.get("Microsoft.Network").namespace,
        "Microsoft.Network",
    ),
    Call(
        "resource_groups.check_existence",
        lambda program: program.client(ResourceManagementClient).resource_groups.check_existence(program.group),
        False,
    ),
    Call(
        "resource_groups.create_or_update",
        lambda program: (
            program.client(ResourceManagementClient).resource_groups.create_or_update(program.group, PLACE).location
        ),
        "eastus",
    ),
    Call("role_assignments.create", _assign_role, "True"),
    Call(
        "vaults.check_name_availability",
        lambda program: (
            program.client(KeyVaultManagementClient)
            .vaults.check_name_availability({"name": f"v{program.name}", "type": "Microsoft.KeyVault/vaults"})
            .name_available
        ),
        True,
    ),
    Call("vaults.begin_create_or_update", _create_vault, "vsdkrequests"),
    Call(
        "virtual_networks.begin_create_or_update",
        lambda program: (
            program.client(NetworkManagementClient)
            .virtual_networks.begin_create_or_update(program.group, "net", NETWORK)
            .result()
            .name
        ),
        "net",
    ),
    Call(
        "subnets.begin_create_or_update",
        lambda program: (
            program.client(NetworkManagementClient)
            .subnets.begin_create_or_update(program.group, "net", "master", SUBNET)
            .result()
            .name
        ),
        "master",
    ),
    Call("network_security_groups.begin_create_or_update, continued", _continued_poller, "guard"),
    Call(
        "user_assigned_identities.create_or_update",
        lambda program: (
            program.client(ManagedServiceIdentityClient)
            .user_assigned_identities.create_or_update(program.group, "operator", PLACE)
            .name
        ),
        "operator",
    ),
    Call("record_sets.create_or_update, conditional", _conditional_records, [412, 412]),
    Call(
        "virtual_machines.get",
        lambda program: _status_of_refusal(
            lambda: program.client(ComputeManagementClient).virtual_machines.get(program.group, "missing")
        ),
        404,
    ),
    Call(
        "resource_skus.list",
        lambda program: (
            "Standard_D8s_v5"
            in [
                sku.name
                for sku in program.client(ComputeManagementClient).resource_skus.list(filter="location eq 'eastus'")
            ]
        ),
        True,
    ),
    Call("disks.begin_create_or_update, begin_delete", _disk, [8, 0]),
    Call("management_locks.create_or_update_at_resource_group_level", _lock, ["keep"]),
    Call("deployments.begin_what_if, begin_create_or_update", _deployment, [["Create"], "Succeeded", True]),
    Call("upload_blob, conditional", _conditional_blob, [b"two", 412]),
    Call("set_secret, list_properties_of_secret_versions", _versions_of_a_secret, [2, "second"]),
    Call("resources.list_by_resource_group, by page", _second_page, RESOURCES),
    Call(
        "resource_groups.begin_delete",
        lambda program: (
            program.client(ResourceManagementClient).resource_groups.begin_delete(program.group).polling_method()
            is not None
        ),
        True,
    ),
)
