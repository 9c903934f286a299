"""kubectl, where it is installed: what people do from a terminal."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi
from tests.emulator.integration.kubernetes.widgets import Widgets, define

PROGRAM = Path(__file__).parents[4] / ".venv-kubectl" / "bin" / "kubectl"
MANIFEST = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: a, namespace: {namespace}}}
data: {{k: {value}}}
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: {namespace}}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: web, image: web:1}}]}}
"""
NAMESPACE = """
apiVersion: v1
kind: Namespace
metadata: {name: full-of-two}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {{name: one, namespace: {namespace}}}
spec: {{containers: [{{name: web, image: web:1}}]}}
"""
WORKER = {"node-role.kubernetes.io/worker": ""}
Kubectl = Callable[..., str]


@pytest.fixture
def kubectl(api: Api, tmp_path: Path) -> Kubectl:
    """Return a function that runs kubectl as an administrator, with its own cache of discovered kinds."""
    return _kubectl(api, tmp_path)


def _kubectl(api: Api, tmp_path: Path) -> Kubectl:
    if not PROGRAM.exists():
        pytest.skip("kubectl is not installed: run `tools/bootstrap kubectl`")
    certificate = str(api.client_certificate("admin", "system:masters"))
    options = [
        f"--server={api.url}",
        f"--certificate-authority={api.authority.certificate_path}",
        f"--client-certificate={certificate}",
        f"--client-key={certificate}",
    ]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def run(*arguments: str, text: str = "", fails: bool = False) -> str:
        command = [str(PROGRAM), *options, *arguments]
        done = subprocess.run(
            command, input=text, env=environment, capture_output=True, text=True, check=False, timeout=50
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stderr if fails else done.stdout

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


def test_kubectl_scales(kubectl: Kubectl, namespace: str) -> None:
    """A scale that expects another number of replicas is refused."""
    kubectl("apply", "-f", "-", text=DEPLOYMENT.format(namespace=namespace))
    scale = ("scale", "deployment/web", "-n", namespace)
    assert kubectl(*scale, "--replicas=4").strip() == "deployment.apps/web scaled"
    assert kubectl("get", "deployment/web", "-n", namespace, "-o", "jsonpath={.spec.replicas}") == "4"
    assert "Expected replicas to be 3, was 4" in kubectl(*scale, "--replicas=5", "--current-replicas=3", fails=True)


def test_kubectl_tells_what_a_user_may_do(kubectl: Kubectl) -> None:
    """Newer programs send the question as protobuf."""
    assert kubectl("auth", "can-i", "get", "pods").strip() == "yes"
    assert "selfsubjectaccessreviews" in kubectl("auth", "can-i", "--list")


def test_kubectl_explains_built_in_kinds(kubectl: Kubectl) -> None:
    """Members at any depth, with their types and texts, one level or all."""
    ports = kubectl("explain", "pod.spec.containers.ports")
    assert "represents a network port in a single container" in ports
    assert re.search(r"containerPort\s+<integer> -required-\n\s+Number of port to expose", ports)
    everything = kubectl("explain", "deployment", "--recursive")
    assert re.search(r"\n\s{12,}containerPort\s+<integer>", everything)
    assert "does not exist" in kubectl("explain", "pod.spec.nothing", fails=True)


@pytest.mark.parametrize("apply", [(), ("--server-side",)], ids=["client side", "server side"])
def test_kubectl_s_dry_run_stores_nothing(kubectl: Kubectl, namespace: str, apply: tuple[str, ...]) -> None:
    """Create, apply, patch, scale, label and delete."""
    manifest, of_it = DEPLOYMENT.format(namespace=namespace), ("deployment/web", "-n", namespace)
    dry = "--dry-run=server"
    for verb in (("create",), ("apply", *apply)):
        assert "server dry run" in kubectl(*verb, "-f", "-", dry, text=manifest)
        assert "NotFound" in kubectl("get", *of_it, fails=True)
    kubectl("apply", *apply, "-f", "-", text=manifest)
    before = kubectl("get", *of_it, "-o", "jsonpath={.metadata.resourceVersion}")
    kubectl("scale", *of_it, "--replicas=7", dry)
    kubectl("patch", *of_it, "-p", '{"spec": {"replicas": 7}}', dry)
    kubectl("label", *of_it, "a=b", dry)
    kubectl("delete", *of_it, dry)
    assert kubectl("get", *of_it, "-o", "jsonpath={.metadata.resourceVersion}") == before


def test_kubectl_applies_on_the_server(kubectl: Kubectl, namespace: str) -> None:
    """Another manager's value is a conflict, until it is forced."""
    first, second = (MANIFEST.format(namespace=namespace, value=value) for value in "vw")
    server_side = ("apply", "--server-side", "-f", "-")
    assert "serverside-applied" in kubectl(*server_side, text=first)
    other = (*server_side, "--field-manager=other")
    assert 'conflict with "kubectl": .data.k' in kubectl(*other, text=second, fails=True)
    kubectl(*other, "--force-conflicts", text=second)
    assert kubectl("get", "configmap/a", "-n", namespace, "-o", "jsonpath={.data.k}") == "w"


@pytest.fixture
def emulated_kubectl(emulated_api: EmulatedApi, tmp_path: Path) -> Kubectl:
    """Return kubectl for the emulated server, where the answer of a real one depends on controllers and nodes."""
    return _kubectl(emulated_api, tmp_path)


@pytest.mark.parametrize("command", ["logs", "exec", "attach", "port-forward"])
def test_kubectl_is_told_at_once_that_no_container_runs(emulated_kubectl: Kubectl, command: str) -> None:
    """Otherwise it would wait a minute for the first pod of the Deployment."""
    emulated_kubectl("apply", "-f", "-", text=DEPLOYMENT.format(namespace="default"))
    emulated_kubectl("apply", "-f", "-", text=POD.format(namespace="default"))
    arguments = {"exec": ("--", "ls"), "port-forward": ("8080:80",)}.get(command, ())
    of_deployment = emulated_kubectl(command, "deployment/web", *arguments, fails=True)
    assert "NotSupportedByLocalAzure: no container runs here" in of_deployment or "(get pods)" in of_deployment
    if command != "port-forward":
        of_pod = emulated_kubectl(command, "one", *arguments, fails=True)
        subresource = {"logs": "log"}.get(command, command)
        assert f"NotSupportedByLocalAzure: no container runs here, so pods have no '{subresource}'" in of_pod


def test_kubectl_deletes_a_namespace_with_objects(emulated_kubectl: Kubectl) -> None:
    """It exits 0 once the namespace is gone."""
    emulated_kubectl("apply", "-f", "-", text=NAMESPACE)
    for value in ("a", "b"):
        manifest = MANIFEST.format(namespace="full-of-two", value=value).replace("name: a", f"name: {value}")
        emulated_kubectl("apply", "-f", "-", text=manifest)
    assert "deleted" in emulated_kubectl("delete", "namespace", "full-of-two")
    assert "NotFound" in emulated_kubectl("get", "namespace", "full-of-two", fails=True)


def test_kubectl_explains_custom_kinds(emulated_kubectl: Kubectl, emulated_api: EmulatedApi) -> None:
    """The real server takes seconds to publish a new schema."""
    define(emulated_api.client(), "explained.example.com", "default")
    spec = emulated_kubectl("explain", "widgets.spec", "--api-version=explained.example.com/v1")
    assert re.search(r"size\s+<integer> -required-", spec)
    assert re.search(r"map\s+<map\[string\]string>", spec)
    metadata = emulated_kubectl("explain", "widgets.metadata", "--api-version=explained.example.com/v1")
    assert re.search(r"ownerReferences\s+<\[\]", metadata)
