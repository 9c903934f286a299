"""A running local Azure whose service takes tokens, and its callers: users, groups, applications, their rights.

Everything here is what an administrator of a tenant does, with the calls of Microsoft Graph and of ARM.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import requests
from azure.core.credentials import AccessToken

from shared.json_object import Json
from tests.local_azure import LocalAzure
from tests.patience import PATIENCE_SECONDS, served

API_VERSION = "2025-07-25"
ARM, GRAPH = "https://management.azure.com", "https://graph.microsoft.com"
KEY_VAULT = "https://vault.azure.net"
LOGIN = "https://login.microsoftonline.com"
AUTHORIZATION = "/providers/Microsoft.Authorization"
ROLES_VERSION = "2022-04-01"
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
BUILT_IN = {
    "Owner": "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
    "Contributor": "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Reader": "acdd72a7-3385-48ef-bd42-f606fba81ae7",
    "Network Contributor": "4d97b98b-1d4f-4787-a291-c67834d212e7",
}
# A token is used until it is this close to its end.
MARGIN_SECONDS = 300


@dataclass(frozen=True)
class Caller:
    """Somebody who signs in: a user or a service principal. It is a credential for the SDKs, too.

    Args:
        azure: the platform.
        object_id: object id in the directory.
        sign_in: the members of the form with which it gets tokens, except the scope.
    """

    azure: "EntraAzure"
    object_id: str
    sign_in: Mapping[str, str]
    _tokens: dict[str, AccessToken] = field(default_factory=dict, repr=False)

    def get_token(self, *scopes: str, **_options: Any) -> AccessToken:
        """Return an access token.

        Args:
            scopes: the scopes, of one resource.
        """
        scope = " ".join(scopes)
        known = self._tokens.get(scope)
        if known is None or known.expires_on < time.time() + MARGIN_SECONDS:
            form = {**self.sign_in, "scope": scope}
            address = f"{LOGIN}/{self.azure.endpoints['tenant_id']}/oauth2/v2.0/token"
            answer = self.azure.session.post(address, data=form, timeout=60).json()
            assert "access_token" in answer, answer
            known = AccessToken(answer["access_token"], int(time.time()) + int(answer["expires_in"]))
            self._tokens[scope] = known
        return known

    @property
    def token(self) -> str:
        """An access token for the service."""
        return self.get_token(self.azure.scope).token

    def send(
        self, method: str, path: str, body: Json | None = None, headers: Mapping[str, str] | None = None
    ) -> requests.Response:
        """Send a request to the service, again if the service was too busy.

        Args:
            method: HTTP method.
            path: the path. Without an `api-version` it gets `API_VERSION`.
            body: the body, sent as JSON.
            headers: further headers.
        """
        query = "" if "api-version=" in path else f"{'&' if '?' in path else '?'}api-version={API_VERSION}"
        sent = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        address = f"{self.azure.endpoints['service']}{path}{query}"
        return served(
            lambda: self.azure.session.request(method, address, json=body, headers=sent, timeout=PATIENCE_SECONDS)
        )


@dataclass(frozen=True)
class EntraAzure(LocalAzure):
    """A platform whose service is in the subscription in which clusters are made."""

    @cached_property
    def session(self) -> requests.Session:
        """A session that reaches Azure's public names on this platform."""
        session = requests.Session()
        session.trust_env = False
        session.proxies["https"] = self.endpoints["proxy"]
        session.verify = self.endpoints["ca_bundle"]
        return session

    @property
    def scope(self) -> str:
        """The scope of tokens for the service."""
        return f"api://{self.endpoints['api_client_id']}/.default"

    @property
    def subscription(self) -> str:
        """The id of the subscription."""
        return f"/subscriptions/{self.endpoints['subscription_id']}"

    @cached_property
    def owner(self) -> Caller:
        """Whoever deployed the service: Owner of the subscription, with every role of the service."""
        deployer = self.endpoints["deployer"]
        return self._application(deployer["object_id"], deployer["client_id"], deployer["client_secret"])

    def administrate(self, method: str, address: str, body: Json | None = None) -> Json:
        """Call ARM, Microsoft Graph or a vault as the owner; return the answer's body, or {} if it has none.

        Args:
            method: HTTP method.
            address: the whole address.
            body: the body, sent as JSON.
        """
        resource = next((each for each in (ARM, GRAPH) if address.startswith(each)), KEY_VAULT)
        headers = {"Authorization": f"Bearer {self.owner.get_token(f'{resource}/.default').token}"}
        answer = self.session.request(method, address, json=body, headers=headers, timeout=60)
        assert answer.ok, answer.text
        document: Json = answer.json() if answer.content else {}
        return document

    # The directory

    def application(self, name: str) -> Caller:
        """Make an application with a secret and its service principal, like `az ad sp create-for-rbac`."""
        made = self.administrate("POST", f"{GRAPH}/v1.0/applications", {"displayName": name})
        secret = self.administrate("POST", f"{GRAPH}/v1.0/applications/{made['id']}/addPassword", {})["secretText"]
        principal = self.administrate("POST", f"{GRAPH}/v1.0/servicePrincipals", {"appId": made["appId"]})
        return self._application(principal["id"], made["appId"], secret)

    def _application(self, object_id: str, client_id: str, secret: str) -> Caller:
        form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        return Caller(self, object_id, form)

    def user(self, name: str) -> Caller:
        """Make a user, who signs in with the Azure CLI, like `az ad user create`."""
        domains = self.administrate("GET", f"{GRAPH}/v1.0/organization")["value"][0]["verifiedDomains"]
        user_name, password = f"{name}@{domains[0]['name']}", f"Aa1-{uuid5(NAMESPACE_URL, name)}"
        body = {
            "accountEnabled": True,
            "displayName": name,
            "mailNickname": name,
            "userPrincipalName": user_name,
            "passwordProfile": {"password": password, "forceChangePasswordNextSignIn": False},
        }
        made = self.administrate("POST", f"{GRAPH}/v1.0/users", body)
        form = {"grant_type": "password", "client_id": AZURE_CLI, "username": user_name, "password": password}
        return Caller(self, made["id"], form)

    def group(self, name: str, *members: str) -> str:
        """Make a security group with members, which are object ids of users, principals or groups; return its id."""
        body = {"displayName": name, "mailEnabled": False, "mailNickname": name, "securityEnabled": True}
        group = str(self.administrate("POST", f"{GRAPH}/v1.0/groups", body)["id"])
        for member in members:
            reference = {"@odata.id": f"{GRAPH}/v1.0/directoryObjects/{member}"}
            self.administrate("POST", f"{GRAPH}/v1.0/groups/{group}/members/$ref", reference)
        return group

    # Rights

    def make_operator(self, principal_id: str, role: str) -> None:
        """Give a user an app role of the service's registration: Operator or OperatorAdmin."""
        service = f"{GRAPH}/v1.0/servicePrincipals(appId='{self.endpoints['api_client_id']}')"
        found = self.administrate("GET", service)
        (role_id,) = [each["id"] for each in found["appRoles"] if each["value"] == role]
        body = {"principalId": principal_id, "resourceId": found["id"], "appRoleId": role_id}
        self.administrate("POST", f"{GRAPH}/v1.0/servicePrincipals/{found['id']}/appRoleAssignedTo", body)

    def define_role(self, name: str, actions: Iterable[str], not_actions: Iterable[str] = ()) -> str:
        """Define a custom role that can be assigned in the subscription; return the id of its definition."""
        role = str(uuid5(NAMESPACE_URL, name))
        permission = {"actions": list(actions), "notActions": list(not_actions)}
        properties = {
            "roleName": name,
            "type": "CustomRole",
            "permissions": [permission],
            "assignableScopes": [self.subscription],
        }
        path = f"{self.subscription}{AUTHORIZATION}/roleDefinitions/{role}"
        self.administrate("PUT", f"{ARM}{path}?api-version={ROLES_VERSION}", {"properties": properties})
        return path

    def assign(self, principal_id: str, role: str, scope: str, *, kind: str = "", condition: str = "") -> None:
        """Assign a role.

        Args:
            principal_id: object id of a user, a service principal or a group.
            role: name of a role in `BUILT_IN`, or the id of a definition.
            scope: id of the resource, group or subscription.
            kind: type of the principal: User, ServicePrincipal or Group; "" lets ARM look it up.
            condition: the condition under which it counts.
        """
        definition = role
        if role in BUILT_IN:
            definition = f"{self.subscription}{AUTHORIZATION}/roleDefinitions/{BUILT_IN[role]}"
        properties = {"principalId": principal_id, "roleDefinitionId": definition}
        properties |= {"principalType": kind} if kind else {}
        properties |= {"condition": condition, "conditionVersion": "2.0"} if condition else {}
        path = f"{scope}{AUTHORIZATION}/roleAssignments/{uuid5(NAMESPACE_URL, f'{scope}/{principal_id}/{definition}')}"
        self.administrate("PUT", f"{ARM}{path}?api-version={ROLES_VERSION}", {"properties": properties})
