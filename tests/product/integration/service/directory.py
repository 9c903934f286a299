"""Changes that a cluster's owner makes in Entra ID to the application that the cluster uses: secrets come and go."""

import requests

from demo.customer import Customer
from shared.json_object import Json
from tests.patience import PATIENCE_SECONDS

GRAPH = "https://graph.microsoft.com/v1.0"


class Application:
    """An application, for the customer who made it."""

    def __init__(self, customer: Customer, client_id: str) -> None:
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.proxies.update(customer.options["proxies"])
        self._session.verify = customer.options["connection_verify"]
        token = customer.credential.get_token("https://graph.microsoft.com/.default").token
        self._session.headers["Authorization"] = f"Bearer {token}"
        found = self._send("GET", f"applications?$filter=appId eq '{client_id}'")["value"]
        self._path = f"applications/{found[0]['id']}"

    def _send(self, method: str, path: str, body: Json | None = None) -> Json:
        answer = self._session.request(method, f"{GRAPH}/{path}", json=body, timeout=PATIENCE_SECONDS)
        assert answer.ok, answer.text
        document: Json = answer.json() if answer.content else {}
        return document

    def secrets(self) -> list[str]:
        """Return the ids of the application's secrets."""
        return [each["keyId"] for each in self._send("GET", self._path)["passwordCredentials"]]

    def add_secret(self) -> str:
        """Add a secret; return it."""
        return str(self._send("POST", f"{self._path}/addPassword", {})["secretText"])

    def revoke(self, key_id: str) -> None:
        """Remove a secret, so that it no longer authenticates."""
        self._send("POST", f"{self._path}/removePassword", {"keyId": key_id})
