"""The JSON schemas of the documents that declare phases, one for each kind of `airshipit.org/v1alpha1`.

Members that a schema does not name are kept and ignored, as airshipctl does: its own manifests have some.
Source: airshipit/airshipctl, `pkg/api/v1alpha1`; `needs` and the source `openShiftCluster` are this service's own.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from shared import findings
from shared.arm.errors import shown

Schema = dict[str, Any]

GROUP = "airshipit.org"
API_VERSION = f"{GROUP}/v1alpha1"

TEXT: Schema = {"type": "string", "minLength": 1}
STRING: Schema = {"type": "string"}
# airshipctl takes any name, and its own sites have `clusterctl_init` and `phasePlan`. Names are also part of paths, and
# of ids in the service's database.
NAME: Schema = {"type": "string", "pattern": r"^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$", "maxLength": 253}
FLAG: Schema = {"type": "boolean"}
# An operation is kept for seven days.
SECONDS: Schema = {"type": "integer", "minimum": 0, "maximum": 7 * 24 * 60 * 60}
TEXTS: Schema = {"type": "array", "items": TEXT}
DURATION: Schema = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"}


def _object(members: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": members, "required": list(required)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


METADATA = _object(
    {"name": NAME, "namespace": STRING, "clusterName": STRING, "labels": _map(STRING), "annotations": _map(STRING)},
    "name",
)


def _kind(members: Schema, *required: str) -> Schema:
    made = {"apiVersion": TEXT, "kind": TEXT, "metadata": METADATA} | members
    return _object(made, "apiVersion", "kind", "metadata", *required)


# A kind that this service does not know; it may be an executor that is not built.
ANY = _kind({})
VALIDATION = _object(
    {
        "strict": FLAG,
        "ignoreMissingSchemas": FLAG,
        "kubernetesVersion": STRING,
        "schemaLocation": STRING,
        "kindsToSkip": TEXTS,
        "crdList": TEXTS,
    }
)
REFERENCE = _object({"apiVersion": TEXT, "kind": TEXT, "name": TEXT, "namespace": STRING}, "apiVersion", "kind", "name")

PHASE = _kind(
    {
        "config": _object(
            {
                "executorRef": REFERENCE,
                "documentEntryPoint": STRING,
                "siteWideKubeconfig": FLAG,
                "validation": VALIDATION,
                "needs": TEXTS,
            },
            "executorRef",
        )
    },
    "config",
)
PHASE_PLAN = _kind(
    {
        "description": STRING,
        "phases": _list(_object({"name": TEXT, "namespace": STRING}, "name")) | {"minItems": 1},
        "validation": VALIDATION,
    },
    "phases",
)

SOURCES: Schema = {
    "bundle": _object({"contextName": STRING}),
    "filesystem": _object({"path": TEXT, "contextName": STRING}, "path"),
    "openShiftCluster": _object({"resourceId": TEXT}, "resourceId"),
    "clusterAPI": _object(
        {"clusterNamespacedName": _object({"name": TEXT, "namespace": STRING}, "name"), "timeout": DURATION},
        "clusterNamespacedName",
    ),
}
CLUSTER_MAP = _kind(
    {
        # The names come last: most of them are right, and the others end the check sooner.
        "map": _map(
            _object(
                {
                    "parent": STRING,
                    "kubeconfigSources": _list(
                        _object({"type": {"enum": list(SOURCES)}} | SOURCES, "type")
                        | {
                            "allOf": [
                                {
                                    "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
                                    "then": {} if name == "bundle" else {"required": [name]},
                                }
                                for name in SOURCES
                            ]
                        }
                    ),
                },
                "kubeconfigSources",
            )
        )
        | {"propertyNames": NAME}
    },
    "map",
)

_NAMED = {"type": "array", "items": _object({"name": TEXT}, "name")}
KUBE_CONFIG = _kind(
    {"config": _object({"clusters": _NAMED, "contexts": _NAMED, "users": _NAMED}, "clusters", "contexts", "users")},
    "config",
)

INVENTORY_POLICIES = ("strict", "adopt", "force-adopt")
KUBERNETES_APPLY = _kind(
    {
        "config": _object(
            {
                "waitOptions": _object(
                    {
                        "timeout": SECONDS,
                        "pollInterval": SECONDS,
                        "conditions": _list(
                            _object(
                                {"apiVersion": TEXT, "kind": TEXT, "jsonPath": TEXT, "value": STRING},
                                "apiVersion",
                                "kind",
                                "jsonPath",
                            )
                        ),
                    }
                ),
                "pruneOptions": _object({"prune": FLAG}),
                "inventoryPolicy": {"enum": list(INVENTORY_POLICIES)},
            }
        )
    }
)

PROVIDERS = ("CoreProvider", "BootstrapProvider", "ControlPlaneProvider", "InfrastructureProvider")
ACTIONS = ("init", "move")
CLUSTERCTL = _kind(
    {
        "action": {"enum": list(ACTIONS)},
        "providers": _list(
            _object(
                {"name": TEXT, "type": {"enum": list(PROVIDERS)}, "url": TEXT, "versions": _map(TEXT)}, "name", "type"
            )
        ),
        "init-options": _object(
            {
                "core-provider": STRING,
                "bootstrap-providers": STRING,
                "infrastructure-providers": STRING,
                "control-plane-providers": STRING,
            }
        ),
        "move-options": _object({"namespace": STRING}),
        "additional-vars": _map(STRING),
        "images": _map(_object({"repository": STRING, "tag": STRING})),
    },
    "action",
)

MANIFEST_METADATA = _kind(
    {
        "spec": _object(
            {
                "phase": _object({"path": STRING, "docEntryPointPrefix": STRING}, "path"),
                "inventory": _object({"path": STRING}),
            },
            "phase",
        )
    },
    "spec",
)

# The schemas by kind. What else a phase bundle contains is not this service's business.
SCHEMAS: dict[str, Schema] = {
    "Phase": PHASE,
    "PhasePlan": PHASE_PLAN,
    "ClusterMap": CLUSTER_MAP,
    "KubeConfig": KUBE_CONFIG,
    "KubernetesApply": KUBERNETES_APPLY,
    "Clusterctl": CLUSTERCTL,
}
# The executors that are built, and those of airshipctl that are not.
EXECUTORS = ("KubernetesApply", "Clusterctl")
# The members whose values nobody sees; see `showing.mask`.
MASKED = (("additional-vars",), ("config", "users"))
NOT_BUILT = ("BaremetalManager", "BootConfiguration", "GenericContainer")


def _closed(members: Schema, *required: str) -> Schema:
    """Return the schema of a request's body, which has no other members."""
    return _object(members, *required) | {"additionalProperties": False}


# The bodies of the service's requests.
SITE = _closed({"bundle": {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "metadata": TEXT}, "bundle")
PHASE_RUN = _closed({"waitTimeoutSeconds": SECONDS})
PLAN_RUN = _closed({"waitTimeoutSeconds": SECONDS, "resumeFrom": TEXT, "resume": FLAG, "dryRun": FLAG}) | {
    "not": {"required": ["resume"], "properties": {"resume": {"const": True}}, "minProperties": 2}
}


def differences(value: Any, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield how a value differs from a JSON schema, up to a hundred times: JSON path, and what is wrong there."""
    for error in islice(Draft202012Validator(schema).iter_errors(value), findings.MOST):
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        yield where.removeprefix("."), _problem(error)


def _problem(error: ValidationError) -> str:
    """Return what is wrong. The message of a type error quotes the value, which a masked member must not show."""
    path = tuple(error.absolute_path)
    if error.validator == "type" and any(_meet(path, masked) for masked in MASKED):
        return f"The value, which is not shown, has to be of type '{error.validator_value}'."
    return f"{shown(error.message)}."


def _meet(path: tuple[str | int, ...], member: tuple[str, ...]) -> bool:
    """Tell whether a path leads to a member, into it, or to something that should contain it."""
    return all(part == name for part, name in zip(path, member, strict=False))
