"""Plans that people declare, as rows of the engine: one row for each phase, and one that ends the operation. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from orchestrators import retry
from orchestrators.plans.rows import A_FEW_RESTARTS, Row, problems, to_dict
from shared import durations
from shared.arm.errors import Owner
from shared.settings import Pace
from shared.steps import FINISH, PhaseReference, ResolvedPlan, ResolvedRow, RetryPolicy, RowKind


class Work(StrEnum):
    """What is done with each phase of a plan, or with a cluster of its site: the executor of its row."""

    RUN = "run_phase"
    DRY_RUN = "dry_run_phase"
    STATUS = "phase_status"
    CLUSTER = "cluster_status"


# How long a phase may try that waits for no objects, such as one whose definitions are not established yet. The time
# that a call takes does not count.
TRYING = timedelta(minutes=10)
# How long a running phase may take to end its call once the operation is cancelled.
CANCELLING = timedelta(minutes=1)
REMEDY = (
    "Repair what the message names, in the bundle or in the cluster, and run the plan again from this phase: "
    "--resume-from in the command, resumeFrom on the service."
)


@dataclass(frozen=True)
class DeclaredPhase:
    """What the engine has to know of a phase.

    Args:
        document: names it.
        waits_for: what readers see while it runs.
        timeout: how long it waits for its objects; zero for not at all.
        poll: how often it looks.
        needs: the phases that must be done before; None if the plan's order decides.
    """

    document: PhaseReference
    waits_for: str
    timeout: timedelta
    poll: timedelta
    needs: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The name of the phase, and of its row."""
        return self.document["name"]


def resolve(
    plan_name: str, phases: Sequence[DeclaredPhase], pace: Pace, resume_from: str = "", work: Work = Work.RUN
) -> ResolvedPlan:
    """Return a plan as the engine runs it.

    Args:
        plan_name: name of the plan.
        phases: its phases, in its order.
        pace: the time scale.
        resume_from: name of the phase to begin with; those before it in the plan are taken as done.
        work: what is done with each phase. What changes nothing needs no order, and is told of all phases.

    Raises:
        LookupError: the plan has no phase of the name `resume_from`.
        ValueError: phases wait for each other.
    """
    names = [one.name for one in phases]
    if resume_from and resume_from not in names:
        raise LookupError(f"The plan '{plan_name}' has no phase '{resume_from}'. It has: {', '.join(names)}.")
    make = _row if work is Work.RUN else _look
    rows = [*(make(plan_name, one, names, work) for one in phases), _finish(names)]
    if wrong := problems(tuple(rows), frozenset({*Work, FINISH}), frozenset(), frozenset(RetryPolicy)):
        raise ValueError("; ".join(wrong))
    return {
        "name": plan_name,
        "timeScale": pace.time_scale,
        "rows": [_resolved(row, pace) for row in rows],
        "skipped": [],
        "controlSeconds": pace.poll_seconds(retry.CONTROL_INTERVAL),
        "controlWithinSeconds": pace.deadline_seconds(retry.OUTAGE, retry.SHORTEST_CONTROL),
        "retryPolicies": retry.resolve([RetryPolicy.AZURE], pace),
        "done": names[: names.index(resume_from)] if resume_from else [],
    }


def _resolved(row: Row, pace: Pace) -> ResolvedRow:
    return {
        **to_dict(row),
        "deadlineSeconds": pace.deadline_seconds(row.deadline, min(row.deadline, A_FEW_RESTARTS)),
        "firstPollSeconds": pace.poll_seconds(min(row.poll, durations.PHASE_FIRST_POLL)),
        "pollSeconds": pace.poll_seconds(row.poll),
        "cancelSeconds": pace.deadline_seconds(CANCELLING),
    }


def _row(plan_name: str, one: DeclaredPhase, names: list[str], work: Work) -> Row:
    """Return the row of a phase. Without needs of its own it needs the phase before it, as in airshipctl."""
    before = names[: names.index(one.name)][-1:]
    needs = tuple(before) if one.needs is None else tuple(need for need in one.needs if need in names)
    return Row(
        name=one.name,
        section=plan_name,
        kind=RowKind.BEGIN_AND_POLL,
        executor=work,
        needs=needs,
        deadline=one.timeout or TRYING,
        poll=one.poll,
        owner=Owner.CUSTOMER,
        waits_for=one.waits_for,
        message=REMEDY,
        document=one.document,
    )


def _look(plan_name: str, one: DeclaredPhase, _names: list[str], work: Work) -> Row:
    """Return the row of a phase of which something is only told."""
    return Row(
        name=one.name,
        section=plan_name,
        kind=RowKind.ACTION,
        executor=work,
        together=True,
        deadline=TRYING,
        owner=Owner.CUSTOMER,
        waits_for=one.waits_for,
        message=REMEDY,
        document=one.document,
    )


def _finish(names: list[str]) -> Row:
    return Row(
        name=FINISH,
        section="finish",
        kind=RowKind.ACTION,
        executor=FINISH,
        needs=tuple(names),
        waits_for="the result to be stored",
    )
