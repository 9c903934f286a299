"""The kinds of executors: what the bundle alone says about their phases. `activities/phases/executors.py` runs them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from shared.bundles.problems import Problem
from shared.json_object import Json
from shared.phase_documents import apply_options, clusterctl_providers, validation
from shared.phase_documents.documents import Phase, PhasePlan
from shared.phase_documents.site import Site


@dataclass(frozen=True)
class Kind:
    """What can be told of a kind's phases before any cluster is asked.

    Args:
        validate: returns what is wrong with its document, beyond its schema.
        applies: returns the documents that it applies, as far as the bundle says so.
    """

    validate: Callable[[Site, Phase], list[Problem]]
    applies: Callable[[Site, Phase], list[Json]]


def _deployed(site: Site, phase: Phase) -> list[Json]:
    return [one.document for one in site.render(phase)]


KINDS: Mapping[str, Kind] = {
    "KubernetesApply": Kind(apply_options.validate, _deployed),
    "Clusterctl": Kind(clusterctl_providers.validate, clusterctl_providers.applies),
}


def waits_for(site: Site, phase: Phase) -> str:
    """Return what a phase waits for while it runs, in words."""
    return f"the objects of {site.entry_point(phase) or phase.name} on {phase.cluster}"


def problems(site: Site, phases: Iterable[Phase], plans: Iterable[PhasePlan] = ()) -> list[Problem]:
    """Return everything that is wrong with some phases and plans, with what they refer to, and with their documents.

    Args:
        site: the site.
        phases: the phases that are meant to run.
        plans: the plans that are meant to run.
    """
    wanted = list(phases)
    all_problems = [*validation.problems_in_use(site, wanted, plans), *validation.entry_point_problems(site, wanted)]
    for phase in wanted:
        kind = KINDS.get(phase.executor.kind)
        all_problems += kind.validate(site, phase) if kind and phase.executor.document else []
    return all_problems


def warnings(site: Site, known_problems: Iterable[Problem]) -> list[Problem]:
    """Return what else is wrong with a site, which keeps nothing of what is used from running.

    Args:
        site: the site.
        known_problems: the problems of what is used.
    """
    known = set(known_problems)
    return [problem for problem in validation.site_problems(site) if problem not in known]
