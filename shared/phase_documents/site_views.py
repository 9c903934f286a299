"""What people see of a site, in the command and on the service: its lists, and documents without their secrets."""

from typing import Any

from shared.bundles.problems import bundle_error
from shared.json_object import Json
from shared.phase_documents.documents import Cluster, Name, Phase, PhasePlan
from shared.phase_documents.entry_points import EntryPoint
from shared.phase_documents.kinds import KINDS
from shared.phase_documents.site import Site

MASK = "***"
VARIABLES = "additional-vars"


def plan_row(plan: PhasePlan) -> Json:
    """Return a plan of a list."""
    return {"namespace": plan.name.namespace, "name": plan.name.name, "description": plan.description}


def phase_row(phase: Phase) -> Json:
    """Return a phase of a list."""
    return {
        "namespace": phase.name.namespace,
        "name": phase.name.name,
        "clusterName": phase.cluster,
        "executor": phase.executor.kind,
        "docEntrypoint": phase.entry_point,
    }


def cluster_row(cluster: Cluster) -> Json:
    """Return a cluster of a list."""
    return {
        "name": cluster.name,
        "kubeconfigContext": cluster.name,
        "parentCluster": cluster.parent,
        "kubeconfigSources": [source["type"] for source in cluster.sources],
    }


def documents(site: Site, source: str, name: Name) -> list[Json]:
    """Return documents of a site as they are; `mask` them before anybody sees them.

    Args:
        site: the site.
        source: `phase`: those of a phase; `executor`: that of its executor; `config`: the phase bundle.
        name: the phase; not needed for `config`.

    Raises:
        BundleError: there is no such phase or source, or it cannot be rendered.
    """
    if source == "config":
        return [one.document for one in site.documents]
    if not name.name:
        raise bundle_error("Name a phase, or render the phase bundle with --source config.")
    phase = site.phase(name.name, name.namespace)
    if source not in ("phase", "executor"):
        raise bundle_error(f"'{source}' is not a source. There are: phase, executor, config.")
    kind = KINDS.get(phase.executor.kind)
    if source == "phase" and (kind is None or phase.entry_point):
        return [one.document for one in site.render(phase)]
    if not phase.executor.document:
        raise bundle_error(phase.executor.missing, file=phase.file, field=f"Phase/{phase.name} config.executorRef.name")
    return [phase.executor.document] if source == "executor" or kind is None else kind.applies(site, phase)


def mask(document: Json) -> Json:
    """Return a document with every value of a Secret masked, every user of a kubeconfig, and Clusterctl's variables."""
    config = document.get("config")
    if document.get("kind") == "KubeConfig" and isinstance(config, dict) and "users" in config:
        users = config["users"]
        masked = [_masked_user(one) for one in users] if isinstance(users, list) else MASK
        return document | {"config": config | {"users": masked}}
    if document.get("kind") == "Clusterctl" and document.get(VARIABLES):
        return document | {VARIABLES: _masked(document[VARIABLES])}
    if document.get("kind") != "Secret" or document.get("apiVersion") != "v1":
        return document
    return document | {member: _masked(document[member]) for member in ("data", "stringData") if document.get(member)}


def _masked_user(user: Any) -> Any:
    return user | {"user": _masked(user.get("user"))} if isinstance(user, dict) else MASK


def _masked(value: Any) -> Any:
    """Return a value with its members masked, or masked itself if it has none."""
    return dict.fromkeys(value, MASK) if isinstance(value, dict) else MASK


def tree(point: EntryPoint) -> Json:
    """Return an entry point and what it is made from: `{"path", "parts": {"resources": [...]}}`."""
    return {"path": point.path, "parts": {name: [tree(part) for part in parts] for name, parts in point.parts.items()}}
