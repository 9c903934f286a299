"""An HTTP client of the local Azure for whoever operates the resource provider."""

import asyncio
import json
import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from emulator.core.platform import Platform
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.run.addresses import proxy_of
from emulator.run.command_error import RunError

ARM, GRAPH, KEY_VAULT = "https://management.azure.com", "https://graph.microsoft.com", "https://vault.azure.net"
DEPLOYMENTS_VERSION = "2025-04-01"
# A deployment ends at once, because nothing takes time while the provider is deployed.
POLL_SECONDS = 0.02


class Operator:
    """An HTTP client that calls the local Azure as one principal, by Azure's public names."""

    def __init__(self, platform: Platform, tenant_id: str, client_id: str) -> None:
        self._entra = platform.model(EntraModel)
        self._tenant_id, self._client_id = tenant_id, client_id
        context = ssl.create_default_context(cadata=platform.authority.pem().decode())
        self._client = httpx.AsyncClient(proxy=proxy_of(platform), verify=context, timeout=60, trust_env=False)

    async def __aenter__(self) -> Self:
        """Return this client."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def call(self, method: str, url: str, api_version: str = "", body: Any = None) -> Json:
        """Make one call; return the answer's body, or {} if it has none.

        Args:
            method: HTTP method.
            url: the whole address, at ARM, Microsoft Graph or a vault, or a path of ARM.
            api_version: the version of the call; "" for Graph, which has it in the path.
            body: JSON of the request.

        Raises:
            RunError: the local Azure refuses the call.
        """
        address = url if url.startswith("https://") else ARM + url
        resource = next((each for each in (ARM, GRAPH) if address.startswith(each)), KEY_VAULT)
        token = self._entra.issue_token(self._tenant_id, self._client_id, resource)
        reply = await self._client.request(
            method,
            address,
            params={"api-version": api_version} if api_version else None,
            headers={"Authorization": f"Bearer {token}"},
            json=body,
        )
        if reply.is_error:
            raise RunError(f"The local Azure refused {method} {address}:\n{_shown(reply)}")
        return dict(reply.json()) if reply.content else {}

    async def deploy(
        self, scope: str, name: str, template: Any, parameters: Mapping[str, Any], location: str = ""
    ) -> Json:
        """Deploy a template and wait until that has ended; return the values of its outputs.

        Raises:
            RunError: the template is refused, or a resource cannot be made.
        """
        path = f"{scope}/providers/Microsoft.Resources/deployments/{name}"
        properties = {
            "mode": "Incremental",
            "template": template,
            "parameters": {name: {"value": value} for name, value in parameters.items()},
        }
        where = {"location": location} if location else {}
        deployment = await self.call("PUT", path, DEPLOYMENTS_VERSION, {**where, "properties": properties})
        while (state := deployment["properties"]["provisioningState"]) in ("Accepted", "Running"):
            await asyncio.sleep(POLL_SECONDS)
            deployment = await self.call("GET", path, DEPLOYMENTS_VERSION)
        if state != "Succeeded":
            told = json.dumps(deployment["properties"].get("error"), indent=2)
            raise RunError(f"The deployment {path} is {state}:\n{told}")
        return {name: output["value"] for name, output in (deployment["properties"].get("outputs") or {}).items()}


def _shown(reply: httpx.Response) -> str:
    try:
        return json.dumps(reply.json(), indent=2)
    except ValueError:
        return reply.text
