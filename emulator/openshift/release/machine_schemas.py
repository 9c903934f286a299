"""The schemas of the kinds of machine-api and of the machine config operator: all members of their specs.

From the definitions in https://github.com/openshift/api (`machine/v1`, `machine/v1beta1`, `machineconfiguration/v1`).
"""

from collections.abc import Mapping
from typing import Any

from emulator.openshift.kubernetes.objects.schema import INT_OR_STRING, PRESERVE

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
SWITCH: Json = {"type": "boolean"}
ANYTHING: Json = {"type": "object", PRESERVE: True}
AMOUNT: Json = {INT_OR_STRING: True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
DURATION = "([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"
TLS_VERSIONS = ("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13")


def closed(properties: Json, *required: str, **more: Any) -> Json:
    """Return the schema of an object that has no other members; others are dropped.

    Args:
        properties: the schemas of its members.
        required: names of the members that it must have.
        more: further members of the schema.
    """
    schema = {"type": "object", "properties": properties} | more
    return schema | ({"required": list(required)} if required else {})


def items(schema: Json, **more: Any) -> Json:
    """Return the schema of a list.

    Args:
        schema: the schema of its items.
        more: further members of the schema.
    """
    return {"type": "array", "items": schema} | more


def one_of(*values: str) -> Json:
    """Return the schema of a text that is one of these."""
    return TEXT | {"enum": list(values)}


TEXTS = items(TEXT)
LABELS: Json = {"type": "object", "additionalProperties": TEXT}
SELECTOR = closed(
    {
        "matchLabels": LABELS,
        "matchExpressions": items(closed({"key": TEXT, "operator": TEXT, "values": TEXTS}, "key", "operator")),
    }
)
REFERENCE = closed(
    dict.fromkeys(("apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"), TEXT)
)
OWNER = closed(
    dict.fromkeys(("apiVersion", "kind", "name", "uid"), TEXT) | {"blockOwnerDeletion": SWITCH, "controller": SWITCH},
    *("apiVersion", "kind", "name", "uid"),
)
METADATA = closed(
    {"annotations": LABELS, "labels": LABELS, "ownerReferences": items(OWNER)}
    | dict.fromkeys(("generateName", "name", "namespace"), TEXT)
)
HOOK = closed(
    {
        "name": TEXT | {"minLength": 3, "maxLength": 256},
        "owner": TEXT | {"minLength": 3, "maxLength": 512},
    },
    "name",
    "owner",
)
TAINT = closed(
    {"effect": TEXT, "key": TEXT, "value": TEXT, "timeAdded": TEXT | {"format": "date-time"}}, "effect", "key"
)
MACHINE = closed(
    {
        "authoritativeAPI": TEXT,
        "lifecycleHooks": closed({"preDrain": items(HOOK), "preTerminate": items(HOOK)}),
        "metadata": METADATA,
        "providerID": TEXT,
        "providerSpec": closed({"value": ANYTHING}),
        "taints": items(TAINT),
    }
)
# The only type of machines that a control plane's set makes so far, whose name is also that of the member.
_MACHINES = "machines_v1beta1_machine_openshift_io"
# Only Azure's places of machines have a schema here.
_PLACES = closed(
    {"platform": TEXT, "azure": items(closed({"zone": TEXT, "subnet": TEXT | {"maxLength": 80}}, "zone"))}
    | dict.fromkeys(("aws", "gcp", "nutanix", "openstack", "vsphere"), items(ANYTHING)),
    "platform",
)
CONTROL_PLANE_TEMPLATE = closed(
    {
        "machineType": one_of(_MACHINES),
        _MACHINES: closed(
            {
                "failureDomains": _PLACES,
                "metadata": closed({"annotations": LABELS, "labels": LABELS}, "labels"),
                "spec": MACHINE,
            },
            "metadata",
            "spec",
        ),
    },
    "machineType",
)
UNHEALTHY = closed(
    {
        "type": TEXT | {"minLength": 1},
        "status": TEXT | {"minLength": 1},
        "timeout": TEXT | {"pattern": f"^{DURATION}"},
    }
)
TLS_PROFILE = closed(
    {
        "type": one_of("Old", "Intermediate", "Modern", "Custom"),
        "old": closed({}, nullable=True),
        "intermediate": closed({}, nullable=True),
        "modern": closed({}, nullable=True),
        "custom": closed({"ciphers": TEXTS, "minTLSVersion": one_of(*TLS_VERSIONS)}, nullable=True),
    }
)
# The schema of the spec, by kind.
SPECS: Mapping[str, Json] = {
    "Machine.machine.openshift.io": MACHINE,
    "MachineSet.machine.openshift.io": closed(
        {
            "authoritativeAPI": TEXT,
            "deletePolicy": one_of("Random", "Newest", "Oldest"),
            "minReadySeconds": NUMBER,
            "replicas": NUMBER | {"default": 1},
            "selector": SELECTOR,
            "template": closed({"metadata": METADATA, "spec": MACHINE}),
        }
    ),
    "ControlPlaneMachineSet.machine.openshift.io": closed(
        {
            "machineNamePrefix": TEXT | {"minLength": 1, "maxLength": 245},
            "replicas": NUMBER | {"default": 3, "enum": [3, 5]},
            "selector": SELECTOR,
            "state": one_of("Active", "Inactive") | {"default": "Inactive"},
            "strategy": closed(
                {"type": one_of("RollingUpdate", "OnDelete") | {"default": "RollingUpdate"}},
                default={"type": "RollingUpdate"},
            ),
            "template": CONTROL_PLANE_TEMPLATE,
        },
        "replicas",
        "selector",
        "template",
    ),
    "MachineHealthCheck.machine.openshift.io": closed(
        {
            "maxUnhealthy": AMOUNT | {"default": "100%", "pattern": "^((100|[0-9]{1,2})%|[0-9]+)$"},
            "nodeStartupTimeout": TEXT | {"default": "10m", "pattern": f"^0|{DURATION}"},
            "remediationTemplate": REFERENCE,
            "selector": SELECTOR,
            "unhealthyConditions": items(UNHEALTHY, minItems=1),
        }
    ),
    "MachineConfig.machineconfiguration.openshift.io": closed(
        {
            "baseOSExtensionsContainerImage": TEXT,
            "config": ANYTHING,
            "extensions": TEXTS | {"nullable": True},
            "fips": SWITCH,
            "kernelArguments": TEXTS | {"nullable": True},
            "kernelType": TEXT,
            "osImageURL": TEXT,
        }
    ),
    "MachineConfigPool.machineconfiguration.openshift.io": closed(
        {
            "configuration": REFERENCE | {"properties": REFERENCE["properties"] | {"source": items(REFERENCE)}},
            "machineConfigSelector": SELECTOR,
            "maxUnavailable": AMOUNT,
            "nodeSelector": SELECTOR,
            "osImageStream": closed({"name": TEXT | {"minLength": 1, "maxLength": 253}}, "name"),
            "paused": SWITCH,
            "pinnedImageSets": items(closed({"name": TEXT | {"minLength": 1, "maxLength": 253}}, "name")),
        }
    ),
    "KubeletConfig.machineconfiguration.openshift.io": closed(
        {
            "autoSizingReserved": SWITCH,
            "kubeletConfig": ANYTHING,
            "logLevel": NUMBER | {"minimum": 0, "maximum": 10},
            "machineConfigPoolSelector": SELECTOR,
            "tlsSecurityProfile": TLS_PROFILE,
        }
    ),
}
