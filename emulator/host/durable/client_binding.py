"""The durable client binding: the JSON text that a function with a durable client receives."""

import json
from dataclasses import dataclass

_PLACEHOLDER = "INSTANCEID"


@dataclass(frozen=True)
class ManagementAddress:
    """The address of the management API, and the key that opens it."""

    host_name: str
    hub_name: str
    system_key: str
    rpc_base_url: str

    @property
    def base_url(self) -> str:
        """The public base URL, without a trailing slash; plain HTTP only for localhost with a port."""
        scheme = "http" if self.host_name.startswith("localhost:") else "https"
        return f"{scheme}://{self.host_name}/runtime/webhooks/durabletask"

    def instance_urls(self, instance_id: str) -> dict[str, str]:
        """Return the URLs that manage one instance, in the order of the binding."""
        base, query = f"{self.base_url}/instances/{instance_id}", self._query
        return {
            "id": instance_id,
            "statusQueryGetUri": f"{base}?{query}",
            "sendEventPostUri": f"{base}/raiseEvent/{{eventName}}?{query}",
            "terminatePostUri": f"{base}/terminate?reason={{text}}&{query}",
            "rewindPostUri": f"{base}/rewind?reason={{text}}&{query}",
            "purgeHistoryDeleteUri": f"{base}?{query}",
            "restartPostUri": f"{base}/restart?{query}",
            "suspendPostUri": f"{base}/suspend?reason={{text}}&{query}",
            "resumePostUri": f"{base}/resume?reason={{text}}&{query}",
        }

    @property
    def _query(self) -> str:
        return f"taskHub={self.hub_name}&connection=Storage&code={self.system_key}"

    def binding(self) -> str:
        """Return the binding's JSON text, with keys in the real host's order and nulls included."""
        creation = f"{self.base_url}/orchestrators/{{functionName}}[/{{instanceId}}]"
        wait = "timeout={timeoutInSeconds}&pollingInterval={intervalInSeconds}"
        return json.dumps(
            {
                "taskHubName": self.hub_name,
                "connectionName": None,
                "creationUrls": {
                    "createNewInstancePostUri": f"{creation}?code={self.system_key}",
                    "createAndWaitOnNewInstancePostUri": f"{creation}?{wait}&code={self.system_key}",
                },
                "managementUrls": self.instance_urls(_PLACEHOLDER),
                "baseUrl": self.base_url,
                "requiredQueryStringParameters": f"code={self.system_key}",
                "rpcBaseUrl": self.rpc_base_url,
                "httpBaseUrl": None,
            }
        )
