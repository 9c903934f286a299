"""The actions of a customer, with the public SDKs only: everything here would run against Azure unchanged."""

import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import NAMESPACE_URL, uuid5

import requests
from azure.core.exceptions import HttpResponseError, ResourceExistsError
from azure.identity import ClientSecretCredential
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.redhatopenshift import AzureRedHatOpenShiftClient
from azure.mgmt.redhatopenshift import models as aro
from azure.mgmt.resource.resources import ResourceManagementClient

if TYPE_CHECKING:
    from azure.core.polling import LROPoller

PROVIDER = "Microsoft.RedHatOpenShift"
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
Client = TypeVar("Client")

# Seconds between two polls of an operation if the service names none, and until it offers a new version.
POLL_SECONDS, OFFER_SECONDS = 1, 120


@dataclass(frozen=True)
class Customer:
    """The customer who creates the cluster, with the names to use.

    Args:
        endpoints: endpoints of the local Azure.
        group: name of the customer's group.
        cluster: name of the cluster.
        options: options for every client of the SDKs, such as `proxies`, if the environment does not set them.
        own_principal: the cluster's principal, if it is not the one of the endpoints.
        version: version of the cluster, if it is not the catalogue's default. It may just have been offered.
    """

    endpoints: dict[str, Any]
    group: str = "demo"
    cluster: str = "demo"
    options: Mapping[str, Any] = field(default_factory=dict)
    own_principal: Mapping[str, str] = field(default_factory=dict)
    version: str = ""

    @property
    def principal(self) -> Mapping[str, str]:
        """The cluster's principal: `client_id`, `client_secret`, `object_id`. One principal serves only one cluster."""
        names = ("client_id", "client_secret", "object_id")
        return self.own_principal or {name: self.endpoints[f"cluster_{name}"] for name in names}

    @property
    def credential(self) -> ClientSecretCredential:
        """The credential of the subscription's owner."""
        return ClientSecretCredential(
            self.endpoints["tenant_id"],
            self.endpoints["client_id"],
            self.endpoints["client_secret"],
            **self.options,
        )

    @property
    def subscription_id(self) -> str:
        """The customer's subscription."""
        return str(self.endpoints["subscription_id"])

    @property
    def group_id(self) -> str:
        """Resource id of the customer's group."""
        return f"/subscriptions/{self.subscription_id}/resourceGroups/{self.group}"

    @property
    def vnet_id(self) -> str:
        """Resource id of the virtual network."""
        return f"{self.group_id}/providers/Microsoft.Network/virtualNetworks/{self.cluster}-vnet"

    @property
    def cluster_id(self) -> str:
        """Resource id of the cluster."""
        return f"{self.group_id}/providers/{PROVIDER}/openShiftClusters/{self.cluster}"

    def client(self, kind: Callable[..., Client]) -> Client:
        """Return a management client of the SDKs, of the given class."""
        return kind(self.credential, self.subscription_id, polling_interval=POLL_SECONDS, **self.options)

    def clusters(self) -> Any:
        """Return the SDK's operations on clusters."""
        return self.client(AzureRedHatOpenShiftClient).open_shift_clusters


def register_provider(customer: Customer, pause: Callable[[], None]) -> None:
    """Register the resource provider in the subscription, and wait until it is registered."""
    providers = customer.client(ResourceManagementClient).providers
    providers.register(PROVIDER)
    while providers.get(PROVIDER).registration_state != "Registered":
        pause()


def make_principal(customer: Customer, name: str) -> dict[str, str]:
    """Make an application with a secret and its service principal, like `az ad sp create-for-rbac`.

    Returns:
        `client_id`, `client_secret` and `object_id`, for `Customer.own_principal`.
    """
    with requests.Session() as session:
        token = customer.credential.get_token("https://graph.microsoft.com/.default").token
        session.headers["Authorization"] = f"Bearer {token}"
        session.trust_env = not customer.options
        session.proxies.update(customer.options.get("proxies", {}))
        session.verify = customer.options.get("connection_verify", True)

        def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
            answer = session.post(f"https://graph.microsoft.com/v1.0/{path}", json=body, timeout=30)
            answer.raise_for_status()
            document: dict[str, Any] = answer.json()
            return document

        made = post("applications", {"displayName": name})
        secret = post(f"applications/{made['id']}/addPassword", {})
        principal = post("servicePrincipals", {"appId": made["appId"]})
    return {"client_id": made["appId"], "client_secret": secret["secretText"], "object_id": principal["id"]}


def create_network(customer: Customer) -> None:
    """Create the resource group, the virtual network and the two empty subnets."""
    location = customer.endpoints["location"]
    groups = customer.client(ResourceManagementClient).resource_groups
    groups.create_or_update(customer.group, {"location": location})
    network = customer.client(NetworkManagementClient)
    vnet: Any = {
        "location": location,
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.0.0.0/22"]},
            "subnets": [
                {"name": "master", "properties": _subnet("10.0.0.0/23", "Disabled")},
                {"name": "worker", "properties": _subnet("10.0.2.0/23", "Enabled")},
            ],
        },
    }
    network.virtual_networks.begin_create_or_update(customer.group, customer.vnet_id.rsplit("/", 1)[1], vnet).result()


def _subnet(prefix: str, private_link_policies: str) -> dict[str, Any]:
    return {
        "addressPrefix": prefix,
        "serviceEndpoints": [{"service": "Microsoft.ContainerRegistry"}],
        "privateLinkServiceNetworkPolicies": private_link_policies,
    }


def assign_roles(customer: Customer, object_ids: list[str]) -> None:
    """Let principals manage the virtual network. Existing assignments are kept."""
    assignments = customer.client(AuthorizationManagementClient).role_assignments
    for object_id in object_ids:
        name = uuid5(NAMESPACE_URL, f"{customer.vnet_id}/{object_id}/{NETWORK_CONTRIBUTOR}")
        body: Any = {
            "properties": {
                "roleDefinitionId": f"/subscriptions/{customer.subscription_id}/providers/Microsoft.Authorization"
                f"/roleDefinitions/{NETWORK_CONTRIBUTOR}",
                "principalId": object_id,
                "principalType": "ServicePrincipal",
            }
        }
        try:
            assignments.create(customer.vnet_id, str(name), body)
        except ResourceExistsError:
            continue


def cluster_body(customer: Customer) -> aro.OpenShiftCluster:
    """Return the smallest possible cluster: three masters, three workers, names in the provider's own domain."""
    endpoints = customer.endpoints
    return aro.OpenShiftCluster(
        location=endpoints["location"],
        properties=aro.OpenShiftClusterProperties(
            cluster_profile=aro.ClusterProfile(
                domain=customer.cluster,
                version=customer.version or None,
                resource_group_id=f"/subscriptions/{customer.subscription_id}/resourceGroups/aro-{customer.cluster}",
                fips_validated_modules="Disabled",
            ),
            service_principal_profile=aro.ServicePrincipalProfile(
                client_id=customer.principal["client_id"], client_secret=customer.principal["client_secret"]
            ),
            network_profile=aro.NetworkProfile(pod_cidr="10.128.0.0/14", service_cidr="172.30.0.0/16"),
            master_profile=aro.MasterProfile(
                vm_size="Standard_D8s_v5",
                subnet_id=f"{customer.vnet_id}/subnets/master",
                encryption_at_host="Disabled",
            ),
            worker_profiles=[
                aro.WorkerProfile(
                    name="worker",
                    vm_size="Standard_D4s_v5",
                    disk_size_gb=128,
                    count=3,
                    subnet_id=f"{customer.vnet_id}/subnets/worker",
                    encryption_at_host="Disabled",
                )
            ],
            apiserver_profile=aro.APIServerProfile(visibility="Public"),
            ingress_profiles=[aro.IngressProfile(name="default", visibility="Public")],
        ),
    )


def begin_create(customer: Customer, body: aro.OpenShiftCluster | None = None) -> tuple[str, "LROPoller[Any]"]:
    """PUT the cluster; return the operation's id and the SDK's poller.

    Args:
        customer: the customer.
        body: the cluster; None for the smallest possible one.

    Raises:
        azure.core.exceptions.HttpResponseError: the request is refused, or the version is not offered in time.
    """
    until = time.monotonic() + OFFER_SECONDS
    while True:
        seen = _OperationId()
        try:
            poller = customer.clusters().begin_create_or_update(
                customer.group, customer.cluster, body or cluster_body(customer), raw_response_hook=seen
            )
        except HttpResponseError as error:
            # The service reads its catalogue once in a while.
            if not customer.version or "version" not in str(error.message) or time.monotonic() > until:
                raise
        else:
            return seen.value, poller
        time.sleep(1)


def begin_delete(customer: Customer) -> tuple[str, "LROPoller[Any]"]:
    """DELETE the cluster; return the operation's id and the SDK's poller."""
    seen = _OperationId()
    poller = customer.clusters().begin_delete(customer.group, customer.cluster, raw_response_hook=seen)
    return seen.value, poller


def credentials(customer: Customer) -> tuple[str, str]:
    """Return user name and password of the cluster's first user."""
    found = customer.clusters().list_credentials(customer.group, customer.cluster)
    return str(found.kubeadmin_username), str(found.kubeadmin_password)


def admin_kubeconfig(customer: Customer) -> bytes:
    """Return the kubeconfig with which an administrator reaches the cluster."""
    found = customer.clusters().list_admin_credentials(customer.group, customer.cluster)
    return base64.b64decode(found.kubeconfig)


class _OperationId:
    """Reads the operation's id from the first answer, as Azure's own tools do."""

    value = ""

    def __call__(self, response: Any) -> None:
        address = response.http_response.headers.get("Azure-AsyncOperation", "")
        self.value = self.value or address.split("?")[0].rsplit("/", 1)[-1]
