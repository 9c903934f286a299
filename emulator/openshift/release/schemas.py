"""The schemas of OpenShift's kinds, limited to the members that the product's clients write or might mistype.

Other members are kept unchecked. https://github.com/openshift/api
"""

from collections.abc import Iterable, Mapping
from typing import Any

from emulator.openshift.kubernetes.objects.schema import PRESERVE
from emulator.openshift.release import machine_schemas
from emulator.openshift.release.machine_schemas import one_of

Json = dict[str, Any]

OPERATOR = "operator.openshift.io"
TEXT: Json = {"type": "string"}
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
    "priority": {"type": "integer", "nullable": True},
}
NAMESPACE = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
AUDIT = one_of("Default", "WriteRequestBodies", "AllRequestBodies", "None")
REGISTRIES = _list(TEXT | {"minLength": 1, "maxLength": 256}, maxItems=1024)
LOGIN: Json = {"clientID": TEXT, "clientSecret": _named(("name",)), "ca": _named(("name",))}
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
            "additionalCORSAllowedOrigins": _list(TEXT),
            "audit": _open(
                {
                    "profile": AUDIT,
                    "customRules": _list(
                        _open({"group": TEXT | {"minLength": 1}, "profile": AUDIT}, ("group", "profile"))
                    ),
                }
            ),
            "clientCA": _named(("name",)),
            "encryption": _open({"type": one_of("", "identity", "aescbc", "aesgcm")}),
            "tlsSecurityProfile": machine_schemas.TLS_PROFILE,
        }
    ),
    "Ingress.config.openshift.io": _open(
        {
            "appsDomain": TEXT,
            "domain": TEXT,
            "componentRoutes": _list(
                _open(
                    {
                        "hostname": TEXT,
                        "name": TEXT | {"minLength": 1, "maxLength": 256},
                        "namespace": TEXT | {"minLength": 1, "maxLength": 63, "pattern": NAMESPACE},
                        "servingCertKeyPairSecret": _named(("name",)),
                    },
                    ("hostname", "name", "namespace"),
                ),
                maxItems=250,
            ),
        }
    ),
    "Image.config.openshift.io": _open(
        {
            "additionalTrustedCA": _named(("name",)),
            "allowedRegistriesForImport": _list(_open({"domainName": TEXT, "insecure": SWITCH})),
            "externalRegistryHostnames": _list(TEXT),
            "imageStreamImportMode": one_of("", "Legacy", "PreserveOriginal"),
            "registrySources": _open(
                dict.fromkeys(("allowedRegistries", "blockedRegistries", "insecureRegistries"), REGISTRIES)
                | {"containerRuntimeSearchRegistries": _list(TEXT, minItems=1)}
            ),
        }
    ),
    "OAuth.config.openshift.io": _open(
        {
            "identityProviders": _list(
                _open(
                    {
                        "name": TEXT,
                        "type": TEXT,
                        "mappingMethod": TEXT,
                        "htpasswd": _open({"fileData": _named(("name",))}),
                        "github": _open(LOGIN | {"organizations": _list(TEXT), "teams": _list(TEXT)}),
                        "gitlab": _open(LOGIN | {"url": TEXT}),
                        "google": _open(LOGIN | {"hostedDomain": TEXT}),
                        "openID": _open(LOGIN | {"issuer": TEXT, "extraScopes": _list(TEXT)}),
                        "ldap": _open(
                            {"bindDN": TEXT, "bindPassword": _named(("name",)), "insecure": SWITCH, "url": TEXT}
                        ),
                    }
                )
            ),
            "templates": _open(dict.fromkeys(("error", "login", "providerSelection"), _named(("name",)))),
            "tokenConfig": _open({"accessTokenMaxAgeSeconds": {"type": "integer"}}),
        }
    ),
    "Project.config.openshift.io": _open(
        {"projectRequestMessage": TEXT, "projectRequestTemplate": _open({"name": TEXT})}
    ),
    "Proxy.config.openshift.io": _open(
        dict.fromkeys(("httpProxy", "httpsProxy", "noProxy"), TEXT)
        | {"readinessEndpoints": _list(TEXT), "trustedCA": _named(("name",))}
    ),
    "Scheduler.config.openshift.io": _open(
        {
            "defaultNodeSelector": TEXT,
            "mastersSchedulable": SWITCH,
            "policy": _named(("name",)),
            "profile": one_of("", "LowNodeUtilization", "HighNodeUtilization", "NoScoring"),
        }
    ),
    "ImageDigestMirrorSet.config.openshift.io": _open(
        {
            "imageDigestMirrors": _list(
                _open(
                    {
                        "source": TEXT,
                        "mirrors": _list(TEXT),
                        "mirrorSourcePolicy": one_of("NeverContactSource", "AllowContactingSource"),
                    },
                    ("source",),
                )
            )
        }
    ),
    **machine_schemas.SPECS,
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
            "replicas": {"type": "integer"},
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
