"""What a row of a plan is, how the tables write it, and its two serialised forms.

A row is data. As a dictionary it stands in the operation and in the orchestration's input; as a `Phase` document of a
`PhasePlan` it can come from a bundle instead of from Python.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal, TypedDict, Unpack

from orchestrators.plans import remedies
from shared.arm.errors import Owner
from shared.steps import RetryPolicy, RowKind, RowMembers, RowTerms, SerialisedRow

API_VERSION = "airshipit.org/v1alpha1"
# A host that dies and comes back costs seconds that no time scale shortens; rows that wait for little see a few of them.
A_FEW_RESTARTS = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One step. `docs/design.md` explains the members."""

    name: str
    phase: str
    kind: RowKind
    executor: str
    needs: tuple[str, ...] = ()
    when: str = ""
    deadline: timedelta = timedelta(minutes=5)
    # What the time scale may not take from the deadline: the row waits for work, or for time-outs, that it does not scale.
    shortest: timedelta = timedelta()
    poll: timedelta = timedelta(seconds=10)
    retry: RetryPolicy = RetryPolicy.AZURE
    # Whether its failure is told together with those of the other rows that say so: checks, which change nothing.
    together: bool = False
    # Whose it is, most likely, when its time is over: an error that Azure tells has an owner of its own.
    owner: Owner = Owner.PLATFORM
    waits_for: str
    message: str = remedies.REPEAT


class More(TypedDict, total=False):
    """What a table says of a row where it differs from its kind; the other members are those of `Row`."""

    # The row's name, unless two plans do different work under one name.
    executor: str
    needs: tuple[str, ...]
    when: str
    shortest: timedelta
    # Seconds.
    poll: int
    retry: RetryPolicy
    together: bool
    owner: Owner
    # One of `remedies`; the row's own, unless this names another.
    remedy: str


def action(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that is over in one call, as a rule."""
    return _row_of(RowKind.ACTION, name, minutes, waits_for, more)


def check(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return an action that changes nothing: all that fail are told together."""
    return _row_of(RowKind.ACTION, name, minutes, waits_for, {"together": True, **more})


def begin_and_poll(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that begins work of Azure's and asks until it has ended."""
    return _row_of(RowKind.BEGIN_AND_POLL, name, minutes, waits_for, {"poll": 5, "owner": Owner.AZURE, **more})


def condition(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that asks until something is so."""
    return _row_of(RowKind.CONDITION, name, minutes, waits_for, more)


def phase(name: str, *rows: Row) -> tuple[Row, ...]:
    """Return the rows as those of one phase."""
    return tuple(replace(row, phase=name) for row in rows)


def _row_of(kind: RowKind, name: str, minutes: int, waits_for: str, more: More) -> Row:
    return Row(
        name=name,
        phase="",
        kind=kind,
        executor=more.get("executor", name),
        needs=more.get("needs", ()),
        when=more.get("when", ""),
        deadline=timedelta(minutes=minutes),
        shortest=more.get("shortest", timedelta()),
        poll=timedelta(seconds=more.get("poll", 10)),
        retry=more.get("retry", RetryPolicy.AZURE),
        together=more.get("together", False),
        owner=more.get("owner", Owner.PLATFORM),
        waits_for=waits_for,
        message=more.get("remedy") or remedies.BY_ROW.get(name, remedies.REPEAT),
    )


class Metadata(TypedDict):
    """The name of a document, or of a phase in a plan."""

    name: str


class PhasePlan(TypedDict):
    """A plan as a document: its phases, in their order."""

    apiVersion: str
    kind: Literal["PhasePlan"]
    metadata: Metadata
    phases: list[Metadata]


class ExecutorReference(TypedDict):
    """The activity of a phase."""

    apiVersion: str
    kind: Literal["Activity"]
    name: str


class PhaseConfig(RowMembers, TypedDict):
    """What a phase says besides its name."""

    executorRef: ExecutorReference


class Phase(TypedDict):
    """A row as a document."""

    apiVersion: str
    kind: Literal["Phase"]
    metadata: Metadata
    config: PhaseConfig


def to_dict(row: Row) -> SerialisedRow:
    """Return the row as JSON; `when`, `together`, `owner` and `shortestSeconds` are left out where they say nothing."""
    return {"name": row.name, "phase": row.phase, "kind": row.kind, "executor": row.executor, **_terms(row)}


def _terms(row: Row) -> RowTerms:
    terms: RowTerms = {
        "needs": list(row.needs),
        "deadlineSeconds": row.deadline.total_seconds(),
        "pollSeconds": row.poll.total_seconds(),
        "retry": row.retry,
        "waitsFor": row.waits_for,
        "message": row.message,
    }
    if row.shortest:
        terms["shortestSeconds"] = row.shortest.total_seconds()
    if row.together:
        terms["together"] = True
    if row.owner != Owner.PLATFORM:
        terms["owner"] = row.owner
    if row.when:
        terms["when"] = row.when
    return terms


def from_dict(plain: SerialisedRow) -> Row:
    """Return the row of its JSON."""
    return _from_members(plain["name"], plain["executor"], plain)


def _from_members(name: str, executor: str, members: RowMembers) -> Row:
    return Row(
        name=name,
        phase=members["phase"],
        kind=members["kind"],
        executor=executor,
        needs=tuple(members["needs"]),
        when=members.get("when", ""),
        deadline=timedelta(seconds=members["deadlineSeconds"]),
        shortest=timedelta(seconds=members.get("shortestSeconds", 0)),
        poll=timedelta(seconds=members["pollSeconds"]),
        retry=members["retry"],
        together=members.get("together", False),
        owner=members.get("owner", Owner.PLATFORM),
        waits_for=members["waitsFor"],
        message=members["message"],
    )


def to_documents(name: str, rows: tuple[Row, ...]) -> list[PhasePlan | Phase]:
    """Return the plan as a `PhasePlan` followed by one `Phase` for each row.

    The executor stands where phases keep it, `config.executorRef`; the rest of the row stands beside it.
    """
    plan: PhasePlan = {
        "apiVersion": API_VERSION,
        "kind": "PhasePlan",
        "metadata": {"name": name},
        "phases": [{"name": row.name} for row in rows],
    }
    return [plan, *(_phase(row) for row in rows)]


def from_documents(documents: Sequence[PhasePlan | Phase]) -> tuple[str, tuple[Row, ...]]:
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


def _phase(row: Row) -> Phase:
    reference: ExecutorReference = {"apiVersion": API_VERSION, "kind": "Activity", "name": row.executor}
    return {
        "apiVersion": API_VERSION,
        "kind": "Phase",
        "metadata": {"name": row.name},
        "config": {"executorRef": reference, "phase": row.phase, "kind": row.kind, **_terms(row)},
    }


def _row(document: Phase) -> Row:
    config = document["config"]
    return _from_members(document["metadata"]["name"], config["executorRef"]["name"], config)


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
        "kind": frozenset(RowKind),
        "owner": frozenset(Owner),
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
