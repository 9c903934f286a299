"""The schemas of OpenShift's kinds, limited to the members that the product writes or might mistype, and to defaults.

Other members are kept unchecked. https://github.com/openshift/api
"""

from collections.abc import Iterable, Mapping
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.objects.schema import PRESERVE

OPERATOR = "operator.openshift.io"
TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
SWITCH: Json = {"type": "boolean"}
BRANDS = (
    *("openshift", "okd", "online", "ocp", "dedicated", "azure"),
    *("OpenShift", "OKD", "Online", "OCP", "Dedicated", "Azure", "ROSA"),
)
MANAGEMENT_STATE: Json = TEXT | {"pattern": "^(Managed|Unmanaged|Force|Removed)$"}
LOG_LEVEL: Json = TEXT | {"enum": ["", "Normal", "Debug", "Trace", "TraceAll"]}


def _open(properties: Json, required: Iterable[str] = (), **more: Any) -> Json:
    """Return the schema of an object that may have other members, which are kept."""
    schema = {"type": "object", PRESERVE: True, "properties": properties} | more
    return schema | ({"required": list(required)} if required else {})


def _list(items: Json, **more: Any) -> Json:
    return {"type": "array", "items": items} | more


def _named(required: Iterable[str] = ()) -> Json:
    return _open({"name": TEXT}, required)


MANAGED: Json = {"managementState": MANAGEMENT_STATE, "logLevel": LOG_LEVEL, "operatorLogLevel": LOG_LEVEL}
_STRATEGIES = ["LoadBalancerService", "HostNetwork", "Private", "NodePortService"]
_TEXTS = _list(TEXT, nullable=True)
_STRATEGY = _open({"type": TEXT}, nullable=True)
# An admission plugin of OpenShift fills in what people leave out, as these defaults do.
# https://github.com/openshift/apiserver-library-go, pkg/securitycontextconstraints/sccdefaults
_CONSTRAINTS: Json = {
    **dict.fromkeys(
        (
            "allowHostDirVolumePlugin",
            "allowHostIPC",
            "allowHostNetwork",
            "allowHostPID",
            "allowHostPorts",
            "allowPrivilegedContainer",
            "readOnlyRootFilesystem",
        ),
        SWITCH | {"default": False},
    ),
    "allowPrivilegeEscalation": SWITCH | {"nullable": True, "default": True},
    "defaultAllowPrivilegeEscalation": SWITCH | {"nullable": True},
    **dict.fromkeys(
        (
            "allowedCapabilities",
            "allowedUnsafeSysctls",
            "defaultAddCapabilities",
            "forbiddenSysctls",
            "requiredDropCapabilities",
            "seccompProfiles",
        ),
        _TEXTS,
    ),
    **dict.fromkeys(("groups", "users"), _TEXTS | {"default": []}),
    "volumes": _TEXTS | {"default": ["*"]},
    "allowedFlexVolumes": _list(_open({"driver": TEXT}, ("driver",)), nullable=True),
    **dict.fromkeys(("fsGroup", "runAsUser", "seLinuxContext", "supplementalGroups"), _STRATEGY),
    "priority": NUMBER | {"nullable": True},
}
# The schema of the spec, by kind.
SPECS: Mapping[str, Json] = {
    "APIServer.config.openshift.io": _open(
        {
            "servingCerts": _open(
                {
                    "namedCertificates": _list(
                        _open({"names": _list(TEXT, maxItems=64), "servingCertificate": _named(("name",))}), maxItems=32
                    )
                }
            ),
        }
    ),
    "Authentication.config.openshift.io": _open({"serviceAccountIssuer": TEXT}),
    "MachineSet.machine.openshift.io": _open(
        {"replicas": NUMBER | {"default": 1}, "deletePolicy": TEXT | {"enum": ["Random", "Newest", "Oldest"]}}
    ),
    "ClusterVersion.config.openshift.io": _open(
        {
            "clusterID": TEXT,
            "channel": TEXT,
            "upstream": TEXT,
            "desiredUpdate": _open({"version": TEXT, "image": TEXT}),
        },
        ("clusterID",),
    ),
    "OperatorHub.config.openshift.io": _open(
        {
            "disableAllDefaultSources": SWITCH,
            "sources": _list(_open({"name": TEXT | {"minLength": 1, "maxLength": 253}, "disabled": SWITCH})),
        }
    ),
    f"Console.{OPERATOR}": _open(MANAGED | {"customization": _open({"brand": TEXT | {"enum": list(BRANDS)}})}),
    f"IngressController.{OPERATOR}": _open(
        {
            "replicas": NUMBER,
            "defaultCertificate": _named(),
            "endpointPublishingStrategy": _open({"type": TEXT | {"enum": _STRATEGIES}}, ("type",)),
        }
    ),
    f"ImageContentSourcePolicy.{OPERATOR}": _open({}),
    "Config.imageregistry.operator.openshift.io": _open(MANAGED),
    "Config.samples.operator.openshift.io": _open({"managementState": MANAGEMENT_STATE}),
}
# The schema of the whole object, for kinds without a spec.
WHOLE: Mapping[str, Json] = {
    "SecurityContextConstraints.security.openshift.io": _open(_CONSTRAINTS),
}


def schema_of(kind: str, group: str) -> Json:
    """Return the structural schema of a kind."""
    name = f"{kind}.{group}"
    if name in WHOLE:
        return WHOLE[name]
    spec = SPECS.get(name) or (_open(MANAGED) if group == OPERATOR else None)
    return _open({} if spec is None else {"spec": spec})
