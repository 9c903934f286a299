"""kubectl, where it is installed: what people do from a terminal."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import Api
from tests.emulator.integration.kubernetes.widgets import Widgets

MANIFEST = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: a, namespace: {namespace}}}
data: {{k: {value}}}
"""
WORKER = {"node-role.kubernetes.io/worker": ""}
Kubectl = Callable[..., str]


@pytest.fixture
def kubectl(api: Api, tmp_path: Path) -> Kubectl:
    """Return a function that runs kubectl as an administrator, with its own cache of discovered kinds."""
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed")
    certificate = str(api.client_certificate("admin", "system:masters"))
    options = [
        f"--server={api.url}",
        f"--certificate-authority={api.authority.certificate_path}",
        f"--client-certificate={certificate}",
        f"--client-key={certificate}",
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def run(*arguments: str, text: str = "") -> str:
        command = [program, *options, *arguments]
        done = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_kubectl_applies_reads_patches_and_deletes(kubectl: Kubectl, namespace: str) -> None:
    """A manifest is applied twice, a strategic merge patch is sent, and a deletion is waited for."""
    first = kubectl("apply", "-f", "-", text=MANIFEST.format(namespace=namespace, value="v"))
    second = kubectl("apply", "-f", "-", text=MANIFEST.format(namespace=namespace, value="w"))
    assert (first.strip(), second.strip()) == ("configmap/a created", "configmap/a configured")
    of_it = ("-n", namespace, "configmap", "a")
    assert kubectl("get", *of_it, "-o", "jsonpath={.data.k}") == "w"
    kubectl("patch", *of_it, "-p", '{"data": {"more": "x"}}')
    assert "more" in kubectl("describe", *of_it)
    kubectl("delete", *of_it)
    assert kubectl("get", "configmap", "-n", namespace, "-l", "none=such", "-o", "name") == ""


def test_kubectl_lists_nodes_and_kinds(kubectl: Kubectl) -> None:
    """Short names work as well."""
    assert "namespace/default" in kubectl("get", "ns", "-o", "name")
    assert "deployments.apps" in kubectl("api-resources", "-o", "name")


def test_kubectl_prints_the_columns_of_the_server(kubectl: Kubectl, admin: httpx.Client, widgets: Widgets) -> None:
    """The columns are those of built-in and custom kinds, and `-o wide` shows more of them."""
    admin.post("/api/v1/nodes", json={"metadata": {"name": "printed", "labels": WORKER}})
    header, row = kubectl("get", "node", "printed").splitlines()
    assert header.split() == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert row.split()[:3] == ["printed", "Unknown", "worker"]
    wide = kubectl("get", "node", "printed", "-o", "wide").splitlines()[0].split()
    assert wide[5:] == ["INTERNAL-IP", "EXTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"]
    admin.post(widgets.path, json=widgets.widget("w", size=1)).raise_for_status()
    header, row = kubectl("get", f"widgets.{widgets.group}", "-A").splitlines()
    assert header.split() == ["NAMESPACE", "NAME", "AGE"]
    assert row.split()[1] == "w"
