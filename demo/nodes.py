"""The cluster from inside: its nodes, read with the kubeconfig that the service hands out."""

import os
from pathlib import Path
from typing import Any

from kubernetes import client, config
from rich.table import Table

ROLE = "node-role.kubernetes.io/"
SECONDS = 30


def write(kubeconfig: bytes, path: Path) -> None:
    """Write a kubeconfig that only its owner may read, as `kubectl` requires."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(kubeconfig)


def read(kubeconfig: Path) -> list[Any]:
    """Return the nodes of the cluster, by role and name.

    The client takes server, authority and client certificate from the file, and the proxy from the environment.
    """
    with config.new_client_from_config(str(kubeconfig)) as connection:  # type: ignore[no-untyped-call]  # only its API is typed
        found = client.CoreV1Api(connection).list_node(_request_timeout=SECONDS).items
    return sorted(found, key=lambda node: (_roles(node), node.metadata.name))


def table(nodes: list[Any]) -> Table:
    """Return what `kubectl get nodes` would show: name, status, roles, version."""
    shown = Table("name", "status", "roles", "version", box=None, header_style="bold", pad_edge=False)
    for node in nodes:
        shown.add_row(node.metadata.name, _status(node), _roles(node), node.status.node_info.kubelet_version)
    return shown


def _roles(node: Any) -> str:
    labels = node.metadata.labels or {}
    return ",".join(sorted(label.removeprefix(ROLE) for label in labels if label.startswith(ROLE)))


def _status(node: Any) -> str:
    ready = next((each.status for each in node.status.conditions or () if each.type == "Ready"), "Unknown")
    status = "Ready" if ready == "True" else "NotReady"
    return f"{status},SchedulingDisabled" if node.spec.unschedulable else status
