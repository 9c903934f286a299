"""Bundles in the shape and size of those that operators publish, written for these tests.

Each is phases in order, each phase documents: definitions of custom kinds with large schemas, then namespaces, access
and settings, then what runs, then objects of the custom kinds.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shared.json_object import Json

Bundle = Mapping[str, list[Json]]

RBAC = "rbac.authorization.k8s.io"
WORDS = (
    *("endpoint", "interval", "timeout", "selector", "policy", "template", "source", "target", "retry", "secret"),
    *(
        "config",
        "storage",
        "replica",
        "version",
        "label",
        "param",
        "header",
        "token",
        "issuer",
        "route",
        "rule",
        "match",
    ),
)


def _schema(random_: random.Random, depth: int) -> Json:
    """Return the schema of an object with as many members and kinds of values as those of operators have."""
    properties: Json = {}
    for number in range(random_.randint(6, 9)):
        name = f"{random_.choice(WORDS)}{random_.choice(WORDS).title()}{number}"
        text = " ".join(random_.choice(WORDS) for _ in range(12)).capitalize() + "."
        properties[name] = {"description": text} | _value(random_, depth)
    return {"type": "object", "properties": properties}


def _value(random_: random.Random, depth: int) -> Json:
    scalars: tuple[Json, ...] = (
        {"type": "string", "default": "Always", "enum": ["Always", "Never", "IfNotPresent"]},
        {"type": "string", "pattern": "^[0-9]+(ms|s|m|h)$", "example": "30s"},
        {"type": "integer", "format": "int32", "minimum": 0, "default": 3},
        {"type": "boolean", "default": False},
        {"type": "number", "default": 0.5, "maximum": 1},
        {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "string", "nullable": True, "format": "date-time"},
    )
    if depth and random_.random() < 0.6:
        inner = _schema(random_, depth - 1)
        if random_.random() < 0.4:
            inner["properties"]["name"] = {"type": "string"}
            inner["required"] = ["name"]
            return {
                "type": "array",
                "items": inner,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            }
        return inner
    return dict(random_.choice(scalars))


def _definition(group: str, kind: str, depth: int, *, scope: str = "Namespaced") -> Json:
    random_ = random.Random(f"{kind}.{group}")  # noqa: S311 - the same schema in each run
    plural = f"{kind.lower()}s"
    schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": _schema(random_, depth),
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}", "annotations": {"controller-gen.kubebuilder.io/version": "v0.17.2"}},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
                "categories": ["operators"],
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [
                        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
                    ],
                }
            ],
        },
    }


def _object(api_version: str, kind: str, name: str, namespace: str = "", **members: Any) -> Json:
    metadata: Json = {"name": name, "labels": {"app.kubernetes.io/name": name}}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata | ({"namespace": namespace} if namespace else {}),
        **members,
    }


def _template(name: str, **pod: Any) -> Json:
    container = {
        "name": name,
        "image": f"quay.io/example/{name}:v1.2.3",
        "args": ["--v=2", "--leader-elect", f"--name={name}"],
        "env": [
            {"name": "NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
            {"name": "MODE", "valueFrom": {"configMapKeyRef": {"name": f"{name}-settings", "key": "mode"}}},
        ],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "initialDelaySeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8080}, "periodSeconds": 5},
        "resources": {"requests": {"cpu": "100m", "memory": "90Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": [{"name": "settings", "mountPath": "/etc/settings", "readOnly": True}],
    }
    return {
        "metadata": {"labels": {"app.kubernetes.io/name": name}},
        "spec": {
            "containers": [container],
            "serviceAccountName": name,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "volumes": [
                {"name": "settings", "configMap": {"name": f"{name}-settings"}},
                {"name": "scratch", "emptyDir": {"sizeLimit": "50Mi"}},
            ],
            **pod,
        },
    }


def _component(namespace: str, name: str, kind: str = "Deployment", replicas: int = 2) -> Iterator[tuple[str, Json]]:
    """Yield the documents of one program, each with the phase that it belongs to."""
    settings = {"mode": "strict", "config.yaml": "\n".join(f"option{number}: {number}" for number in range(40))}
    yield "access", _object("v1", "ServiceAccount", name, namespace, automountServiceAccountToken=False)
    yield "access", _object("v1", "ConfigMap", f"{name}-settings", namespace, data=settings)
    rules = [
        {"apiGroups": [""], "resources": ["pods", "services", "endpoints"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["*"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
    ]
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    for scope, where in (("ClusterRole", ""), ("Role", namespace)):
        yield "access", _object(f"{RBAC}/v1", scope, f"{namespace}-{name}", where, rules=rules)
        reference = {"apiGroup": RBAC, "kind": scope, "name": f"{namespace}-{name}"}
        yield (
            "access",
            _object(
                f"{RBAC}/v1", f"{scope}Binding", f"{namespace}-{name}", where, roleRef=reference, subjects=[subject]
            ),
        )
    yield (
        "access",
        _object(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            name,
            namespace,
            spec={
                "podSelector": {"matchLabels": {"app.kubernetes.io/name": name}},
                "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"from": [{"podSelector": {}}], "ports": [{"port": 8080, "protocol": "TCP"}]}],
                "egress": [{}],
            },
        ),
    )
    selector = {"matchLabels": {"app.kubernetes.io/name": name}}
    spec: Json = {"selector": selector, "template": _template(name)}
    if kind != "DaemonSet":
        spec["replicas"] = replicas
    if kind == "StatefulSet":
        spec["serviceName"] = name
    yield "workloads", _object("apps/v1", kind, name, namespace, spec=spec)
    ports = [{"name": "http", "port": 8080, "targetPort": "http", "protocol": "TCP"}]
    yield (
        "workloads",
        _object("v1", "Service", name, namespace, spec={"selector": selector["matchLabels"], "ports": ports}),
    )


def _webhook(namespace: str, name: str, kind: str) -> Json:
    group = f"{namespace}.example.com"
    hook = {
        "name": f"{name}.{group}",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        # Nothing answers: the bundle must not lock itself out where webhooks are called.
        "failurePolicy": "Ignore",
        "timeoutSeconds": 1,
        "clientConfig": {"service": {"name": name, "namespace": namespace, "path": "/admit"}},
        "namespaceSelector": {"matchExpressions": [{"key": "admission", "operator": "NotIn", "values": ["off"]}]},
        "rules": [{"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["*"]}],
    }
    return _object("admissionregistration.k8s.io/v1", kind, f"{namespace}-{name}", webhooks=[hook])


def _bundle(namespace: str, group: str, kinds: Mapping[str, int], parts: list[Iterator[tuple[str, Json]]]) -> Bundle:
    phases: dict[str, list[Json]] = {
        "definitions": [_definition(group, kind, depth) for kind, depth in kinds.items()],
        "access": [_object("v1", "Namespace", namespace)],
        "workloads": [],
        "customs": [_object(f"{group}/v1", kind, f"first-{kind.lower()}", namespace, spec={}) for kind in kinds],
    }
    for phase, document in (one for part in parts for one in part):
        phases[phase].append(document)
    return phases


def kube_prometheus(namespace: str) -> Bundle:
    """Return ten definitions, some of them hundreds of kilobytes, and eight programs with rules and monitors."""
    names = ("Prometheus", "Alertmanager", "ThanosRuler", "PrometheusAgent", "ScrapeConfig")
    kinds = dict.fromkeys(names, 3) | dict.fromkeys(("ServiceMonitor", "PodMonitor", "Probe", "Receiver", "Rule"), 2)
    deployments = ("prometheus-operator", "grafana", "kube-state-metrics", "prometheus-adapter", "blackbox-exporter")
    parts = [_component(namespace, name) for name in deployments]
    parts += [_component(namespace, name, "StatefulSet") for name in ("prometheus-k8s", "alertmanager-main")]
    parts += [_component(namespace, "node-exporter", "DaemonSet")]
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app.kubernetes.io/name": "prometheus-k8s"}}}
    bundle = _bundle(namespace, f"{namespace}.example.com", kinds, parts)
    bundle["workloads"].append(_object("policy/v1", "PodDisruptionBudget", "prometheus-k8s", namespace, spec=budget))
    bundle["access"] += [
        _object("v1", "ConfigMap", f"dashboard-{number}", namespace, data={"dashboard.json": '{"panels": []}' * 400})
        for number in range(20)
    ]
    return bundle


def argo_cd(namespace: str) -> Bundle:
    """Return three definitions, one of them of almost a megabyte, and seven programs with Secrets."""
    kinds = {"Application": 3, "ApplicationSet": 4, "AppProject": 2}
    programs = ("redis", "repo-server", "server", "dex-server", "notifications-controller", "applicationset-controller")
    parts = [_component(namespace, f"argocd-{name}") for name in programs]
    parts += [_component(namespace, "argocd-application-controller", "StatefulSet", 1)]
    bundle = _bundle(namespace, f"{namespace}.example.com", kinds, parts)
    for name in ("argocd-secret", "argocd-notifications-secret"):
        bundle["access"].append(_object("v1", "Secret", name, namespace, type="Opaque"))
    for name in ("argocd-cm", "argocd-rbac-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm"):
        bundle["access"].append(_object("v1", "ConfigMap", name, namespace))
    return bundle


def cert_manager(namespace: str) -> Bundle:
    """Return six definitions, three programs, both webhook configurations, and a Job that checks the installation."""
    kinds = {"Certificate": 3, "CertificateRequest": 2, "Issuer": 3, "ClusterIssuer": 3, "Order": 2, "Challenge": 3}
    names = ("cert-manager", "cert-manager-cainjector", "cert-manager-webhook")
    bundle = _bundle(
        namespace, f"{namespace}.example.com", kinds, [_component(namespace, name, replicas=1) for name in names]
    )
    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
        bundle["workloads"].append(_webhook(namespace, "cert-manager-webhook", kind))
    bundle["workloads"].append(_job(namespace, "startupapicheck"))
    return bundle


def ingress_nginx(namespace: str) -> Bundle:
    """Return a controller with its class, a webhook configuration, and the two Jobs that make its certificate."""
    bundle = _bundle(namespace, f"{namespace}.example.com", {}, [_component(namespace, "controller", replicas=1)])
    bundle["workloads"] += [
        _object("networking.k8s.io/v1", "IngressClass", f"{namespace}-nginx", spec={"controller": "example.com/nginx"}),
        _webhook(namespace, "controller", "ValidatingWebhookConfiguration"),
        *(_job(namespace, f"admission-{name}") for name in ("create", "patch")),
    ]
    bundle["customs"].append(
        _object(
            "networking.k8s.io/v1",
            "Ingress",
            "shop",
            namespace,
            spec={
                "ingressClassName": f"{namespace}-nginx",
                "tls": [{"hosts": ["shop.example.com"], "secretName": "shop"}],
                "rules": [
                    {
                        "host": "shop.example.com",
                        "http": {
                            "paths": [
                                {
                                    "path": "/",
                                    "pathType": "Prefix",
                                    "backend": {"service": {"name": "controller", "port": {"number": 8080}}},
                                }
                            ]
                        },
                    }
                ],
            },
        )
    )
    return bundle


def _job(namespace: str, name: str) -> Json:
    template = _template(name, restartPolicy="OnFailure", serviceAccountName="default")
    # The API server adds labels to the pods of Jobs.
    return _object("batch/v1", "Job", name, namespace, spec={"backoffLimit": 4, "template": template})


BUNDLES: Mapping[str, Callable[[str], Bundle]] = {
    "kube-prometheus": kube_prometheus,
    "argo-cd": argo_cd,
    "cert-manager": cert_manager,
    "ingress-nginx": ingress_nginx,
}
