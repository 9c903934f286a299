"""What is wrong with what the documents of a site say of each other, and with the documents of its phases."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from shared import findings
from shared.bundles.problems import BundleError, Problem
from shared.executors import CHECK_PLAN
from shared.phase_documents.documents import Name, Phase, PhasePlan
from shared.phase_documents.schemas import EXECUTORS, NOT_BUILT
from shared.phase_documents.site import Site, names
from shared.steps import FINISH

# A document that a problem concerns: its kind and its name.
Concerned = tuple[str, Name | str]
Told = Iterator[tuple[set[Concerned], Problem]]


def site_problems(site: Site) -> list[Problem]:
    """Return what is wrong with what the documents of a site say of each other."""
    return sorted(set(islice((problem for _, problem in _problems_by_use(site)), findings.MOST)))


def problems_in_use(site: Site, phases: Iterable[Phase], plans: Iterable[PhasePlan] = ()) -> list[Problem]:
    """Return what `site_problems` returns, but only what concerns some phases, their clusters, and some plans.

    Args:
        site: the site.
        phases: the phases that are meant to run.
        plans: the plans that are meant to run.
    """
    used: set[Concerned] = {("PhasePlan", plan.name) for plan in plans}
    for phase in phases:
        clusters = (phase.cluster, *site.cluster_map.ancestors(phase.cluster))
        used |= {("Phase", phase.name), *(("Cluster", name) for name in clusters)}
    concerned_problems = (problem for concerned, problem in _problems_by_use(site) if concerned & used)
    return sorted(set(islice(concerned_problems, findings.MOST)))


def _problems_by_use(site: Site) -> Told:
    yield from _of_phases(site)
    yield from _of_plans(site)
    yield from _of_clusters(site)


def entry_point_problems(site: Site, phases: Iterable[Phase]) -> list[Problem]:
    """Return what is wrong with the documents of some phases: roots that cannot be rendered, or render nothing."""
    problems: list[Problem] = []
    for phase in phases:
        if phase.entry_point:
            try:
                if not site.render(phase):
                    none = f"The entry point '{phase.entry_point}' renders nothing that is deployed."
                    problems.append(Problem(phase.file, _field(phase, "documentEntryPoint"), none))
            except BundleError as error:
                problems += error.problems
    return problems


def _field(phase: Phase, member: str) -> str:
    return f"Phase/{phase.name} config.{member}"


def _of_phases(site: Site) -> Told:
    names = {phase.name.name for phase in site.phases.values()}
    for phase in site.phases.values():
        own: set[Concerned] = {("Phase", phase.name)}
        kind = phase.executor.kind
        if phase.name.name in (CHECK_PLAN, FINISH):
            reserved = "Each plan begins or ends with a row of this name."
            yield own, Problem(phase.file, f"Phase/{phase.name} metadata.name", reserved)
        if kind not in EXECUTORS:
            known = "is an executor of airshipctl that is not built here" if kind in NOT_BUILT else "is not an executor"
            built = f"'{kind}' {known}. Built are: {', '.join(EXECUTORS)}."
            yield own, Problem(phase.file, _field(phase, "executorRef.kind"), built)
        elif not phase.executor.document:
            yield own, Problem(phase.file, _field(phase, "executorRef.name"), phase.executor.missing)
        elif kind == "KubernetesApply" and not phase.entry_point:
            yield own, Problem(phase.file, _field(phase, "documentEntryPoint"), f"A phase of kind {kind} needs one.")
        if phase.cluster and phase.cluster not in site.cluster_map.clusters:
            unknown = f"The cluster map has no cluster '{phase.cluster}'. It has: {_clusters(site)}."
            yield own, Problem(phase.file, f"Phase/{phase.name} metadata.clusterName", unknown)
        for need in phase.needs or ():
            if need not in names:
                yield own, Problem(phase.file, _field(phase, "needs"), f"There is no phase '{need}'.")
    yield from _circles(site)
    yield from _shared_inventories(site)


def _shared_inventories(site: Site) -> Told:
    """Yield a problem for each phase whose name an earlier one of the same cluster has, in another namespace."""
    seen: dict[tuple[str, str], Name] = {}
    for phase in site.phases.values():
        first = seen.setdefault((phase.cluster, phase.name.name), phase.name)
        if phase.cluster and first != phase.name:
            shared = (
                f"The phase '{first}' has the same name on the cluster '{phase.cluster}'. What a phase applies is "
                "recorded there under its name alone, so each would prune what the other applies."
            )
            yield {("Phase", first), ("Phase", phase.name)}, Problem(phase.file, f"Phase/{phase.name} metadata", shared)


def _circles(site: Site) -> Told:
    """Yield a problem for each phase that needs itself, however far around."""
    needs = {phase.name.name: set(phase.needs or ()) for phase in site.phases.values()}
    for phase in site.phases.values():
        reached, open_names = set[str](), set(needs[phase.name.name])
        while open_names:
            name = open_names.pop()
            if name not in reached:
                reached.add(name)
                open_names |= needs.get(name, set())
        if phase.name.name in reached:
            circle = "The phase needs itself, directly or by way of others."
            yield {("Phase", phase.name)}, Problem(phase.file, _field(phase, "needs"), circle)


def _of_plans(site: Site) -> Told:
    for plan in site.plans.values():
        own: set[Concerned] = {("PhasePlan", plan.name)}
        for index, name in enumerate(plan.phases):
            if name not in site.phases:
                unknown = f"There is no phase '{name}'. There are: {names(site.phases)}."
                yield own, Problem(plan.file, f"PhasePlan/{plan.name} phases[{index}]", unknown)
        for name, count in Counter(plan.phases).items():
            if count > 1:
                twice = f"The plan names the phase '{name}' {count} times."
                yield own, Problem(plan.file, f"PhasePlan/{plan.name} phases", twice)
        for short, count in Counter(name.name for name in set(plan.phases)).items():
            if count > 1:
                several = (
                    f"The plan names {count} phases '{short}', of different namespaces. Progress and inventories go by "
                    "their names alone."
                )
                yield own, Problem(plan.file, f"PhasePlan/{plan.name} phases", several)


def _of_clusters(site: Site) -> Told:
    cluster_map = site.cluster_map
    for name, cluster in cluster_map.clusters.items():
        own: set[Concerned] = {("Cluster", name)}
        where = f"ClusterMap map.{name}"
        if cluster.parent and cluster.parent not in cluster_map.clusters:
            unknown = f"The cluster map has no cluster '{cluster.parent}'. It has: {_clusters(site)}."
            yield own, Problem(cluster_map.file, f"{where}.parent", unknown)
        if name in {cluster.parent, *cluster_map.ancestors(name)}:
            yield (
                own,
                Problem(
                    cluster_map.file, f"{where}.parent", "The cluster manages itself, directly or by way of others."
                ),
            )
        for index, source in enumerate(cluster.sources):
            if source["type"] == "clusterAPI" and not cluster.parent:
                needs = "The Secret of Cluster API is in the parent cluster, and this cluster has no parent."
                yield own, Problem(cluster_map.file, f"{where}.kubeconfigSources[{index}]", needs)


def _clusters(site: Site) -> str:
    return names(site.cluster_map.clusters)
