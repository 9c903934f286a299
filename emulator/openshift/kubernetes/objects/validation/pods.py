"""The rules of pods: their containers together, scheduling, names in the network."""

import json
from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import (
    Rule,
    between,
    duplicate,
    given,
    invalid_go_value,
    is_address,
    one_of,
    text,
    unique,
)

GO_TYPES = dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), "core.Probe") | {
    "lifecycle": "core.Lifecycle"
}
MOST_NAMESERVERS = 3
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def _container_names(value: Json, field: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for member in ("containers", "initContainers"):
        for index, container in enumerate(value.get(member) or []):
            name = container.get("name") or ""
            if name and name in seen:
                yield duplicate(f"{field}.{member}[{index}].name", name)
            seen.add(name)


def _mounted_volumes(value: Json, field: str) -> Iterator[Cause]:
    volumes = {volume.get("name") for volume in value.get("volumes") or []}
    for member in ("containers", "initContainers"):
        for index, container in enumerate(value.get(member) or []):
            for kind in ("volumeMounts", "volumeDevices"):
                for at, mount in enumerate(container.get(kind) or []):
                    if mount.get("name") and mount["name"] not in volumes:
                        path = f"{field}.{member}[{index}].{kind}[{at}].name"
                        yield Cause("FieldValueNotFound", path, f'Not found: "{mount["name"]}"')


def _initial(value: Json, field: str) -> Iterator[Cause]:
    for index, container in enumerate(value.get("initContainers") or []):
        for member in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
            if container.get(member) is not None and container.get("restartPolicy") != "Always":
                at = f"{field}.initContainers[{index}].{member}"
                yield invalid_go_value(at, GO_TYPES[member], "must not be set for init containers")


def _host_network(value: Json, field: str) -> Iterator[Cause]:
    if not value.get("hostNetwork"):
        return
    for index, container in enumerate(value.get("containers") or []):
        for at, port in enumerate(container.get("ports") or []):
            if port.get("hostPort") != port.get("containerPort"):
                path = f"{field}.containers[{index}].ports[{at}].containerPort"
                yield invalid_value(path, port.get("containerPort"), "must match `hostPort` when `hostNetwork` is true")


def _key(value: Any, field: str) -> Iterator[Cause]:
    for problem in names.qualified_name(value or ""):
        yield invalid_value(field, value or "", problem)


def _toleration(value: Json, field: str) -> Iterator[Cause]:
    operator = value.get("operator") or "Equal"
    for problem in names.qualified_name(value["key"]) if value.get("key") else ():
        yield invalid_value(f"{field}.key", value["key"], problem)
    if not value.get("key") and operator != "Exists":
        yield invalid_value(
            f"{field}.operator",
            value.get("operator") or "",
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        )
    if value.get("tolerationSeconds") is not None and value.get("effect") != "NoExecute":
        yield invalid_value(
            f"{field}.effect", value.get("effect") or "", "effect must be 'NoExecute' when `tolerationSeconds` is set"
        )
    if operator == "Exists" and value.get("value"):
        yield invalid_go_value(
            f"{field}.operator", "core.Toleration", "value must be empty when `operator` is 'Exists'"
        )
    if operator not in ("Exists", "Equal"):
        yield not_supported(f"{field}.operator", operator, ("Equal", "Exists"))


def _effect(value: Any, field: str) -> Iterator[Cause]:
    if value and value not in EFFECTS:
        yield not_supported(field, value, EFFECTS)


def _values(value: Json, field: str) -> Iterator[Cause]:
    operator, found = value.get("operator"), value.get("values")
    if operator in ("In", "NotIn") and not found:
        yield required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    if operator in ("Exists", "DoesNotExist") and found:
        yield forbidden_value(f"{field}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    if operator in ("Gt", "Lt") and len(found or []) != 1:
        yield required(f"{field}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")


def _operator(*allowed: str) -> Any:
    def check(value: Any, field: str) -> Iterator[Cause]:
        if value not in allowed:
            yield invalid_value(field, value or "", "not a valid selector operator")

    return check


def _label_values(value: Any, field: str) -> Iterator[Cause]:
    yield from names.label_causes(field, value)


def _topology_keys(value: Any, field: str) -> Iterator[Cause]:
    if not value:
        yield required(field, "can not be empty")
    yield from _key(value, field)


def _spread(value: Any, field: str) -> Iterator[Cause]:
    if (value or 0) <= 0:
        yield invalid_value(field, value or 0, "must be greater than zero")


def _same_spread(value: Any, field: str) -> Iterator[Cause]:
    seen = set()
    for one in value or []:
        shown = f"{{{one.get('topologyKey') or ''}, {one.get('whenUnsatisfiable') or ''}}}"
        if shown in seen:
            # The real server names the first of them.
            yield duplicate(f"{field}[0].{{topologyKey, whenUnsatisfiable}}", shown)
        seen.add(shown)


def _nameservers(value: Any, field: str) -> Iterator[Cause]:
    if len(value or []) > MOST_NAMESERVERS:
        shown = f"[]string{{{', '.join(map(json.dumps, value))}}}"
        message = f"must not have more than {MOST_NAMESERVERS} nameservers"
        yield Cause("FieldValueInvalid", field, f"Invalid value: {shown}: {message}")
    for index, server in enumerate(value or []):
        yield from _address(server, f"{field}[{index}]")


def _aliases(value: Any, field: str) -> Iterator[Cause]:
    for alias in value or []:
        yield from _address(alias.get("ip"), f"{field}.ip")
        for name in alias.get("hostnames") or []:
            for problem in names.subdomain(name):
                yield invalid_value(f"{field}.hostnames", name, problem)


def _address(value: Any, field: str) -> Iterator[Cause]:
    if not is_address(value or ""):
        yield invalid_value(field, value or "", "must be valid IP address")


def _shared_processes(value: Json, field: str) -> Iterator[Cause]:
    if value.get("shareProcessNamespace") and value.get("hostPID"):
        message = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid_value(f"{field}.securityContext.shareProcessNamespace", True, message)


def _dns_none(value: Json, field: str) -> Iterator[Cause]:
    if value.get("dnsPolicy") == "None" and not (value.get("dnsConfig") or {}).get("nameservers"):
        if value.get("dnsConfig") is None:
            yield required(f"{field}.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")
        else:
            message = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield required(f"{field}.dnsConfig.nameservers", message)


RULES = (
    Rule(
        "PodSpec.topologySpreadConstraints",
        _same_spread,
        [{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}] * 2,
        'Duplicate value: "{a, DoNotSchedule}"',
        field="topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSpec",
        _shared_processes,
        {"shareProcessNamespace": True, "hostPID": True},
        "Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
        field="securityContext.shareProcessNamespace",
    ),
    Rule(
        "PodDNSConfig.nameservers",
        _nameservers,
        ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"],
        'Invalid value: []string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"}: must not have more than 3 nameservers',
    ),
    Rule(
        "PodSpec.hostAliases",
        _aliases,
        [{"ip": "10.0.0.1", "hostnames": ["A_b"]}],
        "Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        field="hostAliases.hostnames",
    ),
    Rule("PodSpec.containers", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "PodSpec",
        _container_names,
        {"containers": [{"name": "a", "image": "a"}, {"name": "a", "image": "b"}]},
        'Duplicate value: "a"',
        field="containers[1].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSpec",
        _container_names,
        {"initContainers": [{"name": "main", "image": "a"}]},
        'Duplicate value: "main"',
        field="initContainers[0].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSpec",
        _mounted_volumes,
        {"containers": [{"name": "a", "image": "a", "volumeMounts": [{"name": "none", "mountPath": "/a"}]}]},
        'Not found: "none"',
        field="containers[0].volumeMounts[0].name",
        reason="FieldValueNotFound",
    ),
    Rule(
        "PodSpec",
        _initial,
        {"initContainers": [{"name": "init", "image": "a", "livenessProbe": {"exec": {"command": ["a"]}}}]},
        "Invalid value: core.Probe{...}: must not be set for init containers",
        field="initContainers[0].livenessProbe",
    ),
    Rule(
        "PodSpec",
        _host_network,
        {
            "hostNetwork": True,
            "containers": [{"name": "a", "image": "a", "ports": [{"containerPort": 80, "hostPort": 81}]}],
        },
        "Invalid value: 80: must match `hostPort` when `hostNetwork` is true",
        field="containers[0].ports[0].containerPort",
    ),
    Rule(
        "PodSpec.restartPolicy",
        one_of("Always", "OnFailure", "Never"),
        "Sometimes",
        'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "PodSpec.dnsPolicy",
        one_of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"),
        "Host",
        'Unsupported value: "Host": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "PodSpec",
        _dns_none,
        {"dnsPolicy": "None", "dnsConfig": None},
        "Required value: must provide `dnsConfig` when `dnsPolicy` is None",
        field="dnsConfig",
        reason="FieldValueRequired",
    ),
    Rule(
        "PodSpec.activeDeadlineSeconds",
        between(1, 2147483647),
        0,
        "Invalid value: 0: must be between 1 and 2147483647, inclusive",
    ),
    Rule(
        "PodSpec.nodeSelector",
        _label_values,
        {"a/b/c": "x"},
        "Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ),
    Rule(
        "PodSpec.serviceAccountName",
        text(names.subdomain),
        "Web_1",
        "Invalid value: \"Web_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    Rule(
        "PodSpec.nodeName",
        text(names.subdomain),
        "Node_1",
        "Invalid value: \"Node_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    Rule(
        "PodSpec.hostname",
        text(names.label),
        "Web_1",
        "Invalid value: \"Web_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule(
        "PodSpec.subdomain",
        text(names.label),
        "Web_1",
        "Invalid value: \"Web_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule(
        "PodSpec.volumes",
        unique("name"),
        [
            {"name": "scratch", "emptyDir": {}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "a"}},
            {"name": "scratch", "emptyDir": {}},
        ],
        'Duplicate value: "scratch"',
        field="volumes[2].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSecurityContext.runAsUser",
        between(0, 2147483647),
        -1,
        "Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    Rule(
        "PodSecurityContext.runAsGroup",
        between(0, 2147483647),
        -1,
        "Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    Rule(
        "PodSecurityContext.fsGroup",
        between(0, 2147483647),
        -1,
        "Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    Rule(
        "PodSecurityContext.fsGroupChangePolicy",
        one_of("Always", "OnRootMismatch"),
        "Never",
        'Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
        reason="FieldValueNotSupported",
    ),
    Rule("Sysctl.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "PodSpec.hostAliases",
        _aliases,
        [{"ip": "300.1.1.1", "hostnames": ["a"]}],
        'Invalid value: "300.1.1.1": must be valid IP address',
        field="hostAliases.ip",
    ),
    Rule(
        "Toleration",
        _toleration,
        {"key": "a b"},
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        field="key",
    ),
    Rule(
        "Toleration",
        _toleration,
        {"key": None, "operator": "Equal"},
        'Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
        field="operator",
    ),
    Rule(
        "Toleration",
        _toleration,
        {"tolerationSeconds": 5},
        "Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
        field="effect",
    ),
    Rule(
        "Toleration",
        _toleration,
        {"value": "a"},
        "Invalid value: core.Toleration{...}: value must be empty when `operator` is 'Exists'",
        field="operator",
    ),
    Rule(
        "Toleration",
        _toleration,
        {"operator": "In"},
        'Unsupported value: "In": supported values: "Equal", "Exists"',
        field="operator",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "Toleration.effect",
        _effect,
        "Evict",
        'Unsupported value: "Evict": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "NodeSelector.nodeSelectorTerms",
        given("must have at least one node selector term"),
        None,
        "Required value: must have at least one node selector term",
        reason="FieldValueRequired",
    ),
    Rule(
        "NodeSelectorRequirement.key",
        _key,
        "a b",
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
    Rule(
        "NodeSelectorRequirement.operator",
        _operator(*NODE_OPERATORS),
        "Is",
        'Invalid value: "Is": not a valid selector operator',
    ),
    Rule(
        "NodeSelectorRequirement",
        _values,
        {"operator": "In", "values": None},
        "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        field="values",
        reason="FieldValueRequired",
    ),
    Rule(
        "NodeSelectorRequirement",
        _values,
        {"operator": "Exists", "values": ["a"]},
        "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        field="values",
        reason="FieldValueForbidden",
    ),
    Rule(
        "NodeSelectorRequirement",
        _values,
        {"operator": "Gt", "values": ["1", "2"]},
        "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        field="values",
        reason="FieldValueRequired",
    ),
    Rule(
        "LabelSelectorRequirement.operator",
        _operator("In", "NotIn", "Exists", "DoesNotExist"),
        "Is",
        'Invalid value: "Is": not a valid selector operator',
    ),
    Rule(
        "LabelSelectorRequirement",
        _values,
        {"operator": "In", "values": None},
        "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        field="values",
        reason="FieldValueRequired",
    ),
    Rule(
        "LabelSelectorRequirement",
        _values,
        {"operator": "Exists", "values": ["a"]},
        "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        field="values",
        reason="FieldValueForbidden",
    ),
    Rule(
        "LabelSelectorRequirement.key",
        _key,
        "a b",
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
    Rule(
        "LabelSelector.matchLabels",
        _label_values,
        {"a b": "c"},
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
    Rule(
        "PreferredSchedulingTerm.weight",
        between(1, 100, "must be in the range 1-100"),
        0,
        "Invalid value: 0: must be in the range 1-100",
    ),
    Rule(
        "WeightedPodAffinityTerm.weight",
        between(1, 100, "must be in the range 1-100"),
        101,
        "Invalid value: 101: must be in the range 1-100",
    ),
    Rule(
        "PodAffinityTerm.topologyKey",
        _topology_keys,
        None,
        "Required value: can not be empty",
        reason="FieldValueRequired",
    ),
    Rule(
        "TopologySpreadConstraint.topologyKey",
        given("can not be empty"),
        None,
        "Required value: can not be empty",
        reason="FieldValueRequired",
    ),
    Rule("TopologySpreadConstraint.maxSkew", _spread, 0, "Invalid value: 0: must be greater than zero"),
    Rule(
        "TopologySpreadConstraint.whenUnsatisfiable",
        one_of("DoNotSchedule", "ScheduleAnyway"),
        "Ignore",
        'Unsupported value: "Ignore": supported values: "DoNotSchedule", "ScheduleAnyway"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "PodDNSConfig.nameservers",
        _nameservers,
        ["a"],
        'Invalid value: "a": must be valid IP address',
        field="nameservers[0]",
    ),
    Rule(
        "PodReadinessGate.conditionType",
        _key,
        "a b",
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
)
