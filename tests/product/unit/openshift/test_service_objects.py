"""The service's own objects in a cluster: logging, and the workaround for the network driver."""

import base64
import re
from itertools import pairwise

import pytest

from shared.json_object import Json
from shared.openshift import ifreload_objects, logging_objects
from shared.openshift.logging_objects import Logging
from tests.product.unit.openshift import objects
from tests.product.unit.product_world import CLUSTER_ID

GIVEN = Logging(CLUSTER_ID, "eastus", "arosvc.azurecr.io", "DiagnosticsProd", "2.2", "certificate", "key")
LOGGING = logging_objects.objects(GIVEN, objects.privileged())
IFRELOAD = ifreload_objects.objects("arosvc.azurecr.io", objects.privileged())


def one(found: list[Json], kind: str) -> Json:
    """Return the object of a kind."""
    (match,) = [each for each in found if each["kind"] == kind]
    return match


def test_logging_is_complete_and_each_object_comes_after_what_it_needs() -> None:
    """As in the inventory of June 2020."""
    assert [(each["kind"], each["metadata"]["name"]) for each in LOGGING] == [
        ("Namespace", "openshift-azure-logging"),
        ("ConfigMap", "fluent-config"),
        ("Secret", "certificates"),
        ("ServiceAccount", "geneva"),
        ("SecurityContextConstraints", "privileged-genevalogging"),
        ("DaemonSet", "mdsd"),
    ]
    inside = [each for each in LOGGING if each["kind"] not in ("Namespace", "SecurityContextConstraints")]
    assert {each["metadata"]["namespace"] for each in inside} == {"openshift-azure-logging"}


def test_ifreload_is_complete() -> None:
    """It runs in the nodes' own network."""
    assert [(each["kind"], each["metadata"]["name"]) for each in IFRELOAD] == [
        ("Namespace", "openshift-azure-ifreload"),
        ("SecurityContextConstraints", "privileged-ifreload"),
        ("DaemonSet", "ifreload"),
    ]
    spec = one(IFRELOAD, "DaemonSet")["spec"]["template"]["spec"]
    assert spec["hostNetwork"] is True
    assert spec["containers"] == [
        {
            "name": "ifreload",
            "image": "arosvc.azurecr.io/ifreload:109810fe",
            "securityContext": {"privileged": True},
        }
    ]


@pytest.mark.parametrize(
    ("found", "user"),
    [
        (LOGGING, "system:serviceaccount:openshift-azure-logging:geneva"),
        (IFRELOAD, "system:serviceaccount:openshift-azure-ifreload:default"),
    ],
)
def test_the_constraints_are_the_clusters_own_for_one_user(found: list[Json], user: str) -> None:
    """Nobody gains rights by them, and the original's identity is not copied."""
    copied, original = one(found, "SecurityContextConstraints"), objects.privileged()
    assert (copied["users"], copied["groups"]) == ([user], [])
    assert set(copied["metadata"]) == {"name"}
    for member in ("metadata", "users", "groups"):
        copied.pop(member)
        original.pop(member)
    assert copied == original


@pytest.mark.parametrize("found", [LOGGING, IFRELOAD])
def test_pods_run_on_every_node(found: list[Json]) -> None:
    """Whatever taints a node has, and whatever default selector the customer sets."""
    spec = one(found, "DaemonSet")["spec"]
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
    assert [(each["operator"], each["effect"]) for each in spec["template"]["spec"]["tolerations"]] == [
        ("Exists", "NoExecute"),
        ("Exists", "NoSchedule"),
    ]
    metadata = one(found, "Namespace")["metadata"]
    assert metadata["annotations"] == {"openshift.io/node-selector": ""}
    assert metadata["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_four_containers_read_and_send() -> None:
    """Their images come from the service's registry."""
    template = one(LOGGING, "DaemonSet")["spec"]["template"]
    assert template["metadata"]["annotations"] == {"scheduler.alpha.kubernetes.io/critical-pod": ""}
    assert template["spec"]["serviceAccountName"] == "geneva"
    assert {each["name"]: each["image"] for each in template["spec"]["containers"]} == {
        "fluentbit-journal": "arosvc.azurecr.io/fluentbit:1.3.9-1",
        "fluentbit-containers": "arosvc.azurecr.io/fluentbit:1.3.9-1",
        "fluentbit-audit": "arosvc.azurecr.io/fluentbit:1.3.9-1",
        "mdsd": "arosvc.azurecr.io/genevamdsd:master_285",
    }


def test_every_mount_has_its_volume_and_every_volume_a_mount() -> None:
    """Otherwise the pod would not start, or would have unused volumes."""
    spec = one(LOGGING, "DaemonSet")["spec"]["template"]["spec"]
    mounted = {mount["name"] for each in spec["containers"] for mount in each["volumeMounts"]}
    assert mounted == {volume["name"] for volume in spec["volumes"]}
    sources = {volume["name"]: volume for volume in spec["volumes"]}
    assert sources["log"]["hostPath"]["path"] == "/var/log"
    assert sources["fluent"]["hostPath"]["path"] == "/var/lib/fluent"
    assert sources["machine-id"]["hostPath"]["path"] == "/etc/machine-id"
    assert sources["fluent-config"]["configMap"]["name"] == one(LOGGING, "ConfigMap")["metadata"]["name"]
    assert sources["certificates"]["secret"]["secretName"] == one(LOGGING, "Secret")["metadata"]["name"]


def test_mdsd_knows_its_account_and_whose_logs_it_sends() -> None:
    """The files of the certificate are where it is mounted."""
    mdsd = one(LOGGING, "DaemonSet")["spec"]["template"]["spec"]["containers"][-1]
    environment = {each["name"]: each.get("value", each.get("valueFrom")) for each in mdsd["env"]}
    assert environment == {
        "MONITORING_GCS_ENVIRONMENT": "DiagnosticsProd",
        "MONITORING_GCS_ACCOUNT": "AROClusterLogs",
        "MONITORING_GCS_NAMESPACE": "AROClusterLogs",
        "MONITORING_GCS_REGION": "eastus",
        "MONITORING_GCS_CERT_CERTFILE": "/etc/mdsd.d/secret/gcscert.pem",
        "MONITORING_GCS_CERT_KEYFILE": "/etc/mdsd.d/secret/gcskey.pem",
        "MONITORING_CONFIG_VERSION": "2.2",
        "MONITORING_USE_GENEVA_CONFIG_SERVICE": "true",
        "MONITORING_TENANT": "eastus",
        "MONITORING_ROLE": "cluster",
        "MONITORING_ROLE_INSTANCE": {"fieldRef": {"fieldPath": "spec.nodeName"}},
        "RESOURCE_ID": CLUSTER_ID,
        "SUBSCRIPTION_ID": CLUSTER_ID.split("/")[2],
        "RESOURCE_GROUP": CLUSTER_ID.split("/")[4],
        "RESOURCE_NAME": CLUSTER_ID.split("/")[-1],
    }
    assert mdsd["volumeMounts"][0]["mountPath"] == "/etc/mdsd.d/secret"
    data = one(LOGGING, "Secret")["data"]
    assert {name: base64.b64decode(text).decode() for name, text in data.items()} == {
        "gcscert.pem": "certificate",
        "gcskey.pem": "key",
    }
    assert mdsd["resources"] == {
        "requests": {"cpu": "10m", "memory": "100Mi"},
        "limits": {"cpu": "200m", "memory": "1000Mi"},
    }


def test_a_key_is_not_shown_where_the_value_is() -> None:
    """Tracebacks and logs show values."""
    assert "key='" not in repr(GIVEN)


def sections(name: str) -> list[tuple[str, dict[str, str]]]:
    """Read a configuration of fluent-bit: sections with their members, one of each name."""
    found: list[tuple[str, dict[str, str]]] = []
    for line in one(LOGGING, "ConfigMap")["data"][name].splitlines():
        if line.startswith("["):
            found.append((line.strip("[]"), {}))
        elif line.startswith("    "):
            key, value = line.split(None, 1)
            found[-1][1][key] = value
        else:
            assert not line or line.startswith("#"), line
    return found


def test_each_container_reads_its_configuration() -> None:
    """The names in the ConfigMap are the files that the containers are started with."""
    data = one(LOGGING, "ConfigMap")["data"]
    assert sorted(data) == ["audit.conf", "containers.conf", "journal.conf", "parsers.conf"]
    for container in one(LOGGING, "DaemonSet")["spec"]["template"]["spec"]["containers"][:-1]:
        folder, name = container["args"][1].rsplit("/", 1)
        assert container["volumeMounts"][0]["mountPath"] == folder
        assert name in data


@pytest.mark.parametrize("name", ["journal.conf", "containers.conf", "audit.conf"])
def test_a_configuration_reads_one_source_and_forwards_it_to_mdsd(name: str) -> None:
    """Each stores its position on the node, uses existing parsers, and sends to the port that mdsd listens on."""
    found = sections(name)
    assert [kind for kind, _ in found if kind in ("INPUT", "OUTPUT")] == ["INPUT", "OUTPUT"]
    source = next(members for kind, members in found if kind == "INPUT")
    assert source["Path"].startswith("/var/log/")
    assert source["DB"].startswith("/var/lib/fluent/")
    assert {members["Match"] for kind, members in found if kind == "FILTER"} == {source["Tag"]}
    parsers = {members["Name"] for _, members in sections("parsers.conf")}
    assert {members["Parser"] for _, members in found if "Parser" in members} <= parsers
    mdsd = one(LOGGING, "DaemonSet")["spec"]["template"]["spec"]["containers"][-1]
    assert found[-1] == ("OUTPUT", {"Name": "forward", "Match": "*", "Host": "127.0.0.1", "Port": "24224"})
    assert ("-f", "24224") in pairwise(mdsd["args"])


def test_no_two_configurations_share_a_place_or_a_tag() -> None:
    """They would read each other's positions."""
    inputs = [dict(sections(f"{name}.conf"))["INPUT"] for name in ("journal", "containers", "audit")]
    for member in ("DB", "Tag"):
        assert len({each[member] for each in inputs}) == 3


def expression(parser: str) -> re.Pattern[str]:
    """Return a parser's expression in Python's syntax."""
    members = next(members for _, members in sections("parsers.conf") if members["Name"] == parser)
    return re.compile(members["Regex"].replace("(?<", "(?P<"))


def test_a_line_of_a_container_is_taken_apart() -> None:
    """In the format of CRI-O."""
    found = expression("crio").match("2026-03-01T09:00:00.123456789+00:00 stderr F E0301 it's on fire")
    assert found is not None
    assert found.groupdict() == {
        "TIMESTAMP": "2026-03-01T09:00:00.123456789+00:00",
        "STREAM": "stderr",
        "MESSAGE": "E0301 it's on fire",
    }


def test_the_name_of_a_containers_file_is_taken_apart() -> None:
    """In the format of the kubelet's links; names of pods and containers contain dashes."""
    container_id = "0123456789abcdef" * 4
    path = f"/var/log/containers/etcd-m-0_openshift-etcd_etcd-health-monitor-{container_id}.log"
    found = expression("containerpath").match(path)
    assert found is not None
    assert found.groupdict() == {
        "POD": "etcd-m-0",
        "NAMESPACE": "openshift-etcd",
        "CONTAINER": "etcd-health-monitor",
        "CONTAINER_ID": container_id,
    }


@pytest.mark.parametrize(
    ("namespace", "want"),
    [
        *((name, True) for name in ("default", "openshift", "openshift-etcd", "kube-system")),
        *((name, False) for name in ("customers", "my-openshift", "default2", "openshiftx", "kubernetes")),
    ],
)
def test_logs_of_customers_go_nowhere(namespace: str, want: bool) -> None:
    """Only OpenShift's own namespaces concern the service."""
    rule = next(members["Regex"] for kind, members in sections("containers.conf") if members.get("Name") == "grep")
    field, _, pattern = rule.partition(" ")
    assert field == "NAMESPACE"
    assert bool(re.search(pattern, namespace)) is want
