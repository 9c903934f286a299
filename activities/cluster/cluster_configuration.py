"""The service's settings in a new cluster's own configuration: branding, alerts, updates, samples, operator catalogues.

Each object has another owner, so each step reads it and changes only the members that it is about. If they are already
as wanted, it writes nothing. A step waits for an object that does not exist yet, and names it.
"""

import base64
from collections.abc import Callable

from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.json_object import Json
from shared.openshift import alertmanager, client, writes
from shared.openshift.client import NotDone, Read
from shared.openshift.conditions import CLUSTER_VERSION

_ALERTMANAGER = Read("Secret", "alertmanager-main", "openshift-monitoring")
_FILE_DRIVER = Read("ClusterCSIDriver", "file.csi.azure.com")
_ALERTMANAGER_KEY = "alertmanager.yaml"
# The catalogues that need the pull secret of a Red Hat account, or that list images which need one.
_CATALOGUES = ("certified-operators", "redhat-operators", "community-operators", "redhat-marketplace")


def _amendment(what: Read, patch_of: Callable[[Json], Json]) -> Executor[Step]:
    return Executor(
        run=lambda step: cluster_api.write(step, lambda api: writes.amend(api, what, patch_of)),
    )


def _set(wanted: Json) -> Callable[[Json], Json]:
    return lambda found: {} if writes.has(found, wanted) else wanted


def _silenced(secret: Json) -> Json:
    """Return the Secret with receivers that the console does not warn about."""
    data = secret.get("data") or {}
    if _ALERTMANAGER_KEY not in data:
        raise NotDone(f"{_ALERTMANAGER} has no '{_ALERTMANAGER_KEY}' yet")
    try:
        document = base64.b64decode(data[_ALERTMANAGER_KEY]).decode()
    except ValueError:
        raise NotDone(f"'{_ALERTMANAGER_KEY}' of {_ALERTMANAGER} is not text") from None
    try:
        silenced = alertmanager.with_receiver(document)
    except ValueError as error:
        raise NotDone(f"'{_ALERTMANAGER_KEY}' of {_ALERTMANAGER} {error}") from None
    if silenced == document:
        return {}
    return {"data": {_ALERTMANAGER_KEY: base64.b64encode(silenced.encode()).decode()}}


def _without_updates(version: Json) -> Json:
    """Return a version that no longer asks Red Hat for updates, because the service offers upgrades."""
    spec = version.get("spec") or {}
    asking = {member: "" for member in ("upstream", "channel") if spec.get(member)}
    return {"spec": asking} if asking else {}


def _without_catalogues(hub: Json) -> Json:
    """Return the sources with Red Hat's catalogues disabled, and everything else as configured."""
    found = (hub.get("spec") or {}).get("sources") or []
    known = {source["name"] for source in found}
    sources = [source | {"disabled": True} if source["name"] in _CATALOGUES else source for source in found]
    sources += [{"name": name, "disabled": True} for name in _CATALOGUES if name not in known]
    return {} if sources == found else {"spec": {"sources": sources}}


def _without_file_storage_class(step: Step) -> Outcome | None:
    """Take the storage class of Azure's files away, if the cluster has their driver.

    It may place shares in the cluster's own storage accounts, which have no keys where operators have identities. The
    driver opens shares with such keys.
    """
    wanted: Json = {"spec": {"storageClassState": "Removed"}}

    def work(api: ApiClient) -> None:
        if client.read(api, _FILE_DRIVER) is not None:
            writes.amend(api, _FILE_DRIVER, _set(wanted))

    return cluster_api.write(step, work)


# Source of all: ARO-RP `pkg/cluster`: `console.go`, `alertmanager.go`, `clusterversion.go`, `samples.go`,
# `operatorhub.go`, `storageclass.go`.
update_console_branding = _amendment(Read("Console", "cluster"), _set({"spec": {"customization": {"brand": "azure"}}}))
disable_alertmanager_warning = _amendment(_ALERTMANAGER, _silenced)
disable_updates = _amendment(CLUSTER_VERSION, _without_updates)
disable_samples = _amendment(
    Read("Config.samples.operator.openshift.io", "cluster"), _set({"spec": {"managementState": "Removed"}})
)
disable_file_storage_class = Executor(run=_without_file_storage_class)
disable_operator_hub_sources = _amendment(Read("OperatorHub", "cluster"), _without_catalogues)
