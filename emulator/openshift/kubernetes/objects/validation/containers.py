"""The rules of containers: names, images, ports, environment, resources, probes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names, quantities
from emulator.openshift.kubernetes.objects.validation.checks import (
    Rule,
    at_least,
    between,
    exactly,
    given,
    invalid_go_value,
    matches,
    not_negative,
    one_of,
    one_source,
    quantities_of,
    text,
    unique,
)

PORTS = (1, 65535)
HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
ENV_NAME = "[-._a-zA-Z][-._a-zA-Z0-9]*"
ENV_MESSAGE = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not "
    f"start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '{ENV_NAME}')"
)
FIELD_PATHS = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.podIP", "status.podIPs"),
)
# Every path that Go can convert, though not every one of these means something in the environment.
KNOWN_PATHS = (*FIELD_PATHS, "spec.host", "spec.restartPolicy", "spec.schedulerName", "status.hostIPs", "status.phase")
DIVISORS = {
    "cpu": ("1m", "1"),
    "memory": ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"),
}
PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
# Resources that exist, though containers cannot have them.
OF_OTHERS = ("storage", "pods", "services", "secrets", "configmaps", "persistentvolumeclaims")
RESOURCES = ("cpu", "memory", "ephemeral-storage")
OVERCOMMITTED = ("hugepages-",)
CONTAINER_RESOURCES = (
    *("limits.cpu", "limits.ephemeral-storage", "limits.memory"),
    *("requests.cpu", "requests.ephemeral-storage", "requests.memory"),
)
HEADER = "[-A-Za-z0-9]+"
HEADER_MESSAGE = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
    f"validation is '{HEADER}')"
)
SOURCES = ("configMapKeyRef", "fieldRef", "resourceFieldRef", "secretKeyRef")


def port_name(value: str) -> Iterator[str]:
    """Yield what is wrong with the name of a port."""
    if len(value) > 15:  # noqa: PLR2004 - RFC 6335
        yield "must be no more than 15 characters"
    if not re.fullmatch("[-a-z0-9]+", value):
        yield "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
    if not re.search("[a-z]", value):
        yield "must contain at least one letter or number (a-z, 0-9)"
    if "--" in value:
        yield "must not contain consecutive hyphens"
    if value.startswith("-") or value.endswith("-"):
        yield "must not begin or end with a hyphen"


def int_or_name(value: Any, field: str) -> Iterator[Cause]:
    """Refuse what is neither the number nor the name of a port."""
    if isinstance(value, int):
        yield from between(*PORTS)(value, field)
    else:
        for problem in port_name(value or ""):
            yield invalid_value(field, value or "", problem)


def _trimmed(value: Any, field: str) -> Iterator[Cause]:
    if value and value != value.strip():
        yield invalid_value(field, value, "must not have leading or trailing whitespace")


def _host_ports(value: Json, field: str) -> Iterator[Cause]:
    seen = set()
    for index, port in enumerate(value.get("ports") or []):
        if not port.get("hostPort"):
            continue
        shown = f"{port.get('protocol', 'TCP')}/{port.get('hostIP', '')}/{port['hostPort']}"
        if shown in seen:
            yield Cause("FieldValueDuplicate", f"{field}.ports[{index}].hostPort", f'Duplicate value: "{shown}"')
        seen.add(shown)


def _env_source(value: Json, field: str) -> Iterator[Cause]:
    source = value.get("valueFrom")
    if source is None:
        return
    found = [name for name in SOURCES if source.get(name) is not None]
    if not found:
        one = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
        yield invalid_value(f"{field}.valueFrom", "", f"must specify one of: {one}")
    elif value.get("value"):
        yield invalid_value(f"{field}.valueFrom", "", "may not be specified when `value` is not empty")
    elif len(found) > 1:
        yield invalid_value(f"{field}.valueFrom", "", "may not have more than one field specified at a time")


def _field_path(value: Any, field: str) -> Iterator[Cause]:
    # Labels and annotations can be read one at a time here, and as a whole in a volume only.
    found = re.fullmatch(r"metadata\.(?:labels|annotations)(?:\['(.+)'\])?", value or "")
    if found:
        for problem in names.qualified_name(found[1].lower()) if found[1] else ():
            yield invalid_value(field.rpartition(".")[0], found[1], problem)
    elif value and value not in KNOWN_PATHS:
        message = f"error converting fieldPath: field label not supported: {value}"
        yield invalid_value(field, value, message)
    elif value and value != "status.hostIPs":
        yield from one_of(*sorted(FIELD_PATHS))(value, field)


def _divisor(value: Json, field: str) -> Iterator[Cause]:
    resource, divisor = value.get("resource") or "", value.get("divisor") or "0"
    kind = resource.rpartition(".")[2]
    allowed = DIVISORS["memory" if kind == "ephemeral-storage" else kind] if resource in CONTAINER_RESOURCES else ()
    if allowed and divisor != "0" and divisor not in allowed:
        message = f"only divisor's values {_listed(allowed)} are supported with the {kind} resource"
        yield invalid_value(f"{field}.divisor", resource, message)


def _listed(texts: Sequence[str]) -> str:
    return " and ".join(texts) if len(texts) == 2 else ", ".join(texts)  # noqa: PLR2004 - two of them


def _resource_name(name: str, _amount: str, field: str) -> Iterator[Cause]:
    if "/" not in name:
        if name not in RESOURCES and not name.startswith(OVERCOMMITTED):
            if name not in OF_OTHERS:
                yield invalid_value(field, name, "must be a standard resource type or fully qualified")
            yield invalid_value(field, name, "must be a standard resource for containers")
    else:
        for problem in names.qualified_name(name):
            yield invalid_value(field, name, problem)


def _within_limits(value: Json, field: str) -> Iterator[Cause]:
    limits = value.get("limits") or {}
    for name, amount in sorted((value.get("requests") or {}).items()):
        if name in limits and quantities.number(amount) > quantities.number(limits[name]):
            yield invalid_value(f"{field}.requests", amount, f"must be less than or equal to {name} limit")


def _whole(value: Json, field: str) -> Iterator[Cause]:
    """Check the resources that no node promises twice: huge pages and devices."""
    limits, requests = value.get("limits") or {}, value.get("requests") or {}
    if any("/" in name or name.startswith(OVERCOMMITTED) for name in requests.keys() - limits.keys()):
        yield required(f"{field}.limits", "Limit must be set for non overcommitable resources")
    asked = limits.keys() | requests.keys()
    if any(name.startswith(OVERCOMMITTED) for name in asked) and not {"cpu", "memory"} & asked:
        yield forbidden_value(field, "HugePages require cpu or memory")


def _privileged(value: Json, field: str) -> Iterator[Cause]:
    if value.get("privileged") and value.get("allowPrivilegeEscalation") is False:
        message = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid_go_value(field, "core.SecurityContext", message)


def _mounts(value: Json, field: str) -> Iterator[Cause]:
    devices = {device.get("devicePath") for device in value.get("volumeDevices") or []}
    for index, mount in enumerate(value.get("volumeMounts") or []):
        if mount.get("mountPath") in devices and mount.get("mountPath"):
            yield invalid_value(
                f"{field}.volumeMounts[{index}].mountPath",
                mount["mountPath"],
                "must not already exist as a path in volumeDevices",
            )
    paths = {mount.get("mountPath") for mount in value.get("volumeMounts") or []}
    for index, device in enumerate(value.get("volumeDevices") or []):
        if device.get("devicePath") in paths and device.get("devicePath"):
            yield invalid_value(
                f"{field}.volumeDevices[{index}].devicePath",
                device["devicePath"],
                "must not already exist as a path in volumeMounts",
            )


def _unique_mounts(value: Any, field: str) -> Iterator[Cause]:
    seen = set()
    for index, mount in enumerate(value or []):
        path = mount.get("mountPath")
        if path in seen:
            yield invalid_value(f"{field}[{index}].mountPath", path, "must be unique")
        seen.add(path)


def relative(value: Any, field: str) -> Iterator[Cause]:
    """Refuse an absolute path, and one that leaves its folder."""
    if value and value.startswith("/"):
        yield invalid_value(field, value, "must be a relative path")
    if value and ".." in value.split("/"):
        yield invalid_value(field, value, "must not contain '..'")


def _liveness(value: Json, field: str) -> Iterator[Cause]:
    for probe in ("livenessProbe", "startupProbe"):
        threshold = (value.get(probe) or {}).get("successThreshold", 1)
        yield from exactly(1, "must be 1")(threshold, f"{field}.{probe}.successThreshold")


def _env_from(value: Any, field: str) -> Iterator[Cause]:
    for source in value or []:
        found = [source.get(member) is not None for member in ("configMapRef", "secretRef")]
        if all(found):
            yield invalid_value(field, "", "may not have more than one field specified at a time")
        elif not any(found):
            yield invalid_value(field, "", "must specify one of: `configMapRef` or `secretRef`")


def _message_policy(value: Any, field: str) -> Iterator[Cause]:
    if value not in (None, "File", "FallbackToLogsOnError"):
        yield invalid_value(field, value, "must be 'File' or 'FallbackToLogsOnError'")


def name_of_object(value: Any, field: str) -> Iterator[Cause]:
    """Refuse what cannot be the name of an object, and no name."""
    for problem in names.subdomain(value or ""):
        yield invalid_value(field, value or "", problem)


def _mount_name(value: Any, field: str) -> Iterator[Cause]:
    if not value:
        yield required(field)
        yield Cause("FieldValueNotFound", field, 'Not found: ""')


def _sub_paths(value: Any, field: str) -> Iterator[Cause]:
    for mount in value or []:
        yield from relative(mount.get("subPath"), f"{field}.subPath")


def _sub_path_or_expression(value: Any, field: str) -> Iterator[Cause]:
    for index, mount in enumerate(value or []):
        if mount.get("subPath") and mount.get("subPathExpr"):
            at = f"{field}[{index}].subPathExpr"
            yield invalid_value(at, mount["subPathExpr"], "subPathExpr and subPath are mutually exclusive")


def _propagation(value: Any, field: str) -> Iterator[Cause]:
    # The real server leaves out the index.
    for mount in value or []:
        yield from one_of(*PROPAGATIONS)(mount.get("mountPropagation"), f"{field}.mountPropagation")


def _container_port(value: Any, field: str) -> Iterator[Cause]:
    yield from between(*PORTS)(value, field) if value else given()(None, field)


def _probed(value: Any, field: str) -> Iterator[Cause]:
    yield from int_or_name(0 if value is None else value, field)


def _headers(value: Any, field: str) -> Iterator[Cause]:
    for header in value or []:
        yield from matches(HEADER, HEADER_MESSAGE)(header.get("name"), field)


RULES = (
    Rule("Container.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "Container.name",
        text(names.label),
        "Main_1",
        "Invalid value: \"Main_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule("Container.image", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "Container.image",
        _trimmed,
        " quay.io/main",
        'Invalid value: " quay.io/main": must not have leading or trailing whitespace',
    ),
    Rule(
        "Container.imagePullPolicy",
        one_of("Always", "IfNotPresent", "Never"),
        "Sometimes",
        'Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "Container.terminationMessagePolicy",
        _message_policy,
        "Log",
        "Invalid value: \"Log\": must be 'File' or 'FallbackToLogsOnError'",
    ),
    Rule(
        "Container.ports",
        unique("name"),
        [{"name": "a", "containerPort": 1}, {"name": "a", "containerPort": 2}],
        'Duplicate value: "a"',
        field="ports[1].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "Container",
        _host_ports,
        {"ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}]},
        'Duplicate value: "TCP//9"',
        field="ports[1].hostPort",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "Container.volumeMounts",
        _unique_mounts,
        [{"name": "scratch", "mountPath": "/a"}, {"name": "host", "mountPath": "/a"}],
        'Invalid value: "/a": must be unique',
        field="volumeMounts[1].mountPath",
    ),
    Rule(
        "Container",
        _mounts,
        {"volumeMounts": [{"name": "scratch", "mountPath": "/dev/claim"}]},
        'Invalid value: "/dev/claim": must not already exist as a path in volumeDevices',
        field="volumeMounts[0].mountPath",
    ),
    Rule(
        "Container",
        _liveness,
        {"livenessProbe": {"exec": {"command": ["true"]}, "successThreshold": 2}},
        "Invalid value: 2: must be 1",
        field="livenessProbe.successThreshold",
    ),
    Rule(
        "ContainerPort.name",
        text(port_name),
        "Main_1",
        'Invalid value: "Main_1": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ),
    Rule(
        "ContainerPort.name",
        text(port_name),
        "a-name-of-17-char",
        'Invalid value: "a-name-of-17-char": must be no more than 15 characters',
    ),
    Rule(
        "ContainerPort.name",
        text(port_name),
        "8080",
        'Invalid value: "8080": must contain at least one letter or number (a-z, 0-9)',
    ),
    *(
        Rule("ContainerPort.containerPort", _container_port, missing, "Required value", reason="FieldValueRequired")
        for missing in (None, 0)
    ),
    Rule(
        "ContainerPort.containerPort",
        _container_port,
        99999,
        "Invalid value: 99999: must be between 1 and 65535, inclusive",
    ),
    Rule(
        "ContainerPort.hostPort", between(*PORTS), 99999, "Invalid value: 99999: must be between 1 and 65535, inclusive"
    ),
    Rule(
        "ContainerPort.protocol",
        one_of("SCTP", "TCP", "UDP"),
        "HTTP",
        'Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
        reason="FieldValueNotSupported",
    ),
    Rule("EnvVar.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "EnvVar.name",
        matches(ENV_NAME, ENV_MESSAGE),
        "1ST",
        "Invalid value: \"1ST\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
    ),
    Rule(
        "EnvVar",
        _env_source,
        {"valueFrom": {}},
        'Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
        field="valueFrom",
    ),
    Rule(
        "EnvVar",
        _env_source,
        {"value": "1", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}},
        'Invalid value: "": may not be specified when `value` is not empty',
        field="valueFrom",
    ),
    Rule(
        "Container.envFrom",
        _env_from,
        [{"configMapRef": {"name": "a"}, "secretRef": {"name": "a"}}],
        'Invalid value: "": may not have more than one field specified at a time',
    ),
    Rule(
        "EnvFromSource.prefix",
        matches(ENV_NAME, ENV_MESSAGE),
        "1",
        "Invalid value: \"1\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
    ),
    Rule("ConfigMapEnvSource.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("SecretEnvSource.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "ConfigMapKeySelector.name",
        name_of_object,
        None,
        "Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    Rule("ConfigMapKeySelector.key", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "ConfigMapKeySelector.key",
        text(names.config_key),
        "a/b",
        "Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ),
    Rule(
        "SecretKeySelector.name",
        name_of_object,
        None,
        "Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    Rule("SecretKeySelector.key", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "SecretKeySelector.key",
        text(names.config_key),
        "a/b",
        "Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ),
    Rule("ObjectFieldSelector.fieldPath", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "ObjectFieldSelector.fieldPath",
        _field_path,
        "status.phase",
        'Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.podIP", "status.podIPs"',
        reason="FieldValueNotSupported",
    ),
    Rule("ResourceFieldSelector.resource", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "ResourceFieldSelector.resource",
        one_of(*CONTAINER_RESOURCES),
        "limits.disk",
        'Unsupported value: "limits.disk": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "ResourceRequirements.limits",
        quantities_of(_resource_name),
        {"cpus": "1"},
        'Invalid value: "cpus": must be a standard resource type or fully qualified',
        field="limits[cpus]",
    ),
    Rule(
        "ResourceRequirements.requests",
        quantities_of(_resource_name),
        {"cpus": "1"},
        'Invalid value: "cpus": must be a standard resource type or fully qualified',
        field="requests[cpus]",
    ),
    Rule(
        "ResourceRequirements.limits",
        quantities_of(not_negative),
        {"cpu": "-1"},
        'Invalid value: "-1": must be greater than or equal to 0',
        field="limits[cpu]",
    ),
    Rule(
        "ResourceRequirements.requests",
        quantities_of(not_negative),
        {"cpu": "-1"},
        'Invalid value: "-1": must be greater than or equal to 0',
        field="requests[cpu]",
    ),
    Rule(
        "ResourceRequirements",
        _within_limits,
        {"requests": {"cpu": "3"}},
        'Invalid value: "3": must be less than or equal to cpu limit',
        field="requests",
    ),
    Rule(
        "Container.volumeMounts",
        _sub_path_or_expression,
        [{"name": "scratch", "mountPath": "/a", "subPath": "a", "subPathExpr": "b"}],
        'Invalid value: "b": subPathExpr and subPath are mutually exclusive',
        field="volumeMounts[0].subPathExpr",
    ),
    Rule(
        "Container.volumeMounts",
        _propagation,
        [{"name": "scratch", "mountPath": "/a", "mountPropagation": "Both"}],
        'Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"',
        field="volumeMounts.mountPropagation",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "Container.envFrom",
        _env_from,
        [{"prefix": "A"}],
        'Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
        field="envFrom",
    ),
    Rule(
        "ResourceFieldSelector",
        _divisor,
        {"divisor": "3"},
        'Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
        field="divisor",
    ),
    Rule(
        "ResourceFieldSelector",
        _divisor,
        {"resource": "requests.memory", "divisor": "3"},
        'Invalid value: "requests.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
        field="divisor",
    ),
    Rule(
        "ResourceRequirements",
        _whole,
        {"requests": {"example.com/gpu": "1"}},
        "Required value: Limit must be set for non overcommitable resources",
        field="limits",
        reason="FieldValueRequired",
    ),
    Rule(
        "ResourceRequirements",
        _whole,
        {"limits": {"hugepages-2Mi": "2Mi"}, "requests": {"hugepages-2Mi": "2Mi"}},
        "Forbidden: HugePages require cpu or memory",
        field=".",
        reason="FieldValueForbidden",
    ),
    Rule(
        "ObjectFieldSelector.fieldPath",
        _field_path,
        "metadata.foo",
        'Invalid value: "metadata.foo": error converting fieldPath: field label not supported: metadata.foo',
    ),
    Rule(
        "ObjectFieldSelector.fieldPath",
        _field_path,
        "metadata.labels['a b']",
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        field=".",
    ),
    Rule("VolumeMount.name", _mount_name, None, "Required value", reason="FieldValueRequired"),
    Rule("VolumeMount.mountPath", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "Container.volumeMounts",
        _sub_paths,
        [{"name": "scratch", "mountPath": "/a", "subPath": "/etc"}],
        'Invalid value: "/etc": must be a relative path',
        field="volumeMounts.subPath",
    ),
    Rule(
        "Container.volumeMounts",
        _sub_paths,
        [{"name": "scratch", "mountPath": "/a", "subPath": "../etc"}],
        "Invalid value: \"../etc\": must not contain '..'",
        field="volumeMounts.subPath",
    ),
    Rule("VolumeDevice.devicePath", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "Probe",
        one_source(
            ("exec", "httpGet", "tcpSocket", "grpc"),
            "must specify a handler type",
            "may not specify more than 1 handler type",
        ),
        {"httpGet": None},
        "Required value: must specify a handler type",
        reason="FieldValueRequired",
    ),
    Rule(
        "Probe",
        one_source(
            ("exec", "httpGet", "tcpSocket", "grpc"),
            "must specify a handler type",
            "may not specify more than 1 handler type",
        ),
        {"tcpSocket": {"port": 1}},
        "Forbidden: may not specify more than 1 handler type",
        reason="FieldValueForbidden",
        field="tcpSocket",
    ),
    Rule("Probe.initialDelaySeconds", at_least(0), -1, "Invalid value: -1: must be greater than or equal to 0"),
    Rule("Probe.timeoutSeconds", at_least(0), -1, "Invalid value: -1: must be greater than or equal to 0"),
    Rule("Probe.periodSeconds", at_least(0), -1, "Invalid value: -1: must be greater than or equal to 0"),
    Rule("Probe.failureThreshold", at_least(0), -1, "Invalid value: -1: must be greater than or equal to 0"),
    Rule(
        "LifecycleHandler",
        one_source(
            ("exec", "httpGet", "tcpSocket", "sleep"),
            "must specify a handler type",
            "may not specify more than 1 handler type",
        ),
        {"exec": None},
        "Required value: must specify a handler type",
        reason="FieldValueRequired",
    ),
    Rule("ExecAction.command", given(), None, "Required value", reason="FieldValueRequired"),
    *(
        Rule("HTTPGetAction.port", _probed, missing, "Invalid value: 0: must be between 1 and 65535, inclusive")
        for missing in (0, None)
    ),
    Rule(
        "HTTPGetAction.port",
        _probed,
        "Main_1",
        'Invalid value: "Main_1": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ),
    Rule(
        "HTTPGetAction.scheme",
        one_of("HTTP", "HTTPS"),
        "FTP",
        'Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "HTTPGetAction.httpHeaders",
        _headers,
        [{"name": "a b", "value": "c"}],
        "Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
    ),
    Rule("TCPSocketAction.port", int_or_name, 99999, "Invalid value: 99999: must be between 1 and 65535, inclusive"),
    Rule(
        "SecurityContext",
        _privileged,
        {"privileged": True, "allowPrivilegeEscalation": False},
        "Invalid value: core.SecurityContext{...}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
    ),
    Rule(
        "SecurityContext.runAsUser",
        between(0, 2147483647),
        -1,
        "Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    Rule(
        "SecurityContext.runAsGroup",
        between(0, 2147483647),
        -1,
        "Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    Rule(
        "SeccompProfile.type",
        one_of("Localhost", "RuntimeDefault", "Unconfined"),
        "Strict",
        'Unsupported value: "Strict": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
        reason="FieldValueNotSupported",
    ),
)
