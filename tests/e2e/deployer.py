"""Whoever deploys the service by a page: the terminal in which the commands run, and a look at what they have done."""

import json
import os
import subprocess
from pathlib import Path

import requests

from shared.json_object import Json
from tests.local_azure import TIME_SCALE, LocalAzure

REPOSITORY = Path(__file__).resolve().parents[2]
CLI = REPOSITORY / ".venv-az" / "bin"
KUBECTL = REPOSITORY / ".venv-kubectl" / "bin"
UV = REPOSITORY / ".venv" / "bin" / "uv"
ARM = "https://management.azure.com"
GRAPH = "https://graph.microsoft.com"


def terminal(platform: LocalAzure, home: Path) -> Json:
    """Return the environment of a terminal that has the Azure CLI and kubectl, and reaches an empty subscription only.

    Args:
        platform: the local Azure.
        home: the home folder of whoever sits there.
    """
    exported = dict(
        line.removeprefix("export ").partition("=")[::2] for line in platform.command("env", "--deployer").splitlines()
    )
    kept = {name: os.environ[name] for name in ("LANG", "PATH") if name in os.environ}
    return {
        **kept,
        **{name: value.strip("'") for name, value in exported.items()},
        "HOME": str(home),
        "PATH": f"{CLI}:{KUBECTL}:{kept['PATH']}",
        "AZURE_CONFIG_DIR": str(home / "az"),
        "AZURE_CORE_COLLECT_TELEMETRY": "false",
        # The page's packages come from the cache: its terminal reaches only the local Azure.
        "UV_CACHE_DIR": _uv("cache", "dir"),
        "UV_OFFLINE": "1",
        # As fast as this local Azure, whose machines and deployments the service waits for.
        "SETTINGS": json.dumps({"TIME_SCALE": str(TIME_SCALE), "WATCHDOG_SCHEDULE": "*/5 * * * * *"}),
    }


def _uv(*words: str) -> str:
    done = subprocess.run([UV, *words], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.strip()


class Deployer:
    """Calls ARM and Graph as the principal of the terminal, to look at what the page's commands have done."""

    def __init__(self, platform: LocalAzure, environment: Json) -> None:
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.proxies = {"https": platform.endpoints["proxy"]}
        self._session.verify = platform.endpoints["ca_bundle"]
        self._environment = environment
        self.subscription = f"/subscriptions/{environment['AZURE_SUBSCRIPTION_ID']}"

    def call(self, method: str, path: str, api_version: str, body: Json | None = None) -> Json:
        """Make a call; return its answer.

        Args:
            method: HTTP method.
            path: path at ARM, below the empty subscription.
            api_version: the version of the call.
            body: JSON of the request.
        """
        return self._send(ARM, method, f"{self.subscription}{path}", {"api-version": api_version}, body)

    def registered(self, namespace: str) -> bool:
        """Tell whether the subscription has registered a resource provider."""
        state: str = self.call("GET", f"/providers/{namespace}", "2024-11-01")["registrationState"]
        return state == "Registered"

    def census(self) -> set[str]:
        """Return the ids of everything in the subscription and its tenant that somebody has to remove."""
        kinds = (
            ("/resourcegroups", "2024-11-01"),
            ("/resources", "2024-11-01"),
            ("/providers/Microsoft.KeyVault/deletedVaults", "2023-07-01"),
            ("/providers/Microsoft.Resources/deployments", "2025-04-01"),
            ("/providers/Microsoft.Authorization/roleAssignments", "2022-04-01"),
            ("/providers/Microsoft.Authorization/roleDefinitions", "2022-04-01"),
        )
        found = [each for path, version in kinds for each in self.call("GET", path, version)["value"]]
        for kind in ("applications", "servicePrincipals"):
            found += self._send(GRAPH, "GET", f"/v1.0/{kind}", {}, None)["value"]
        return {each["id"].lower() for each in found if each.get("properties", {}).get("type") != "BuiltInRole"}

    def _send(self, resource: str, method: str, path: str, query: Json, body: Json | None) -> Json:
        token = self._session.post(
            f"https://login.microsoftonline.com/{self._environment['AZURE_TENANT_ID']}/oauth2/v2.0/token",
            data={
                "grant_type": "client_credentials",
                "client_id": self._environment["AZURE_CLIENT_ID"],
                "client_secret": self._environment["AZURE_CLIENT_SECRET"],
                "scope": f"{resource}/.default",
            },
            timeout=60,
        ).json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        answer = self._session.request(
            method, f"{resource}{path}", params=query, headers=headers, json=body, timeout=60
        )
        answer.raise_for_status()
        return dict(answer.json()) if answer.content else {}
