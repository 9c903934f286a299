"""The rules of roles and bindings."""

from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import RBAC, Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule

SUBJECTS = ("ServiceAccount", "User", "Group")


def _rule(value: Json, field: str) -> Iterator[Cause]:
    if not value.get("verbs"):
        yield required(f"{field}.verbs", "verbs must contain at least one value")
    if value.get("nonResourceURLs"):
        if value.get("apiGroups") or value.get("resources") or value.get("resourceNames"):
            listed = "[]string{" + ", ".join(f'"{url}"' for url in value["nonResourceURLs"]) + "}"
            message = "rules cannot apply to both regular resources and non-resource URLs"
            yield Cause("FieldValueInvalid", f"{field}.nonResourceURLs", f"Invalid value: {listed}: {message}")
        return
    if not value.get("apiGroups"):
        yield required(f"{field}.apiGroups", "resource rules must supply at least one api group")
    if not value.get("resources"):
        yield required(f"{field}.resources", "resource rules must supply at least one resource")


def _aggregation(value: Json, _field: str) -> Iterator[Cause]:
    rule = value.get("aggregationRule")
    if rule is not None and not rule.get("clusterRoleSelectors"):
        yield required("aggregationRule.clusterRoleSelectors", AGGREGATED)


def _namespaced(value: Any, field: str) -> Iterator[Cause]:
    for index, rule in enumerate(value or []):
        if rule.get("nonResourceURLs"):
            listed = "[]string{" + ", ".join(f'"{url}"' for url in rule["nonResourceURLs"]) + "}"
            message = "namespaced rules cannot apply to non-resource URLs"
            yield Cause("FieldValueInvalid", f"{field}[{index}].nonResourceURLs", f"Invalid value: {listed}: {message}")


def _subject(value: Json, field: str) -> Iterator[Cause]:
    if not value.get("name"):
        yield required(f"{field}.name")
    kind, group = value.get("kind"), value.get("apiGroup") or ""
    if kind == "ServiceAccount":
        for problem in names.subdomain(value.get("name") or "") if value.get("name") else ():
            yield invalid_value(f"{field}.name", value["name"], problem)
        if group:
            yield not_supported(f"{field}.apiGroup", group, ("",))
    elif kind in SUBJECTS:
        if group != RBAC:
            yield not_supported(f"{field}.apiGroup", group, (RBAC,))
    else:
        yield not_supported(f"{field}.kind", kind or "", SUBJECTS)


def _accounts(value: Any, field: str) -> Iterator[Cause]:
    for index, subject in enumerate(value or []):
        if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
            yield required(f"{field}[{index}].namespace")


def _role_ref(*kinds: str) -> Any:
    def check(value: Json, _field: str) -> Iterator[Cause]:
        ref = value.get("roleRef") or {}
        if (ref.get("apiGroup") or RBAC) != RBAC:
            yield not_supported("roleRef.apiGroup", ref.get("apiGroup") or "", (RBAC,))
        if ref.get("kind") not in kinds:
            yield not_supported("roleRef.kind", ref.get("kind") or "", kinds)
        if not ref.get("name"):
            yield required("roleRef.name")
        else:
            for problem in names.path_segment(ref["name"]):
                yield invalid_value("roleRef.name", ref["name"], problem)

    return check


AGGREGATED = "at least one clusterRoleSelector required if aggregationRule is non-nil"
RULES = (
    Rule(
        "ClusterRole",
        _aggregation,
        {"aggregationRule": {}},
        f"Required value: {AGGREGATED}",
        field="aggregationRule.clusterRoleSelectors",
        reason="FieldValueRequired",
    ),
    Rule(
        "PolicyRule",
        _rule,
        {"verbs": None},
        "Required value: verbs must contain at least one value",
        field="verbs",
        reason="FieldValueRequired",
    ),
    Rule(
        "PolicyRule",
        _rule,
        {"apiGroups": None},
        "Required value: resource rules must supply at least one api group",
        field="apiGroups",
        reason="FieldValueRequired",
    ),
    Rule(
        "PolicyRule",
        _rule,
        {"resources": None},
        "Required value: resource rules must supply at least one resource",
        field="resources",
        reason="FieldValueRequired",
    ),
    Rule(
        "PolicyRule",
        _rule,
        {"nonResourceURLs": ["/metrics"]},
        'Invalid value: []string{"/metrics"}: namespaced rules cannot apply to non-resource URLs',
        field="nonResourceURLs",
    ),
    Rule(
        "Role.rules",
        _namespaced,
        [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
        'Invalid value: []string{"/metrics"}: namespaced rules cannot apply to non-resource URLs',
        field="rules[0].nonResourceURLs",
    ),
    Rule(
        "RoleBinding",
        _role_ref("Role", "ClusterRole"),
        {"roleRef": {"apiGroup": RBAC, "kind": "Cluster", "name": "reader"}},
        'Unsupported value: "Cluster": supported values: "Role", "ClusterRole"',
        field="roleRef.kind",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "RoleBinding",
        _role_ref("Role", "ClusterRole"),
        {"roleRef": {"apiGroup": RBAC, "kind": "Role"}},
        "Required value",
        field="roleRef.name",
        reason="FieldValueRequired",
    ),
    Rule(
        "RoleBinding",
        _role_ref("Role", "ClusterRole"),
        {"roleRef": {"apiGroup": "apps", "kind": "Role", "name": "reader"}},
        'Unsupported value: "apps": supported values: "rbac.authorization.k8s.io"',
        field="roleRef.apiGroup",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "RoleBinding",
        _role_ref("Role", "ClusterRole"),
        {"roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "a/b"}},
        "Invalid value: \"a/b\": may not contain '/'",
        field="roleRef.name",
    ),
    Rule(
        "ClusterRoleBinding",
        _role_ref("ClusterRole"),
        {"roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "reader"}},
        'Unsupported value: "Role": supported values: "ClusterRole"',
        field="roleRef.kind",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "Subject",
        _subject,
        {"kind": "Robot"},
        'Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
        field="kind",
        reason="FieldValueNotSupported",
    ),
    Rule("Subject", _subject, {"name": None}, "Required value", field="name", reason="FieldValueRequired"),
    Rule(
        "ClusterRoleBinding.subjects",
        _accounts,
        [{"kind": "ServiceAccount", "name": "web"}],
        "Required value",
        field="subjects[0].namespace",
        reason="FieldValueRequired",
    ),
    Rule(
        "Subject",
        _subject,
        {"apiGroup": RBAC},
        'Unsupported value: "rbac.authorization.k8s.io": supported values: ""',
        field="apiGroup",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "Subject",
        _subject,
        {"name": "Web_1"},
        "Invalid value: \"Web_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        field="name",
    ),
    Rule(
        "Subject",
        _subject,
        {"kind": "User", "apiGroup": "apps"},
        'Unsupported value: "apps": supported values: "rbac.authorization.k8s.io"',
        field="apiGroup",
        reason="FieldValueNotSupported",
    ),
)
