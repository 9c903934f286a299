"""Plans that people declare, as rows of the engine: one row for each phase. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from orchestrators import retry
from orchestrators.plans.rows import Row, problems, to_dict
from shared.arm.errors import Owner
from shared.settings import Pace
from shared.steps import ResolvedPlan, ResolvedRow, RetryPolicy, RowKind

EXECUTOR = "run_phase"
# How long a phase may try that waits for no objects, such as one whose definitions are not established yet. The time
# that a call takes does not count.
TRYING = timedelta(minutes=10)
# How long a running phase may take to end its call once the operation is cancelled.
CANCELLING = timedelta(minutes=1)
FIRST_POLL = timedelta(seconds=1)
REMEDY = (
    "Repair what the message names, in the bundle or in the cluster, and run the plan again with --resume-from and the "
    "name of this phase."
)


@dataclass(frozen=True)
class DeclaredPhase:
    """What the engine has to know of a phase.

    Args:
        name: its name.
        waits_for: what readers see while it runs.
        timeout: how long it waits for its objects; zero for not at all.
        poll: how often it looks.
        needs: the phases that must be done before; None if the plan's order decides.
    """

    name: str
    waits_for: str
    timeout: timedelta
    poll: timedelta
    needs: tuple[str, ...] | None = None


def resolve(plan_name: str, phases: Sequence[DeclaredPhase], pace: Pace, resume_from: str = "") -> ResolvedPlan:
    """Return a plan as the engine runs it.

    Args:
        plan_name: name of the plan.
        phases: its phases, in its order.
        pace: the time scale.
        resume_from: name of the phase to begin with; those before it in the plan are taken as done.

    Raises:
        LookupError: the plan has no phase of the name `resume_from`.
        ValueError: phases wait for each other.
    """
    names = [one.name for one in phases]
    if resume_from and resume_from not in names:
        raise LookupError(f"The plan '{plan_name}' has no phase '{resume_from}'. It has: {', '.join(names)}.")
    rows = [_row(plan_name, one, names) for one in phases]
    if wrong := problems(tuple(rows), frozenset({EXECUTOR}), frozenset(), frozenset(RetryPolicy)):
        raise ValueError("; ".join(wrong))
    resolved: list[ResolvedRow] = [
        {
            **to_dict(row),
            "deadlineSeconds": pace.deadline_seconds(row.deadline, row.shortest),
            "firstPollSeconds": pace.poll_seconds(min(row.poll, FIRST_POLL)),
            "pollSeconds": pace.poll_seconds(row.poll),
            "cancelSeconds": pace.deadline_seconds(CANCELLING),
        }
        for row in rows
    ]
    return {
        "name": plan_name,
        "timeScale": pace.time_scale,
        "rows": resolved,
        "skipped": [],
        "controlSeconds": pace.poll_seconds(retry.CONTROL_INTERVAL),
        "controlWithinSeconds": pace.deadline_seconds(retry.OUTAGE),
        "retryPolicies": retry.resolve([RetryPolicy.AZURE], pace),
        "done": names[: names.index(resume_from)] if resume_from else [],
    }


def _row(plan_name: str, one: DeclaredPhase, names: list[str]) -> Row:
    """Return the row of a phase. Without needs of its own it needs the phase before it, as in airshipctl."""
    before = names[: names.index(one.name)][-1:]
    needs = tuple(before) if one.needs is None else tuple(need for need in one.needs if need in names)
    return Row(
        name=one.name,
        phase=plan_name,
        kind=RowKind.BEGIN_AND_POLL,
        executor=EXECUTOR,
        needs=needs,
        deadline=one.timeout or TRYING,
        poll=one.poll,
        owner=Owner.CUSTOMER,
        waits_for=one.waits_for,
        message=REMEDY,
    )
