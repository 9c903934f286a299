"""What the executors of phases have in common: the phase that each is given, and what each can do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from activities.phases.object_results import SHOWN, Change
from activities.phases.objects import Cluster
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.json_object import Json
from shared.phase_documents.documents import Phase
from shared.phase_documents.site import Site
from shared.steps import Outcome


@dataclass(frozen=True)
class PhaseRun:
    """One phase that is run: what it declares, and the cluster that it works on.

    Args:
        site: the site.
        phase: the phase.
        cluster: returns the cluster of a name in the cluster map.
        say: shows what became of objects to whoever watches.
        timeout: how long to wait for objects, instead of what the executor's document says; None for that.
        before: for a dry run, what earlier phases would apply to the same cluster.
    """

    site: Site
    phase: Phase
    cluster: Callable[[str], Cluster]
    say: Callable[[Sequence[Change]], None] = lambda _changes: None
    timeout: timedelta | None = None
    before: Sequence[Json] = ()

    def documents(self) -> list[Json]:
        """Return the documents of the phase that are deployed."""
        return [one.document for one in self.site.render(self.phase)]


@dataclass(frozen=True)
class PhaseExecutor:
    """What a kind of executor can do.

    Args:
        run: does the work or begins it; None if it is done, or what is waited for. May run twice.
        proceed: continues what `run` has begun, in the same way.
        status: tells whether it is done, in the same way; changes nothing.
        dry_run: returns what `run` would do to each object; changes nothing.
    """

    run: Callable[[PhaseRun], Outcome | None]
    proceed: Callable[[PhaseRun], Outcome | None]
    status: Callable[[PhaseRun], Outcome | None]
    dry_run: Callable[[PhaseRun], list[Change]]


def refusal_error(cluster: str, changes: Sequence[Change]) -> CloudError | None:
    """Return the error for the objects among changes that a cluster refused, or None if it refused none.

    Args:
        cluster: name of the cluster.
        changes: what became of each object.
    """
    refused = [change for change in changes if change.verb == "refused"]
    if not refused:
        return None
    return CloudError(
        409,
        ErrorCode.CONFLICT,
        f"The cluster '{cluster}' did not take {len(refused)} of {len(changes)} objects: "
        + "; ".join(f"{change.object}: {change.message}" for change in refused[:SHOWN]),
        owner=Owner.CUSTOMER,
    )
