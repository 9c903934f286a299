"""What people see of a site, in the command and on the service: its lists, and documents without their secrets."""

from typing import Any

from shared.phases.documents import Cluster, Name, Phase, PhasePlan
from shared.phases.entry_points import EntryPoint
from shared.phases.kinds import KINDS
from shared.phases.problems import refused
from shared.phases.site import Site

Json = dict[str, Any]

MASK = "***"


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
        raise refused("Name a phase, or render the phase bundle with --source config.")
    phase = site.phase(name.name, name.namespace)
    if source == "executor":
        return [phase.executor.document]
    if source != "phase":
        raise refused(f"'{source}' is not a source. There are: phase, executor, config.")
    kind = KINDS.get(phase.executor.kind)
    if kind is None or phase.entry_point:
        return [one.document for one in site.render(phase)]
    return kind.applies(site, phase)


def mask(document: Json) -> Json:
    """Return a document with every value of a Secret masked, and every user of a kubeconfig."""
    if document.get("kind") == "KubeConfig" and isinstance(document.get("config"), dict):
        config = document["config"]
        users = [one | {"user": dict.fromkeys(one.get("user") or {}, MASK)} for one in config.get("users") or ()]
        return document | {"config": config | {"users": users}}
    if document.get("kind") != "Secret" or document.get("apiVersion") != "v1":
        return document
    hidden = {
        member: dict.fromkeys(document[member], MASK)
        for member in ("data", "stringData")
        if isinstance(document.get(member), dict)
    }
    return document | hidden


def tree(point: EntryPoint) -> Json:
    """Return an entry point and what it is made from: `{"path", "parts": {"resources": [...]}}`."""
    return {"path": point.path, "parts": {name: [tree(part) for part in parts] for name, parts in point.parts.items()}}
