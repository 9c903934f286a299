"""The resource provider as Azure Resource Manager calls it: over HTTPS with a client certificate, or with raw bytes."""

import socket
import ssl
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests

from shared.json_object import Json
from tests.api_versions import members
from tests.examples import example
from tests.local_azure import LocalAzure
from tests.patience import PATIENCE_SECONDS, served

NEW, OLD = "2025-07-25", "2020-04-30"
# A version that the local Azure has in its catalogue.
VERSION = "4.19.24"
PROVIDER = "/providers/Microsoft.RedHatOpenShift"
SECRET, PULL_SECRET = "canary-contract-secret", '{"auths": {"quay.io": {"auth": "Y2FuYXJ5OmNvbnRyYWN0"}}}'


@dataclass(frozen=True)
class Provider:
    """One subscription of the resource provider.

    Its clusters name nothing that exists in Azure, so every create fails soon.
    """

    azure: LocalAzure
    subscription_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def subscription(self) -> str:
        """The id of the subscription."""
        return f"/subscriptions/{self.subscription_id}"

    @property
    def list_path(self) -> str:
        """The path of the subscription's clusters."""
        return f"{self.subscription}{PROVIDER}/openShiftClusters"

    @property
    def location(self) -> str:
        """The path of the location, which contains operations, for example."""
        return f"{self.subscription}{PROVIDER}/locations/{self.azure.endpoints['location']}"

    def cluster(self, name: str, group: str = "Group") -> str:
        """Return the id of a cluster."""
        return f"{self.subscription}/resourceGroups/{group}{PROVIDER}/openShiftClusters/{name}"

    def body(self, name: str, version: str = NEW) -> Json:
        """Return the body of a create: the example, with a domain of its own and a pull secret.

        Args:
            name: the cluster's name.
            version: the `api-version` of the request. It ignores members of the example that it does not know.
        """
        body: Json = example(
            f"{NEW}/create.json",
            SUBSCRIPTION_ID=self.subscription_id,
            LOCATION=self.azure.endpoints["location"],
            RESOURCE_GROUP="network",
            VNET="vnet",
            CLUSTER=name,
            CLIENT_ID=str(uuid.uuid4()),
            CLIENT_SECRET=SECRET,
            OPENSHIFT_VERSION=VERSION,
        )
        body["properties"]["clusterProfile"] |= {
            "domain": f"{name}-{self.subscription_id[:8]}",
            "pullSecret": PULL_SECRET,
        }
        if "properties.networkProfile.softwareDefinedNetwork" in members(version):
            body["properties"]["networkProfile"]["softwareDefinedNetwork"] = "OVNKubernetes"
        return body

    def register(self, state: str = "Registered") -> None:
        """Report a state of the subscription to the resource provider, as ARM does."""
        body = {"state": state, "properties": {"tenantId": self.azure.endpoints["tenant_id"]}}
        self.send("PUT", self.subscription, json=body, version="2.0").raise_for_status()

    def send(
        self, method: str, path: str, *, version: str = NEW, certificate: str = "rp_client", **more: Any
    ) -> requests.Response:
        """Send a request, again if the service was too busy; return the answer.

        Args:
            method: HTTP method.
            path: a path, or a whole URL with its query.
            version: `api-version`, for a path.
            certificate: the client certificate, by its name in `endpoints.json` without `_cert`.
            more: further arguments of `requests`.
        """
        return served(lambda: self.send_once(method, path, version=version, certificate=certificate, **more))

    def send_once(
        self, method: str, path: str, *, version: str = NEW, certificate: str = "rp_client", **more: Any
    ) -> requests.Response:
        """Send a request; return the answer, which may be a 503.

        Args:
            method: HTTP method.
            path: a path, or a whole URL with its query.
            version: `api-version`, for a path.
            certificate: the client certificate, by its name in `endpoints.json` without `_cert`.
            more: further arguments of `requests`.
        """
        own = self.azure.endpoints
        address = path if "://" in path else f"{own['rp']}{path}?api-version={version}"
        pair = (own[f"{certificate}_cert"], own[f"{certificate}_key"])
        with requests.Session() as session:
            session.trust_env = False
            return session.request(
                method, address, cert=pair, verify=own["rp_ca_bundle"], timeout=PATIENCE_SECONDS, **more
            )

    def send_raw(self, method: str, path: str, body: bytes = b"", *, named: str = "") -> tuple[int, str]:
        """Send a path and a `Host` unchanged, which a client library would normalize; return status and body.

        Args:
            method: HTTP method.
            path: the path, without its query.
            body: the body, which is announced as JSON.
            named: the `Host`; by default the true one.
        """
        return served(lambda: self._send_raw(method, path, body, named), lambda answer: answer[0])

    def _send_raw(self, method: str, path: str, body: bytes, named: str) -> tuple[int, str]:
        own = self.azure.endpoints
        address = urlsplit(own["rp"])
        host, port = address.hostname or "", address.port or 0
        context = ssl.create_default_context(cafile=own["rp_ca_bundle"])
        context.load_cert_chain(own["rp_client_cert"], own["rp_client_key"])
        head = (
            f"{method} {path}?api-version={NEW} HTTP/1.1\r\nHost: {named or f'{host}:{port}'}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with (
            socket.create_connection((host, port), timeout=PATIENCE_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as connection,
        ):
            connection.sendall(head.encode() + body)
            answer = b""
            while block := connection.recv(65536):
                answer += block
        return int(answer.split(maxsplit=2)[1]), answer.partition(b"\r\n\r\n")[2].decode()
