"""The rules of Deployments, ReplicaSets, StatefulSets and DaemonSets."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation import pods
from emulator.openshift.kubernetes.objects.validation.checks import (
    Rule,
    at_least,
    go_map,
    go_selector,
    invalid_go_value,
)

PERCENT = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"


def _selector(kind: str) -> Callable[[Json, str], Iterator[Cause]]:
    def check(value: Json, field: str) -> Iterator[Cause]:
        selector = value.get("selector")
        wrong = list(_wrong_parts(selector or {}, f"{field}.selector"))
        yield from wrong
        if wrong:
            # For a DaemonSet, the parts that are wrong are enough.
            if kind != "daemonset":
                says = ": invalid label selector" if kind == "deployment" else ""
                shown = go_selector(selector or {})
                yield Cause("FieldValueInvalid", f"{field}.selector", f"Invalid value: {shown}{says}")
            return
        if selector is None:
            if kind != "daemonset":
                yield required(f"{field}.selector")
        elif not selector.get("matchLabels") and not selector.get("matchExpressions"):
            yield _empty_selector(f"{field}.selector", kind)
        labels = ((value.get("template") or {}).get("metadata") or {}).get("labels")
        if selector is None or not _fits(selector, labels or {}):
            shown = "map[string]string(nil)" if not labels else go_map(labels)
            at = f"{field}.template.metadata.labels"
            yield Cause("FieldValueInvalid", at, f"Invalid value: {shown}: `selector` does not match template `labels`")

    return check


def _empty_selector(field: str, kind: str) -> Cause:
    """Return the cause for a selector without requirements."""
    shown = "v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"
    return Cause("FieldValueInvalid", field, f"Invalid value: {shown}: empty selector is invalid for {kind}")


def _wrong_parts(selector: Json, field: str) -> Iterator[Cause]:
    """Yield what is wrong with the parts of a selector, which the real server names before the selector."""
    parts = [("LabelSelector", selector, field)]
    for index, one in enumerate(selector.get("matchExpressions") or []):
        parts.append(("LabelSelectorRequirement", one, f"{field}.matchExpressions[{index}]"))
    for kind, part, at in parts:
        for rule in pods.RULES:
            if rule.type == kind:
                yield from rule.causes(part, at)


def _fits(selector: Json, labels: Json) -> bool:
    if any(labels.get(name) != value for name, value in (selector.get("matchLabels") or {}).items()):
        return False
    for one in selector.get("matchExpressions") or []:
        found, among = one.get("key") in labels, labels.get(one.get("key")) in (one.get("values") or [])
        if {"In": not among, "NotIn": among, "Exists": not found, "DoesNotExist": found}.get(
            one.get("operator"), False
        ):
            return False
    return True


def _template_metadata(value: Json, field: str) -> Iterator[Cause]:
    # The real server leaves out `metadata`.
    metadata = value.get("metadata") or {}
    yield from names.label_causes(f"{field}.labels", metadata.get("labels"))
    for key in sorted(metadata.get("annotations") or {}):
        for problem in names.qualified_name(key.lower()):
            yield invalid_value(f"{field}.annotations", key, problem)


def _template(kind: str, *policies: str) -> Callable[[Json, str], Iterator[Cause]]:
    def check(value: Json, field: str) -> Iterator[Cause]:
        spec = (value.get("template") or {}).get("spec") or {}
        policy = spec.get("restartPolicy", "Always")
        if policy != "Always":
            yield not_supported(f"{field}.template.spec.restartPolicy", policy, policies)
        if spec.get("activeDeadlineSeconds") is not None:
            message = f"activeDeadlineSeconds in {kind} is not Supported"
            yield forbidden_value(f"{field}.template.spec.activeDeadlineSeconds", message)

    return check


def _no_update_of(member: str, kind: str) -> Callable[[Json, str], Iterator[Cause]]:
    def check(value: Json, field: str) -> Iterator[Cause]:
        strategy = value.get(member) or {}
        if strategy.get("type") == kind and strategy.get("rollingUpdate") is not None:
            message = f"may not be specified when strategy `type` is '{kind}'"
            yield forbidden_value(f"{field}.{member}.rollingUpdate", message)

    return check


def _deadline(value: Json, field: str) -> Iterator[Cause]:
    deadline = value.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= value.get("minReadySeconds", 0):
        yield invalid_value(f"{field}.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def _amount(value: Any, field: str) -> Iterator[Cause]:
    if isinstance(value, int):
        yield from at_least(0)(value, field)
    elif value is not None and not re.fullmatch("[0-9]+%", value):
        yield Cause("FieldValueInvalid", field, f"Invalid value: {go_amount(value)}: {PERCENT}")


def _not_both_zero(value: Json, field: str) -> Iterator[Cause]:
    if all(str(value.get(member)).removesuffix("%") in ("0", "None") for member in ("maxUnavailable", "maxSurge")):
        shown = go_amount(0)
        message = "may not be 0 when `maxSurge` is 0"
        yield Cause("FieldValueInvalid", f"{field}.maxUnavailable", f"Invalid value: {shown}: {message}")


def _some_unavailable(value: Json, field: str) -> Iterator[Cause]:
    amount = value.get("maxUnavailable")
    if amount is not None and not re.fullmatch("[0-9]*[1-9][0-9]*%?", str(amount)):
        yield Cause("FieldValueInvalid", f"{field}.maxUnavailable", f"Invalid value: {go_amount(amount)}: cannot be 0")


def go_amount(value: int | str) -> str:
    """Show a number or text as Go shows what can be either."""
    if isinstance(value, int):
        return f'intstr.IntOrString{{Type:0, IntVal:{value}, StrVal:""}}'
    return f'intstr.IntOrString{{Type:1, IntVal:0, StrVal:"{value}"}}'


def _strategy(member: str, shown: str, *allowed: str) -> Callable[[Json, str], Iterator[Cause]]:
    def check(value: Json, field: str) -> Iterator[Cause]:
        if (value.get(member) or {}).get("type") not in (None, *allowed):
            listed = ", ".join(f'"{one}"' for one in allowed)
            message = f"Unsupported value: {shown}{{...}}: supported values: {listed}"
            yield Cause("FieldValueNotSupported", f"{field}.{member}", message)

    return check


def _stateful_strategy(value: Json, field: str) -> Iterator[Cause]:
    if (value.get("updateStrategy") or {}).get("type") not in (None, "RollingUpdate", "OnDelete"):
        message = "must be 'RollingUpdate' or 'OnDelete'"
        yield invalid_go_value(f"{field}.updateStrategy", "apps.StatefulSetUpdateStrategy", message)


def _management(value: Any, field: str) -> Iterator[Cause]:
    if value not in (None, "OrderedReady", "Parallel"):
        yield invalid_value(field, value, "must be 'OrderedReady' or 'Parallel'")


def _most(value: Any, field: str) -> Iterator[Cause]:
    if isinstance(value, str) and re.fullmatch("[0-9]+%", value) and int(value[:-1]) > 100:  # noqa: PLR2004 - percent
        yield Cause("FieldValueInvalid", field, f"Invalid value: {go_amount(value)}: must not be greater than 100%")


# The kind that the real server names in its refusal of a deadline.
SHOWN_AS = {
    "DeploymentSpec": "ReplicaSet",
    "ReplicaSetSpec": "ReplicaSet",
    "StatefulSetSpec": "StatefulSet",
    "DaemonSetSpec": "DaemonSet",
}
UNREADABLE = (
    'v1.LabelSelector{MatchLabels:map[string]string{"app":"web"}, MatchExpressions:[]v1.LabelSelectorRequirement'
    '{v1.LabelSelectorRequirement{Key:"app", Operator:"In", Values:[]string(nil)}}}'
)
RULES = (
    Rule(
        "PodTemplateSpec",
        _template_metadata,
        {"metadata": {"labels": {"app": "web", "tier": "a b"}}},
        "Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        field="labels",
    ),
    Rule(
        "PodTemplateSpec",
        _template_metadata,
        {"metadata": {"labels": {"app": "web"}, "annotations": {"a b": "c"}}},
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        field="annotations",
    ),
    *(
        Rule(
            spec,
            _selector(kind),
            {"selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "In"}]}},
            f"Invalid value: {UNREADABLE}{says}",
            field="selector",
        )
        for spec, kind, says in (
            ("DeploymentSpec", "deployment", ": invalid label selector"),
            ("ReplicaSetSpec", "deployment", ": invalid label selector"),
            ("StatefulSetSpec", "statefulset", ""),
        )
    ),
    Rule(
        "RollingUpdateDaemonSet.maxUnavailable",
        _most,
        "101%",
        'Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ),
    *(
        rule
        for spec, kind in (
            ("DeploymentSpec", "deployment"),
            ("ReplicaSetSpec", "replicaset"),
            ("StatefulSetSpec", "statefulset"),
            ("DaemonSetSpec", "daemonset"),
        )
        for rule in (
            Rule(
                spec,
                _selector("deployment" if kind == "replicaset" else kind),
                {
                    "template": {
                        "metadata": {"labels": {"app": "other"}},
                        "spec": {"containers": [{"name": "a", "image": "a"}]},
                    }
                },
                'Invalid value: map[string]string{"app":"other"}: `selector` does not match template `labels`',
                field="template.metadata.labels",
            ),
            Rule(
                spec,
                _template(SHOWN_AS[spec], "Always"),
                {
                    "template": {
                        "metadata": {"labels": {"app": "web"}},
                        "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]},
                    }
                },
                'Unsupported value: "Never": supported values: "Always"',
                field="template.spec.restartPolicy",
                reason="FieldValueNotSupported",
            ),
            Rule(f"{spec}.minReadySeconds", at_least(0), -1, "Invalid value: -1: must be greater than or equal to 0"),
            Rule(
                spec,
                _template(SHOWN_AS[spec], "Always"),
                {
                    "template": {
                        "metadata": {"labels": {"app": "web"}},
                        "spec": {"activeDeadlineSeconds": 9, "containers": [{"name": "a", "image": "a"}]},
                    }
                },
                f"Forbidden: activeDeadlineSeconds in {SHOWN_AS[spec]} is not Supported",
                field="template.spec.activeDeadlineSeconds",
                reason="FieldValueForbidden",
            ),
            *(
                (Rule(f"{spec}.replicas", at_least(0), -1, "Invalid value: -1: must be greater than or equal to 0"),)
                if kind != "daemonset"
                else ()
            ),
            *(
                (
                    Rule(
                        f"{spec}.revisionHistoryLimit",
                        at_least(0),
                        -1,
                        "Invalid value: -1: must be greater than or equal to 0",
                    ),
                )
                if kind not in ("replicaset", "statefulset")
                else ()
            ),
        )
        if (spec, rule.member) != ("StatefulSetSpec", "minReadySeconds")
    ),
    Rule(
        "DeploymentSpec",
        _selector("deployment"),
        {"selector": {}},
        "Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment",
        field="selector",
    ),
    Rule(
        "DeploymentSpec",
        _selector("deployment"),
        {"selector": None},
        "Required value",
        field="selector",
        reason="FieldValueRequired",
    ),
    Rule(
        "DaemonSetSpec",
        _selector("daemonset"),
        {"selector": {}},
        "Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for daemonset",
        field="selector",
    ),
    Rule(
        "StatefulSetSpec",
        _selector("statefulset"),
        {"selector": {}},
        "Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for statefulset",
        field="selector",
    ),
    Rule(
        "ReplicaSetSpec",
        _selector("deployment"),
        {"selector": {}},
        "Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment",
        field="selector",
    ),
    Rule(
        "DeploymentSpec",
        _no_update_of("strategy", "Recreate"),
        {"strategy": {"type": "Recreate", "rollingUpdate": {}}},
        "Forbidden: may not be specified when strategy `type` is 'Recreate'",
        field="strategy.rollingUpdate",
        reason="FieldValueForbidden",
    ),
    Rule(
        "DeploymentSpec",
        _deadline,
        {"progressDeadlineSeconds": 10, "minReadySeconds": 10},
        "Invalid value: 10: must be greater than minReadySeconds",
        field="progressDeadlineSeconds",
    ),
    Rule(
        "DeploymentSpec",
        _strategy("strategy", "apps.DeploymentStrategy", "Recreate", "RollingUpdate"),
        {"strategy": {"type": "BlueGreen"}},
        'Unsupported value: apps.DeploymentStrategy{...}: supported values: "Recreate", "RollingUpdate"',
        field="strategy",
        reason="FieldValueNotSupported",
    ),
    Rule("RollingUpdateDeployment.maxSurge", _amount, -1, "Invalid value: -1: must be greater than or equal to 0"),
    Rule(
        "RollingUpdateDeployment.maxSurge",
        _amount,
        "10",
        "Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:\"10\"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
    Rule(
        "RollingUpdateDeployment.maxUnavailable",
        _amount,
        "ten",
        "Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:\"ten\"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
    Rule(
        "RollingUpdateDeployment.maxUnavailable",
        _most,
        "101%",
        'Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    ),
    Rule(
        "RollingUpdateDeployment",
        _not_both_zero,
        {"maxSurge": 0, "maxUnavailable": 0},
        'Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
        field="maxUnavailable",
    ),
    Rule(
        "DaemonSetSpec",
        _strategy("updateStrategy", "apps.DaemonSetUpdateStrategy", "RollingUpdate", "OnDelete"),
        {"updateStrategy": {"type": "Recreate"}},
        'Unsupported value: apps.DaemonSetUpdateStrategy{...}: supported values: "RollingUpdate", "OnDelete"',
        field="updateStrategy",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "RollingUpdateDaemonSet.maxUnavailable",
        _amount,
        "ten",
        "Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:\"ten\"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
    Rule(
        "RollingUpdateDaemonSet",
        _some_unavailable,
        {"maxUnavailable": 0},
        'Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: cannot be 0',
        field="maxUnavailable",
    ),
    Rule(
        "StatefulSetSpec",
        _stateful_strategy,
        {"updateStrategy": {"type": "Recreate"}},
        "Invalid value: apps.StatefulSetUpdateStrategy{...}: must be 'RollingUpdate' or 'OnDelete'",
        field="updateStrategy",
    ),
    Rule(
        "StatefulSetSpec.podManagementPolicy",
        _management,
        "Random",
        "Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'",
    ),
    Rule(
        "RollingUpdateStatefulSetStrategy.partition",
        at_least(0),
        -1,
        "Invalid value: -1: must be greater than or equal to 0",
    ),
)
