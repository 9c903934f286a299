"""What a row of a plan is, and its two serialised forms.

A row is data. As a dictionary it stands in the operation and in the orchestration's input; as a `Phase` document of a
`PhasePlan` it can come from a bundle instead of from Python.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

KINDS = ("action", "begin-and-poll", "condition")
OWNERS = ("customer", "azure", "platform")
API_VERSION = "airshipit.org/v1alpha1"
# A host that dies and comes back costs seconds that no time scale shortens; rows that wait for little see a few of them.
A_FEW_RESTARTS = timedelta(minutes=1)
# What helps when nobody but us can have made the mistake.
REPEAT = "Repeat the request; if it fails again, open a support request with the correlation id."
# What helps when Azure has begun something, refuses nothing and does not end it in time.
TOO_SLOW = (
    "Azure took too long and reported no error. Repeat the request to continue from this step; if it takes as long again, "
    "look at Azure's status page, or open a support request with the correlation id."
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One step. `docs/design.md` explains the members."""

    name: str
    phase: str
    kind: str
    executor: str
    needs: tuple[str, ...] = ()
    when: str = ""
    deadline: timedelta = timedelta(minutes=5)
    # What the time scale may not take from the deadline: the row waits for work, or for time-outs, that it does not scale.
    shortest: timedelta = timedelta()
    poll: timedelta = timedelta(seconds=10)
    retry: str = "azure"
    # Whether its failure is told together with those of the other rows that say so: checks, which change nothing.
    together: bool = False
    # Whose it is, most likely, when its time is over: an error that Azure tells has an owner of its own.
    owner: str = "platform"
    waits_for: str
    message: str = REPEAT


def to_dict(row: Row) -> dict[str, Any]:
    """Return the row as JSON; `when`, `together`, `owner` and `shortestSeconds` are left out where they say nothing."""
    plain: dict[str, Any] = {
        "name": row.name,
        "phase": row.phase,
        "kind": row.kind,
        "executor": row.executor,
        "needs": list(row.needs),
        "deadlineSeconds": row.deadline.total_seconds(),
        "pollSeconds": row.poll.total_seconds(),
        "retry": row.retry,
        "waitsFor": row.waits_for,
        "message": row.message,
    }
    if row.shortest:
        plain["shortestSeconds"] = row.shortest.total_seconds()
    if row.together:
        plain["together"] = True
    if row.owner != "platform":
        plain["owner"] = row.owner
    return plain | ({"when": row.when} if row.when else {})


def from_dict(plain: dict[str, Any]) -> Row:
    """Return the row of its JSON."""
    return Row(
        name=plain["name"],
        phase=plain["phase"],
        kind=plain["kind"],
        executor=plain["executor"],
        needs=tuple(plain["needs"]),
        when=plain.get("when", ""),
        deadline=timedelta(seconds=plain["deadlineSeconds"]),
        shortest=timedelta(seconds=plain.get("shortestSeconds", 0)),
        poll=timedelta(seconds=plain["pollSeconds"]),
        retry=plain["retry"],
        together=plain.get("together", False),
        owner=plain.get("owner", "platform"),
        waits_for=plain["waitsFor"],
        message=plain["message"],
    )


def to_documents(name: str, rows: tuple[Row, ...]) -> list[dict[str, Any]]:
    """Return the plan as a `PhasePlan` followed by one `Phase` for each row.

    The executor stands where phases keep it, `config.executorRef`; the rest of the row stands beside it.
    """
    plan = {
        "apiVersion": API_VERSION,
        "kind": "PhasePlan",
        "metadata": {"name": name},
        "phases": [{"name": row.name} for row in rows],
    }
    return [plan, *(_phase(row) for row in rows)]


def from_documents(documents: list[dict[str, Any]]) -> tuple[str, tuple[Row, ...]]:
    """Return the name and the rows of a plan, in the plan's order.

    Raises:
        ValueError: when there is not exactly one plan, or a phase that it names is missing.
    """
    plans = [document for document in documents if document["kind"] == "PhasePlan"]
    if len(plans) != 1:
        raise ValueError(f"expected one PhasePlan, found {len(plans)}")
    phases = {document["metadata"]["name"]: document for document in documents if document["kind"] == "Phase"}
    names = [phase["name"] for phase in plans[0]["phases"]]
    if missing := [name for name in names if name not in phases]:
        raise ValueError(f"the plan names phases that are not there: {', '.join(missing)}")
    return plans[0]["metadata"]["name"], tuple(_row(phases[name]) for name in names)


def _phase(row: Row) -> dict[str, Any]:
    plain = to_dict(row)
    name, executor = plain.pop("name"), plain.pop("executor")
    reference = {"apiVersion": API_VERSION, "kind": "Activity", "name": executor}
    return {
        "apiVersion": API_VERSION,
        "kind": "Phase",
        "metadata": {"name": name},
        "config": {"executorRef": reference, **plain},
    }


def _row(document: dict[str, Any]) -> Row:
    config = dict(document["config"])
    reference = config.pop("executorRef")
    return from_dict({"name": document["metadata"]["name"], "executor": reference["name"], **config})


def problems(
    rows: tuple[Row, ...], executors: frozenset[str], predicates: frozenset[str], retries: frozenset[str]
) -> list[str]:
    """Return what is wrong with a plan, one sentence each; nothing means that the engine can run it."""
    names = [row.name for row in rows]
    found = [f"the name {name} stands twice" for name in sorted({n for n in names if names.count(n) > 1})]
    known = {
        "executor": executors,
        "when": predicates | {""},
        "retry": retries,
        "kind": frozenset(KINDS),
        "owner": frozenset(OWNERS),
    }
    for row in rows:
        found += [f"{row.name} needs {need}, which is no row" for need in row.needs if need not in names]
        for member, values in known.items():
            value = getattr(row, member)
            if value not in values:
                found.append(f"{row.name} names the unknown {member} '{value}'")
    return found + _cycles(rows)


def _cycles(rows: tuple[Row, ...]) -> list[str]:
    """Take away rows whose needs are gone until none is left; what stays waits for itself."""
    left = {row.name: set(row.needs) for row in rows}
    while ready := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in ready:
            del left[name]
    return [f"{', '.join(left)} wait for each other"] if left else []
