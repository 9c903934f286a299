"""The kinds of a cluster: a table of built-in ones, and those that CustomResourceDefinitions add at run time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from emulator.json_object import Json

VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
STATUS_VERBS = ("get", "patch", "update")
DEFINITIONS = "CustomResourceDefinition.apiextensions.k8s.io"


@dataclass(frozen=True)
class Kind:
    """One kind in one version of its group.

    Args:
        group: API group, "" for core.
        version: version in the group.
        kind: its name in objects, `ConfigMap`.
        plural: its name in paths, `configmaps`.
        namespaced: whether its objects are in namespaces.
        short_names: short names for `kubectl`.
        categories: categories for `kubectl`, `all`.
        has_status: whether the status is a subresource, so that writes of the object do not change it.
        has_generation: whether `metadata.generation` counts changes of the desired state.
        singular: singular name in discovery, only for custom kinds.
        verbs: the verbs that it supports.
        subresources: names of further subresources, for discovery and paths.
        is_custom: whether a CustomResourceDefinition defines it.
        schema: the structural schema of a custom kind.
        storage_version: the version in which its objects are stored.
        printer_columns: the columns in the definition of a custom kind.
        scale: where an object has its replicas, as in `subresources.scale` of a definition; empty without the
            subresource `scale`.
        unserved: subresources of the real server that this one refuses by name.
        put_creates: whether an update of an object that does not exist creates it.
        needs_version: whether an update must name the version that it replaces, as for all custom kinds.
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    has_status: bool = False
    has_generation: bool = False
    singular: str = ""
    verbs: tuple[str, ...] = VERBS
    subresources: tuple[str, ...] = ()
    is_custom: bool = False
    schema: Json = field(default_factory=dict, hash=False, compare=False)
    storage_version: str = ""
    printer_columns: tuple[Json, ...] = field(default=(), hash=False, compare=False)
    scale: Json = field(default_factory=dict, hash=False, compare=False)
    unserved: tuple[str, ...] = ()
    put_creates: bool = False
    needs_version: bool = False

    @property
    def api_version(self) -> str:
        """Return `apps/v1`, or `v1` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def name(self) -> str:
        """Return `Deployment.apps`, or `ConfigMap` for the core group."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def resource(self) -> str:
        """Return `deployments.apps`, or `configmaps` for the core group."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


ADMISSION = "admissionregistration.k8s.io"
APPS = "apps"
NETWORKING = "networking.k8s.io"
RBAC = "rbac.authorization.k8s.io"
REVIEW = ("create",)
WORKLOAD: Any = {"categories": ("all",), "has_status": True, "has_generation": True}
SCALED: Any = WORKLOAD | {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}

BUILT_IN: tuple[Kind, ...] = (
    Kind("", "v1", "ConfigMap", "configmaps", short_names=("cm",)),
    Kind("", "v1", "Endpoints", "endpoints", short_names=("ep",), put_creates=True),
    Kind("", "v1", "Event", "events", short_names=("ev",), put_creates=True),
    Kind(
        "",
        "v1",
        "Namespace",
        "namespaces",
        namespaced=False,
        short_names=("ns",),
        has_status=True,
        verbs=tuple(verb for verb in VERBS if verb != "deletecollection"),
        unserved=("finalize",),
    ),
    Kind("", "v1", "Node", "nodes", namespaced=False, short_names=("no",), has_status=True, unserved=("proxy",)),
    Kind("", "v1", "PersistentVolume", "persistentvolumes", namespaced=False, short_names=("pv",), has_status=True),
    Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", short_names=("pvc",), has_status=True),
    Kind(
        "",
        "v1",
        "Pod",
        "pods",
        short_names=("po",),
        categories=("all",),
        has_status=True,
        unserved=(
            *("attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy"),
            "resize",
        ),
    ),
    Kind("", "v1", "Secret", "secrets"),
    Kind(
        "",
        "v1",
        "Service",
        "services",
        short_names=("svc",),
        categories=("all",),
        has_status=True,
        verbs=tuple(verb for verb in VERBS if verb != "deletecollection"),
        unserved=("proxy",),
    ),
    Kind("", "v1", "ServiceAccount", "serviceaccounts", short_names=("sa",), unserved=("token",)),
    Kind(APPS, "v1", "DaemonSet", "daemonsets", short_names=("ds",), **WORKLOAD),
    Kind(APPS, "v1", "Deployment", "deployments", short_names=("deploy",), **SCALED),
    Kind(APPS, "v1", "ReplicaSet", "replicasets", short_names=("rs",), **SCALED),
    Kind(APPS, "v1", "StatefulSet", "statefulsets", short_names=("sts",), **SCALED),
    Kind(RBAC, "v1", "ClusterRole", "clusterroles", namespaced=False, put_creates=True),
    Kind(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False, put_creates=True),
    Kind(RBAC, "v1", "Role", "roles", put_creates=True),
    Kind(RBAC, "v1", "RoleBinding", "rolebindings", put_creates=True),
    Kind(
        "certificates.k8s.io",
        "v1",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        namespaced=False,
        short_names=("csr",),
        has_status=True,
        subresources=("approval",),
    ),
    Kind(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        namespaced=False,
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        has_status=True,
        has_generation=True,
        needs_version=True,
    ),
    # Kinds of which nothing here knows more than their members.
    Kind("", "v1", "LimitRange", "limitranges", short_names=("limits",)),
    Kind("", "v1", "ResourceQuota", "resourcequotas", short_names=("quota",), has_status=True),
    Kind(
        ADMISSION,
        "v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        namespaced=False,
        categories=("api-extensions",),
        has_generation=True,
    ),
    Kind(
        ADMISSION,
        "v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        namespaced=False,
        categories=("api-extensions",),
        has_generation=True,
    ),
    Kind(
        "apiregistration.k8s.io",
        "v1",
        "APIService",
        "apiservices",
        namespaced=False,
        categories=("api-extensions",),
        has_status=True,
    ),
    Kind(APPS, "v1", "ControllerRevision", "controllerrevisions"),
    Kind(
        "autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        short_names=("hpa",),
        categories=("all",),
        has_status=True,
    ),
    Kind("batch", "v1", "CronJob", "cronjobs", short_names=("cj",), **WORKLOAD),
    Kind("batch", "v1", "Job", "jobs", **WORKLOAD),
    Kind(NETWORKING, "v1", "Ingress", "ingresses", short_names=("ing",), has_status=True, has_generation=True),
    Kind(NETWORKING, "v1", "IngressClass", "ingressclasses", namespaced=False, has_generation=True),
    Kind(NETWORKING, "v1", "NetworkPolicy", "networkpolicies", short_names=("netpol",), has_generation=True),
    Kind(
        "policy",
        "v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        short_names=("pdb",),
        has_status=True,
        has_generation=True,
    ),
    Kind(
        "scheduling.k8s.io",
        "v1",
        "PriorityClass",
        "priorityclasses",
        namespaced=False,
        short_names=("pc",),
        has_generation=True,
    ),
    Kind("storage.k8s.io", "v1", "StorageClass", "storageclasses", namespaced=False, short_names=("sc",)),
    Kind("coordination.k8s.io", "v1", "Lease", "leases", put_creates=True, needs_version=True),
    Kind(
        "authorization.k8s.io",
        "v1",
        "SelfSubjectAccessReview",
        "selfsubjectaccessreviews",
        namespaced=False,
        verbs=REVIEW,
    ),
    Kind("authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews", namespaced=False, verbs=REVIEW),
    Kind("authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", namespaced=False, verbs=REVIEW),
    Kind(
        "authorization.k8s.io",
        "v1",
        "SelfSubjectRulesReview",
        "selfsubjectrulesreviews",
        namespaced=False,
        verbs=REVIEW,
    ),
)


class Kinds:
    """The kinds of one cluster."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str, str], Kind] = {}
        self._by_name: dict[str, Kind] = {}
        for kind in BUILT_IN:
            self._add(kind)

    def __iter__(self) -> Iterator[Kind]:
        """Yield every kind in every version, built-in ones first."""
        return iter(list(self._kinds.values()))

    def at(self, group: str, version: str, plural: str) -> Kind | None:
        """Return the kind that a path names, or None."""
        return self._kinds.get((group, version, plural))

    def named(self, name: str) -> Kind | None:
        """Return the kind called `ConfigMap` or `ClusterOperator.config.openshift.io`, in its storage version."""
        return self._by_name.get(name)

    def of(self, api_version: str, kind: str) -> Kind | None:
        """Return the kind of an object by its `apiVersion` and `kind`."""
        group, _, version = api_version.rpartition("/")
        found = self._by_name.get(f"{kind}.{group}" if group else kind)
        return None if found is None else self._kinds.get((group, version, found.plural))

    def groups(self) -> dict[str, list[str]]:
        """Return all groups except the core group, each with its versions, preferred first."""
        groups: dict[str, list[str]] = {}
        for kind in self._kinds.values():
            if kind.group and kind.version not in groups.setdefault(kind.group, []):
                groups[kind.group].append(kind.version)
        return groups

    def is_custom(self, group: str) -> bool:
        """Tell whether a group has custom kinds, whose paths another part of the real server serves."""
        return any(kind.is_custom for kind in self._kinds.values() if kind.group == group)

    def define(self, definition: Json) -> None:
        """Add the kind of a CustomResourceDefinition, in each version that it serves."""
        self.forget(definition)
        for kind in _custom_kinds(definition["spec"]):
            self._add(kind)

    def forget(self, definition: Json) -> None:
        """Remove the kind of a CustomResourceDefinition."""
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        for key in [key for key, kind in self._kinds.items() if (kind.group, kind.plural) == (group, plural)]:
            self._by_name.pop(self._kinds.pop(key).name, None)

    def _add(self, kind: Kind) -> None:
        self._kinds[kind.group, kind.version, kind.plural] = kind
        if kind.version == (kind.storage_version or kind.version):
            self._by_name[kind.name] = kind


def _custom_kinds(spec: Json) -> Iterator[Kind]:
    names = spec["names"]
    storage = next(version["name"] for version in spec["versions"] if version.get("storage"))
    for version in spec["versions"]:
        if not version.get("served"):
            continue
        subresources = version.get("subresources") or {}
        yield Kind(
            spec["group"],
            version["name"],
            names["kind"],
            names["plural"],
            namespaced=spec["scope"] == "Namespaced",
            short_names=tuple(names.get("shortNames") or ()),
            categories=tuple(names.get("categories") or ()),
            has_status="status" in subresources,
            has_generation=True,
            singular=names.get("singular") or names["kind"].lower(),
            is_custom=True,
            needs_version=True,
            schema=(version.get("schema") or {}).get("openAPIV3Schema") or {},
            storage_version=storage,
            printer_columns=tuple(version.get("additionalPrinterColumns") or ()),
            scale=subresources.get("scale") or {},
        )
