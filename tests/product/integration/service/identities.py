"""The managed identities of a customer's cluster: made, given their roles, and named in the cluster's body."""

from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from azure.mgmt.resource.resources import ResourceManagementClient

from shared.json_object import Json
from tests.local_azure import wait_for
from tests.product.integration.service.stage import Cluster

IDENTITY_VERSION, ROLES_VERSION = "2024-11-30", "2022-04-01"
# What whoever acts on the identities needs on each: the cluster identity, or the service in one's own subscription.
FEDERATED_CREDENTIAL_ROLE = "ef318e2a-8334-4a05-9e4a-295a196c6a6e"
CLUSTER, PROVIDER = "aro-cluster", "Microsoft.ManagedIdentity"


@dataclass(frozen=True)
class Identities:
    """The identities of one cluster.

    Args:
        cluster: the cluster, whether it exists or not.
        service: object id of the service, if that acts on the identities itself.
    """

    cluster: Cluster
    service: str = ""

    def resource_id(self, name: str) -> str:
        """Return the id of an identity, of an operator or of the cluster."""
        return f"{self.cluster.customer.group_id}/providers/{PROVIDER}/userAssignedIdentities/{name}"

    def roles(self) -> dict[str, str]:
        """Return the role of each operator, by its definition's UUID, in the catalogue's newest version."""
        customer = self.cluster.customer
        place = f"/subscriptions/{customer.subscription_id}/providers/Microsoft.RedHatOpenShift/locations"
        listed = f"{place}/{customer.endpoints['location']}/platformWorkloadIdentityRoleSets"
        answer = self.cluster.send("GET", listed)
        assert answer.ok, answer.text
        roles = answer.json()["value"][-1]["properties"]["platformWorkloadIdentityRoles"]
        return {role["operatorName"]: role["roleDefinitionId"].rsplit("/", 1)[1] for role in roles}

    def make(self) -> None:
        """Make an identity for the cluster and one for each operator, with every role that Azure's CLI gives them."""
        self.register()
        self.add(CLUSTER)
        if self.service:
            self.assign(self.service, FEDERATED_CREDENTIAL_ROLE, self.resource_id(CLUSTER))
        for operator, role in self.roles().items():
            self.add_operator(operator, role)

    def register(self) -> None:
        """Register the provider of identities in the subscription, and wait until it is registered."""
        providers = self.cluster.customer.client(ResourceManagementClient).providers
        providers.register(PROVIDER)
        wait_for(lambda: providers.get(PROVIDER).registration_state == "Registered", f"the registration of {PROVIDER}")

    def add_operator(self, name: str, role: str) -> None:
        """Make an identity of an operator, with the operator's role on the network, and let the service act on it."""
        self.assign(self.add(name), role, self.cluster.customer.vnet_id)
        self.assign(self.service or self.object_id(CLUSTER), FEDERATED_CREDENTIAL_ROLE, self.resource_id(name))

    def add(self, name: str) -> str:
        """Make one identity; return its object id."""
        body = {"location": self.cluster.customer.endpoints["location"]}
        answer = self.cluster.send("PUT", f"{self.resource_id(name)}?api-version={IDENTITY_VERSION}", body)
        assert answer.ok, answer.text
        return str(answer.json()["properties"]["principalId"])

    def object_id(self, name: str) -> str:
        """Return the object id of an identity."""
        answer = self.cluster.send("GET", f"{self.resource_id(name)}?api-version={IDENTITY_VERSION}")
        assert answer.ok, answer.text
        return str(answer.json()["properties"]["principalId"])

    def assign(self, object_id: str, role: str, scope: str) -> None:
        """Give an identity a role."""
        subscription = f"/subscriptions/{self.cluster.customer.subscription_id}"
        definition = f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}"
        body = {
            "properties": {
                "roleDefinitionId": definition,
                "principalId": object_id,
                "principalType": "ServicePrincipal",
            }
        }
        name = uuid5(NAMESPACE_URL, f"{scope}/{object_id}/{role}")
        path = f"{scope}/providers/Microsoft.Authorization/roleAssignments/{name}"
        answer = self.cluster.send("PUT", f"{path}?api-version={ROLES_VERSION}", body)
        assert answer.ok, answer.text

    def withdraw(self, object_id: str, role: str, scope: str) -> None:
        """Take a role from an identity."""
        listed = f"{scope}/providers/Microsoft.Authorization/roleAssignments?api-version={ROLES_VERSION}"
        found = self.cluster.send("GET", f"{listed}&$filter=atScope()").json()["value"]
        (path,) = [each["id"] for each in found if _is_of(each, object_id, role, scope)]
        answer = self.cluster.send("DELETE", f"{path}?api-version={ROLES_VERSION}")
        assert answer.status_code == 200, answer.text

    def body(self, **profile: str) -> Json:
        """Return the body of the PUT that creates the cluster with these identities.

        Args:
            profile: further members of the cluster's profile, such as its version.
        """
        body = self.cluster.body
        del body["properties"]["servicePrincipalProfile"]
        body["properties"]["clusterProfile"] |= profile
        body["identity"] = {"type": "UserAssigned", "userAssignedIdentities": {self.resource_id(CLUSTER): {}}}
        operators = {name: {"resourceId": self.resource_id(name)} for name in self.roles()}
        body["properties"]["platformWorkloadIdentityProfile"] = {"platformWorkloadIdentities": operators}
        return body

    def federated_credentials(self) -> dict[str, list[Json]]:
        """Return the federated credentials of each operator's identity, by the operator's name."""
        return {operator: self.credentials_of(operator) for operator in self.roles()}

    def credentials_of(self, name: str) -> list[Json]:
        """Return the federated credentials of one identity."""
        path = f"{self.resource_id(name)}/federatedIdentityCredentials"
        answer = self.cluster.send("GET", f"{path}?api-version={IDENTITY_VERSION}")
        assert answer.ok, answer.text
        found: list[Json] = answer.json()["value"]
        return found


def _is_of(assignment: Json, object_id: str, role: str, scope: str) -> bool:
    """Tell whether a role assignment gives somebody a role at a scope itself."""
    found = assignment["properties"]
    given = (found["principalId"], found["roleDefinitionId"].rpartition("/")[2], found["scope"].lower())
    return bool(given == (object_id, role, scope.lower()))
