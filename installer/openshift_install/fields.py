"""The fields in which a cluster of this service differs from what `openshift-install` makes: one row for each.

Everything else in its documents stays its own. The machines that it describes are those that our templates make
(`shared/azure/templates`), and its control plane machine set describes the same ones: if they differed, the cluster
would replace its masters one by one.

Source: openshift/installer 4.19 `pkg/asset/machines/azure/machines.go`, `pkg/asset/manifests/azure`,
`pkg/asset/manifests/dns.go`, `openshift.go`.
"""

import base64
import copy
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from installer import manifest_yaml
from installer.assets import platform, workload_identity
from installer.back_end_errors import InstallerError
from installer.graph import Inputs
from installer.openshift_install import ignition_snippets
from shared import kubernetes_yaml

ADJUST = "adjust manifests"
Value = Callable[[Inputs, Any], Any]
"""Returns a field's value from the graph's inputs and the program's own value; None stands for no such field."""


@dataclass(frozen=True)
class Field:
    """One field of the program's documents.

    Args:
        files: pattern of the files that have it. There has to be one at least.
        path: names, with dots between them.
        value: returns its value.
        reason: why it differs from the program's.
        inside: path in the JSON text that the field holds; empty for the field itself.
    """

    files: str
    path: str
    value: Value
    reason: str
    inside: str = ""


def _of_infra_id(suffix: str) -> Value:
    return lambda inputs, _current: f"{inputs['cluster-id']['infraId']}{suffix}"


def _none(_given: Inputs, _current: Any) -> None:
    """Leave the field out."""


def _public_balancer(inputs: Inputs, current: Any) -> Any:
    return current and f"{inputs['cluster-id']['infraId']}-public-lb"


def _diagnostics(inputs: Inputs, _current: Any) -> Any:
    uri = inputs["cluster-id"]["diagnosticsUri"]
    return {"boot": {"storageAccountType": "CustomerManaged", "customerManaged": {"storageAccountURI": uri}}}


def _image(inputs: Inputs, current: Any) -> Any:
    """Return an image by its id. The machine API puts the cluster's subscription in front of it."""
    if not (image := inputs["release-image"].get("machineImage", {}).get("id")):
        return current
    path = image[image.lower().index("/resourcegroups/") :]
    return {"publisher": "", "offer": "", "sku": "", "version": "", "resourceID": path}


def _with_mode(inputs: Inputs, current: Any) -> Any:
    """Return an install-config with the cluster's own credentials mode."""
    mode = inputs["install-config"].get("credentialsMode")
    config = {name: value for name, value in kubernetes_yaml.load(current).items() if name != "credentialsMode"}
    return manifest_yaml.to_yaml(config | ({"credentialsMode": mode} if mode else {}))


def _user_data(role: str) -> Value:
    def value(inputs: Inputs, current: Any) -> Any:
        text = base64.b64decode(current or "").decode(errors="replace")
        return manifest_yaml.encode(ignition_snippets.merge(role, text, inputs)[f"{role}.ign"])

    return value


_FILE = "openshift/99_openshift-cluster-api_"
_MASTERS = f"{_FILE}master-machines-*.yaml", "spec.providerSpec.value"
_MASTER_SET = (
    "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml",
    "spec.template.machines_v1beta1_machine_openshift_io.spec.providerSpec.value",
)
_WORKER_SETS = f"{_FILE}worker-machineset-*.yaml", "spec.template.spec.providerSpec.value"
_OF_MASTERS, _OF_ALL = (_MASTERS, _MASTER_SET), (_MASTERS, _MASTER_SET, _WORKER_SETS)
_CLOUD = "manifests/cloud-provider-config.yaml", "data.config"


def _of(places: Iterable[tuple[str, str]], name: str, value: Value, reason: str) -> tuple[Field, ...]:
    """Return rows for a field that machines have in several kinds of documents."""
    return tuple(Field(files, f"{path}.{name}", value, reason) for files, path in places)


FIELDS = (
    *_of(
        _OF_MASTERS,
        "internalLoadBalancer",
        _of_infra_id("-internal-lb"),
        "the internal load balancer of our template has this name",
    ),
    *_of(
        _OF_MASTERS,
        "publicLoadBalancer",
        _public_balancer,
        "masters have a public load balancer of their own; the one with the infra id is the workers' way out",
    ),
    *_of(_OF_MASTERS, "diagnostics", _diagnostics, "our masters log to the cluster's storage account"),
    *_of(_OF_ALL, "managedIdentity", _none, "machines have no identity: what 4.16 to 4.18 name is made by nobody"),
    *_of(_OF_ALL, "image", _image, "the install-config has no member for an image with a resource id"),
    Field(
        *_CLOUD,
        _of_infra_id("-node-nsg"),
        "the cluster opens its Services' ports in the security group of the workers' subnet, which has this name",
        inside="securityGroupName",
    ),
    Field(
        *_CLOUD,
        lambda _given, _current: False,
        "machines have no identity, which 4.16 to 4.18 take for granted",
        inside="useManagedIdentityExtension",
    ),
    Field(
        *_CLOUD,
        lambda _given, _current: True,
        "masters are in a public load balancer of their own, and a network interface can be in one only",
        inside="excludeMasterFromStandardLB",
    ),
    Field(
        "manifests/cluster-dns-02-config.yml",
        "spec.publicZone",
        _none,
        "the service, or the customer, owns the public records, and the cluster may not write them",
    ),
    Field(
        "manifests/cluster-config.yaml",
        "data.install-config",
        _with_mode,
        "the program reads Azure as a managed identity, which it does in the credentials mode `Manual` alone",
    ),
    *(
        Field(
            f"{_FILE}{role}-user-data-secret.yaml",
            "data.userData",
            _user_data(role),
            "machines that are added later begin with the catalogue's snippets, too",
        )
        for role in ("master", "worker")
    ),
)


def added(inputs: Inputs) -> dict[str, str]:
    """Return the files that the program does not make: a principal's Secret, or what workload identity has instead.

    The Secret is one of its own, which it leaves out in the mode `Manual`.
    """
    made = platform.cloud_credentials(inputs) | workload_identity.files(inputs)
    return {path: str(text) for path, text in made.items()}


def change(files: dict[str, str], inputs: Inputs) -> dict[str, str]:
    """Return the files that differ from the program's, with all their fields.

    Args:
        files: texts by path.
        inputs: those of the graph.

    Raises:
        InstallerError: if there is no file for a row, or it is not an object with the place of the field.
    """
    changed: dict[str, str] = {}
    for path, text in files.items():
        rows = [field for field in FIELDS if fnmatch(path, field.files)]
        if rows and (document := _changed(path, text, rows, inputs)) is not None:
            changed[path] = manifest_yaml.to_yaml(document)
    for field in FIELDS:
        if not any(fnmatch(path, field.files) for path in files):
            raise InstallerError(ADJUST, f"openshift-install has made no '{field.files}', in which {field.reason}")
    return changed


def _changed(path: str, text: str, rows: list[Field], inputs: Inputs) -> Any:
    """Return the document with its fields; None if it has them already."""
    try:
        document = kubernetes_yaml.load(text)
        before = copy.deepcopy(document)
        for field in rows:
            holder, name = _holder(document, field.path)
            if field.inside:
                inner = json.loads(holder[name])
                _set(*_holder(inner, field.inside), field.value, inputs)
                # As Go writes it.
                holder[name] = json.dumps(inner, indent="\t") + "\n"
            else:
                _set(holder, name, field.value, inputs)
    except kubernetes_yaml.NO_YAML:
        raise InstallerError(ADJUST, f"'{path}' has another form than expected: {', '.join(_places(rows))}") from None
    return None if document == before else document


def _holder(document: Any, path: str) -> tuple[Any, str]:
    *parents, last = path.split(".")
    for name in parents:
        document = document[name]
    return document, last


def _set(holder: Any, name: str, value: Value, inputs: Inputs) -> None:
    wanted = value(inputs, holder.get(name))
    if wanted is None:
        holder.pop(name, None)
    else:
        holder[name] = wanted


def _places(rows: list[Field]) -> list[str]:
    return [f"{field.path}: {field.inside}" if field.inside else field.path for field in rows]
