"""A cluster's API as its administrator uses it, with the kubeconfig that the service returns."""

import base64
from pathlib import Path

import requests
import yaml

from demo.customer import Customer, admin_kubeconfig
from shared.json_object import Json
from tests.patience import PATIENCE_SECONDS

MACHINES = "/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines"
MACHINE_SETS = MACHINES.removesuffix("s") + "sets"
WORKER = "machine.openshift.io/cluster-api-machine-role=worker"


class KubernetesApi:
    """The objects of a cluster, by path."""

    def __init__(self, customer: Customer, folder: Path) -> None:
        kubeconfig = yaml.safe_load(admin_kubeconfig(customer))
        user, cluster = kubeconfig["users"][0]["user"], kubeconfig["clusters"][0]["cluster"]
        self._server = cluster["server"]
        pair = folder / f"{customer.cluster}.pem"
        texts = (user["client-certificate-data"], user["client-key-data"])
        pair.write_bytes(b"\n".join(base64.b64decode(text) for text in texts))
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.proxies.update(customer.options["proxies"])
        self._session.verify = customer.options["connection_verify"]
        if "certificate-authority-data" in cluster:
            authority = folder / f"{customer.cluster}-ca.pem"
            authority.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
            self._session.verify = str(authority)
        self._session.cert = str(pair)

    def _send(self, method: str, path: str, body: Json | None = None) -> Json:
        headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
        answer = self._session.request(
            method, self._server + path, json=body, headers=headers, timeout=PATIENCE_SECONDS
        )
        assert answer.ok, answer.text
        document: Json = answer.json()
        return document

    def answer(self, path: str) -> requests.Response:
        """GET a path on a connection of its own, each of which reaches another API server; return the answer."""
        return self._session.get(self._server + path, headers={"Connection": "close"}, timeout=PATIENCE_SECONDS)

    def get(self, path: str) -> Json:
        """Return an object."""
        return self._send("GET", path)

    def list(self, path: str) -> list[Json]:
        """Return the objects of a kind."""
        items: list[Json] = self._send("GET", path)["items"]
        return items

    def patch(self, path: str, change: Json) -> None:
        """Merge a change into an object."""
        self._send("PATCH", path, change)

    def create(self, path: str, obj: Json) -> None:
        """Create an object of a kind."""
        self._send("POST", path, obj)

    def delete(self, path: str) -> None:
        """Delete an object."""
        self._send("DELETE", path)

    def secrets(self) -> dict[tuple[str, str], dict[str, str]]:
        """Return the decoded values of every Secret, by namespace and name."""
        return {
            (one["metadata"]["namespace"], one["metadata"]["name"]): {
                name: base64.b64decode(value).decode(errors="replace")
                for name, value in (one.get("data") or {}).items()
            }
            for one in self.list("/api/v1/secrets")
        }

    def degraded(self) -> dict[str, str]:
        """Return the messages of the degraded operators, by name."""
        return {
            one["metadata"]["name"]: condition["message"]
            for one in self.list("/apis/config.openshift.io/v1/clusteroperators")
            for condition in one["status"]["conditions"]
            if (condition["type"], condition["status"]) == ("Degraded", "True")
        }

    def workers(self) -> dict[str, str]:
        """Return the phase of each worker machine."""
        found = self.list(f"{MACHINES}?labelSelector={WORKER}")
        return {one["metadata"]["name"]: (one.get("status") or {}).get("phase", "") for one in found}

    def scale_up(self) -> None:
        """Ask for one more worker."""
        one = self.list(MACHINE_SETS)[0]
        replicas = one["spec"]["replicas"] + 1
        self.patch(f"{MACHINE_SETS}/{one['metadata']['name']}", {"spec": {"replicas": replicas}})
