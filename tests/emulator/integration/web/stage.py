"""A deployer of function apps, who uses the requests that the Azure CLI sends."""

import time
import uuid
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import requests

from emulator.json_object import Json
from tests.local_azure import TIME_SCALE, LocalAzure, wait_for

VERSION = "2025-05-01"
# A little more than a new role assignment takes to be in force, in seconds of Azure's time.
SPREAD_SECONDS = 35
DATA_ACTIONS = (
    *(f"blobServices/containers/blobs/{verb}" for verb in ("read", "write", "delete")),
    *(f"queueServices/queues/messages/{verb}" for verb in ("read", "write", "delete", "process/action")),
    *(f"tableServices/tables/entities/{verb}" for verb in ("read", "write", "delete")),
)
PLANS: dict[str, Json] = {
    "FlexConsumption": {"kind": "functionapp", "sku": {"name": "FC1", "tier": "FlexConsumption"}},
    "ElasticPremium": {"kind": "elastic", "sku": {"name": "EP1", "tier": "ElasticPremium"}},
}


@dataclass
class Deployer:
    """The Owner of the customer's subscription, in a group of their own.

    Args:
        azure: the platform.
        name: name of the group, and of everything in it.
    """

    azure: LocalAzure
    name: str
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        """Reach the platform as a terminal does."""
        self.session.trust_env = False
        self.session.verify = self.azure.endpoints["ca_bundle"]
        self.session.proxies = {"https": self.azure.endpoints["proxy"]}

    @property
    def subscription(self) -> str:
        """Id of the subscription, as a scope."""
        return f"/subscriptions/{self.azure.endpoints['subscription_id']}"

    @property
    def group(self) -> str:
        """Id of the group."""
        return f"{self.subscription}/resourceGroups/{self.name}"

    @property
    def site(self) -> str:
        """Id of the site."""
        return self.id(f"Microsoft.Web/sites/{self.name}")

    @property
    def identity(self) -> str:
        """Id of the site's identity."""
        return self.id(f"Microsoft.ManagedIdentity/userAssignedIdentities/{self.name}")

    @property
    def account(self) -> str:
        """Id of the storage account."""
        return self.id(f"Microsoft.Storage/storageAccounts/{self.name}")

    @property
    def url(self) -> str:
        """Address of the site."""
        return f"https://{self.name}.azurewebsites.net"

    @property
    def scm(self) -> str:
        """Address of the publishing site."""
        return f"https://{self.name}.scm.azurewebsites.net"

    def id(self, path: str) -> str:
        """Return the id of a resource of the group."""
        return f"{self.group}/providers/{path}"

    def token(self, audience: str) -> str:
        """Return a token."""
        endpoints = self.azure.endpoints
        answer = self.session.post(
            f"https://login.microsoftonline.com/{endpoints['tenant_id']}/oauth2/v2.0/token",
            data={
                "grant_type": "client_credentials",
                "client_id": endpoints["client_id"],
                "client_secret": endpoints["client_secret"],
                "scope": f"{audience}/.default",
            },
            timeout=60,
        )
        return str(answer.json()["access_token"])

    @cached_property
    def _arm_token(self) -> str:
        return self.token("https://management.azure.com")

    def arm(self, method: str, path: str, body: Any = None, version: str = VERSION) -> requests.Response:
        """Call ARM.

        Args:
            method: HTTP method.
            path: path, or with its query.
            body: the body, sent as JSON.
            version: api-version.
        """
        return self.session.request(
            method,
            f"https://management.azure.com{path}",
            params={"api-version": version},
            json=body,
            headers={"Authorization": f"Bearer {self._arm_token}"},
            timeout=60,
        )

    def put(self, path: str, body: Json, version: str = VERSION) -> Json:
        """PUT a resource, and wait until it is there."""
        answer = self.arm("PUT", path, body, version)
        if not answer.ok:
            raise AssertionError(f"PUT {path}: {answer.status_code} {answer.text}")

        def ready() -> Json | None:
            found: Json = self.arm("GET", path, version=version).json()
            return found if found.get("properties", {}).get("provisioningState", "Succeeded") == "Succeeded" else None

        return wait_for(ready, path)

    def prepare(self, tier: str, *, roles: bool = True) -> None:
        """Create everything that a site needs.

        Args:
            tier: tier of its plan.
            roles: whether its identity may use the storage account.
        """
        self.arm("PUT", self.group, {"location": "eastus"}, "2024-11-01")
        for namespace in ("Microsoft.App", "Microsoft.ManagedIdentity", "Microsoft.Web"):
            self.arm("POST", f"{self.subscription}/providers/{namespace}/register", version="2024-11-01")
        self.put(self.identity, {"location": "eastus"}, "2024-11-30")
        self.put(
            self.account,
            {"location": "eastus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "properties": {}},
            "2024-01-01",
        )
        self.arm("PUT", f"{self.account}/blobServices/default/containers/packages", {}, "2024-01-01")
        if roles:
            self.grant()
        plan = {"location": "eastus", "properties": {"reserved": True}} | PLANS[tier]
        self.put(self.id(f"Microsoft.Web/serverfarms/{self.name}"), plan)

    def grant(self) -> None:
        """Let the site's identity use the storage account, and wait until the role has spread."""
        role = f"{self.subscription}/providers/Microsoft.Authorization/roleDefinitions/{uuid.uuid4()}"
        actions = [f"Microsoft.Storage/storageAccounts/{action}" for action in DATA_ACTIONS]
        permission = {"actions": [], "notActions": [], "dataActions": actions, "notDataActions": []}
        properties = {"roleName": role, "permissions": [permission], "assignableScopes": [self.subscription]}
        self.put(role, {"properties": properties}, "2022-04-01")
        self.put(
            f"{self.account}/providers/Microsoft.Authorization/roleAssignments/{uuid.uuid4()}",
            {
                "properties": {
                    "roleDefinitionId": role,
                    "principalId": self.ids["principalId"],
                    "principalType": "ServicePrincipal",
                }
            },
            "2022-04-01",
        )
        # Nobody can ask whether another principal's role is in force yet.
        time.sleep(SPREAD_SECONDS / TIME_SCALE)

    @cached_property
    def ids(self) -> Json:
        """Principal id and client id of the site's identity."""
        properties: Json = self.arm("GET", self.identity, version="2024-11-30").json()["properties"]
        return properties

    def settings(self, **more: str) -> dict[str, str]:
        """Return the settings for host storage by identity, and others."""
        services = {
            f"AzureWebJobsStorage__{kind}ServiceUri": f"https://{self.name}.{kind}.core.windows.net"
            for kind in ("blob", "queue", "table")
        }
        identity = {"credential": "managedidentity", "clientId": self.ids["clientId"]}
        return services | {f"AzureWebJobsStorage__{name}": value for name, value in identity.items()} | more

    def body(self, tier: str, python: str = "3.11") -> Json:
        """Return the body of the site's PUT."""
        properties: Json = {"serverFarmId": self.id(f"Microsoft.Web/serverfarms/{self.name}"), "httpsOnly": True}
        if tier == "ElasticPremium":
            properties["siteConfig"] = {"linuxFxVersion": f"Python|{python}"}
        else:
            properties["functionAppConfig"] = {
                "runtime": {"name": "python", "version": python},
                "deployment": {
                    "storage": {
                        "type": "blobContainer",
                        "value": f"https://{self.name}.blob.core.windows.net/packages",
                        "authentication": {
                            "type": "UserAssignedIdentity",
                            "userAssignedIdentityResourceId": self.identity,
                        },
                    }
                },
                "scaleAndConcurrency": {"maximumInstanceCount": 40, "instanceMemoryMB": 2048},
            }
        return {
            "location": "eastus",
            "kind": "functionapp,linux",
            "identity": {"type": "UserAssigned", "userAssignedIdentities": {self.identity: {}}},
            "properties": properties,
        }

    def set(self, tier: str, **more: str) -> None:
        """Write the app settings."""
        premium = {"FUNCTIONS_EXTENSION_VERSION": "~4", "FUNCTIONS_WORKER_RUNTIME": "python"}
        properties = self.settings(**more) | (premium if tier == "ElasticPremium" else {})
        self.put_settings(properties)

    def get(self, path: str = "", **options: Any) -> requests.Response:
        """Call the site, once its front end listens.

        Args:
            path: the path.
            options: options of the request.
        """

        def answered() -> tuple[requests.Response] | None:
            try:
                return (self.session.get(self.url + path, timeout=60, **options),)
            except requests.exceptions.ConnectionError:
                return None

        return wait_for(answered, "the site's front end")[0]

    def put_settings(self, properties: dict[str, str]) -> None:
        """Write the app settings as they are given."""
        answer = self.arm("PUT", f"{self.site}/config/appsettings", {"properties": properties})
        if answer.status_code != 200:
            raise AssertionError(answer.text)

    def publish(self, content: bytes, path: str = "/api/publish?RemoteBuild=false&Deployer=az_cli") -> Json:
        """Publish a package; return the deployment when it has ended, with its log."""
        headers = {"Authorization": f"Bearer {self.token('https://appservice.azure.com')}"}
        answer = self.session.post(self.scm + path, data=content, headers=headers, timeout=60)
        if answer.status_code != 202:
            raise AssertionError(f"publish: {answer.status_code} {answer.text}")

        def ended() -> Json | None:
            found: Json = self.session.get(f"{self.scm}/api/deployments/latest", headers=headers, timeout=60).json()
            return found if found["status"] in (3, 4) else None

        record = wait_for(ended, "the end of the deployment")
        lines = self.session.get(record["log_url"], headers=headers, timeout=60).json()
        return record | {"log": "\n".join(line["message"] for line in lines)}

    def report(self, **wanted: str) -> Json:
        """Return what the app reports, once it reports what is wanted."""

        def reported() -> Json | None:
            answer = self.get("/report")
            found: Json = answer.json() if answer.status_code == 200 else {}
            return found if found and all(found[name] == value for name, value in wanted.items()) else None

        return wait_for(reported, f"a report of {wanted}")

    def status(self, state: str, error: str = "") -> Json:
        """Return the status of the site's host, once it has a state and names an error."""
        key = self.arm("POST", f"{self.site}/host/default/listkeys").json()["masterKey"]

        def reached() -> Json | None:
            answer = self.get("/admin/host/status", headers={"x-functions-key": key})
            found: Json = answer.json() if answer.status_code == 200 else {}
            return found if found.get("state") == state and error in " ".join(found.get("errors", ())) else None

        return wait_for(reached, f"the state {state} {error}")
