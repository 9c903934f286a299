"""A cluster in one's own subscription: what its owner prepares, and the calls to the service with the owner's token."""

import base64
import json
from dataclasses import dataclass
from typing import Any

import requests
from azure.mgmt.redhatopenshift import AzureRedHatOpenShiftClient

from demo.customer import POLL_SECONDS, PROVIDER, Customer, cluster_body, create_network, make_principal
from shared.json_object import Json
from tests.entra_azure import ARM, ROLES_VERSION, Caller, EntraAzure
from tests.product.integration.service.stage import Cluster

ZONES_VERSION = "2018-05-01"
NETWORK_ROLE = "OpenShift provider: network"
# Restricted in the region, so that a create with it ends with its first checks.
RESTRICTED_SIZE = "Standard_E104is_v5"
_REGISTRIES = ("quay.io", "registry.redhat.io", "registry.connect.redhat.com", "cloud.openshift.com")
PULL_SECRET = json.dumps(
    {"auths": {server: {"auth": base64.b64encode(b"somebody:canary").decode()} for server in _REGISTRIES}}
)


@dataclass(frozen=True)
class Tenant(Customer):
    """Somebody who has a cluster in the subscription of the service.

    Args:
        caller: who signs in.
        address: address of the service.
        scope: the scope of tokens for it.
    """

    caller: Caller | None = None
    address: str = ""
    scope: str = ""

    @property
    def domain(self) -> str:
        """The cluster's domain, in a zone of its owner."""
        return f"{self.cluster}.{self.zone}"

    @property
    def zone(self) -> str:
        """Name of the zone."""
        return f"{self.group}.example.com"

    def clusters(self) -> Any:
        """Return the SDK's operations on clusters, at the service's own address."""
        return AzureRedHatOpenShiftClient(
            self.caller,  # type: ignore[arg-type]  # a credential by its method
            self.subscription_id,
            base_url=self.address,
            credential_scopes=[self.scope],
            polling_interval=POLL_SECONDS,
            **self.options,
        ).open_shift_clusters

    def body(self) -> Json:
        """Return the body of the PUT: the smallest cluster, with a domain and a pull secret of its owner."""
        document: Json = cluster_body(self).as_dict()
        document["properties"]["clusterProfile"] |= {"domain": self.domain, "pullSecret": PULL_SECRET}
        return document

    def body_that_fails(self) -> Json:
        """Return the body of a PUT that is accepted, and whose operation ends with its first checks."""
        document = self.body()
        document["properties"]["masterProfile"]["vmSize"] = RESTRICTED_SIZE
        return document


@dataclass(frozen=True)
class OwnCluster(Cluster):
    """A tenant's cluster: requests about it go to the service, with the tenant's token, and all others to ARM."""

    customer: Tenant

    @property
    def body(self) -> Json:
        """The body of the PUT that creates the cluster."""
        return self.customer.body()

    def send_once(self, method: str, path: str = "", body: Json | None = None) -> requests.Response:
        """Send a request; return the answer."""
        if path and f"/providers/{PROVIDER}/" not in path:
            return super().send_once(method, path, body)
        assert self.customer.caller is not None
        return self.customer.caller.send(method, path or self.customer.cluster_id, body)


def tenant(azure: EntraAzure, name: str, caller: Caller) -> Tenant:
    """Return a tenant with a group, network, cluster and principal of its own, none of which has rights."""
    endpoints = azure.endpoints
    nobody = Customer(endpoints, group=f"group-{name}", cluster=name, options=azure.client_options)
    found = Tenant(
        endpoints,
        group=nobody.group,
        cluster=name,
        options=nobody.options,
        own_principal=make_principal(nobody, name),
        caller=caller,
        address=endpoints["service"],
        scope=azure.scope,
    )
    create_network(found)
    return found


def prepare(azure: EntraAzure, name: str, caller: Caller) -> Tenant:
    """Do everything that comes before the PUT: network, rights on it, and the role of a user in the group."""
    found = tenant(azure, name, caller)
    azure.assign(azure.endpoints["rp_object_id"], network_role(azure), found.vnet_id, kind="ServicePrincipal")
    azure.assign(found.principal["object_id"], "Network Contributor", found.vnet_id, kind="ServicePrincipal")
    azure.assign(caller.object_id, "Contributor", found.group_id, kind="User")
    return found


def network_role(azure: EntraAzure) -> str:
    """Return the id of the custom role with which the service joins a network."""
    path = f"{azure.subscription}/providers/Microsoft.Authorization/roleDefinitions"
    found = azure.administrate("GET", f"{ARM}{path}?api-version={ROLES_VERSION}")["value"]
    (role,) = [each["id"] for each in found if each["properties"]["roleName"].startswith(NETWORK_ROLE)]
    return str(role)


def create_records(azure: EntraAzure, owner: Tenant, cluster: Json) -> None:
    """Create the two records of a cluster in a public zone of its owner.

    Args:
        azure: the platform.
        owner: the cluster's owner.
        cluster: the cluster, as GET answers it.
    """
    zone = f"{ARM}{owner.group_id}/providers/Microsoft.Network/dnsZones/{owner.zone}"
    azure.administrate("PUT", f"{zone}?api-version={ZONES_VERSION}", {"location": "global"})
    properties = cluster["properties"]
    addresses = {"api": properties["apiserverProfile"]["ip"], "*.apps": properties["ingressProfiles"][0]["ip"]}
    for name, address in addresses.items():
        body = {"properties": {"TTL": 300, "ARecords": [{"ipv4Address": address}]}}
        azure.administrate("PUT", f"{zone}/A/{name}.{owner.cluster}?api-version={ZONES_VERSION}", body)
