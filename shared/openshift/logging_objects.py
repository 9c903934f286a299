"""The service's logging in a cluster: fluent-bit reads each node's logs, mdsd sends them to the service's account.

Source: ARO-RP `pkg/genevalogging/genevalogging.go`. The configurations of fluent-bit are in `fluentbit/`.
"""

import base64
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from shared.arm import resource_id
from shared.json_object import Json
from shared.openshift import privileged_objects

_NAMESPACE = "openshift-azure-logging"
_SERVICE_ACCOUNT = "geneva"
_ACCOUNT = "AROClusterLogs"
_SOURCES = ("journal", "containers", "audit")
_FORWARD_PORT = "24224"
_ROOT = {"privileged": True, "runAsUser": 0}
_CERTIFICATES = "/etc/mdsd.d/secret"
# Where the image expects fluent-bit and its configuration.
_FLUENT_BIT = "/opt/td-agent-bit/bin/td-agent-bit"
_CONFIGURATIONS = "/etc/td-agent-bit"


@dataclass(frozen=True)
class Logging:
    """The values that differ between services and between clusters.

    Attributes:
        cluster_id: resource id of the cluster.
        region: region of the service.
        registry: host name of the registry that has the images.
        environment: environment of the logging service, `DiagnosticsProd` in Azure.
        config_version: version of the account's configuration.
        certificate: certificate of the account, PEM, leaf first.
        key: its key, PEM.
    """

    cluster_id: str
    region: str
    registry: str
    environment: str
    config_version: str
    certificate: str
    key: str = field(repr=False)


def objects(values: Logging, privileged: Json) -> list[Json]:
    """Return every object, in the order in which they depend on each other.

    Args:
        values: the values to fill in.
        privileged: the cluster's own constraints `privileged`.
    """
    certificates = {"gcscert.pem": _encoded(values.certificate), "gcskey.pem": _encoded(values.key)}
    return [
        privileged_objects.namespace(_NAMESPACE),
        _named("ConfigMap", "fluent-config", data=configurations()),
        _named("Secret", "certificates", type="Opaque", data=certificates),
        _named("ServiceAccount", _SERVICE_ACCOUNT),
        privileged_objects.constraints("privileged-genevalogging", privileged, f"{_NAMESPACE}:{_SERVICE_ACCOUNT}"),
        privileged_objects.daemon_set(
            "mdsd",
            _NAMESPACE,
            {
                "serviceAccountName": _SERVICE_ACCOUNT,
                "volumes": _volumes(),
                "containers": [*(_fluent_bit(source, values.registry) for source in _SOURCES), _mdsd(values)],
            },
            annotations={"scheduler.alpha.kubernetes.io/critical-pod": ""},
        ),
    ]


@cache
def configurations() -> dict[str, str]:
    """Return fluent-bit's configurations: name of the file to its text."""
    folder = Path(__file__).parent / "fluentbit"
    return {f"{name}.conf": (folder / f"{name}.conf").read_text("ascii") for name in (*_SOURCES, "parsers")}


def _named(kind: str, name: str, **members: object) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": _NAMESPACE}, **members}


def _volumes() -> list[Json]:
    hosts = {"log": "/var/log", "fluent": "/var/lib/fluent", "machine-id": "/etc/machine-id"}
    return [
        *({"name": name, "hostPath": {"path": path}} for name, path in hosts.items()),
        {"name": "fluent-config", "configMap": {"name": "fluent-config"}},
        {"name": "certificates", "secret": {"secretName": "certificates"}},
    ]


def _fluent_bit(source: str, registry: str) -> Json:
    """Return the container that reads one source. It stores its position on the node; the journal needs its id."""
    return {
        "name": f"fluentbit-{source}",
        "image": f"{registry}/fluentbit:1.3.9-1",
        "command": [_FLUENT_BIT],
        "args": ["-c", f"{_CONFIGURATIONS}/{source}.conf"],
        "securityContext": _ROOT,
        "volumeMounts": [
            {"name": "fluent-config", "mountPath": _CONFIGURATIONS, "readOnly": True},
            {"name": "machine-id", "mountPath": "/etc/machine-id", "readOnly": True},
            {"name": "log", "mountPath": "/var/log", "readOnly": True},
            {"name": "fluent", "mountPath": "/var/lib/fluent"},
        ],
    }


def _mdsd(values: Logging) -> Json:
    return {
        "name": "mdsd",
        "image": f"{values.registry}/genevamdsd:master_285",
        "command": ["/usr/sbin/mdsd"],
        "args": ["-A", "-D", "-f", _FORWARD_PORT, "-r", "/var/run/mdsd/default"],
        "env": [
            *({"name": name, "value": value} for name, value in _environment(values).items()),
            {"name": "MONITORING_ROLE_INSTANCE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        ],
        "resources": {
            "requests": {"cpu": "10m", "memory": "100Mi"},
            "limits": {"cpu": "200m", "memory": "1000Mi"},
        },
        "securityContext": _ROOT,
        "volumeMounts": [{"name": "certificates", "mountPath": _CERTIFICATES, "readOnly": True}],
    }


def _environment(values: Logging) -> dict[str, str]:
    cluster = resource_id.parse(values.cluster_id)
    return {
        "MONITORING_GCS_ENVIRONMENT": values.environment,
        "MONITORING_GCS_ACCOUNT": _ACCOUNT,
        "MONITORING_GCS_NAMESPACE": _ACCOUNT,
        "MONITORING_GCS_REGION": values.region,
        "MONITORING_GCS_CERT_CERTFILE": f"{_CERTIFICATES}/gcscert.pem",
        "MONITORING_GCS_CERT_KEYFILE": f"{_CERTIFICATES}/gcskey.pem",
        "MONITORING_CONFIG_VERSION": values.config_version,
        "MONITORING_USE_GENEVA_CONFIG_SERVICE": "true",
        "MONITORING_TENANT": values.region,
        "MONITORING_ROLE": "cluster",
        "RESOURCE_ID": values.cluster_id,
        "SUBSCRIPTION_ID": cluster.subscription_id,
        "RESOURCE_GROUP": cluster.resource_group,
        "RESOURCE_NAME": cluster.name,
    }


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode("ascii")).decode("ascii")
