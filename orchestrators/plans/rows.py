"""The row of a plan, the functions with which the tables write rows, and the two serialised forms of a row.

A row is data. The operation and the orchestration's input contain it as a dictionary. As `Phase` documents
of a `PhasePlan`, a plan can come from outside Python; the service does not use this form.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal, TypedDict, Unpack

from orchestrators.plans import remedies
from shared.arm.errors import Owner
from shared.steps import PhaseReference, RetryPolicy, RowKind, RowMembers, RowTerms, SerialisedRow

API_VERSION = "airshipit.org/v1alpha1"
# A host that dies is back after some seconds of real time. Rows that wait for little allow for a few such restarts.
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
    # The floor of the scaled deadline, if the row waits for work or time-outs that the time scale does not shorten.
    shortest: timedelta = timedelta()
    poll: timedelta = timedelta(seconds=10)
    # How long it usually takes, if that varies little; it is then polled when its end is due.
    usual: timedelta = timedelta()
    retry: RetryPolicy = RetryPolicy.AZURE
    # Whether its failure is reported in one error with those of other such rows. Only checks, which change nothing.
    together: bool = False
    # Who is most likely responsible if the deadline passes. Azure's errors have owners of their own.
    owner: Owner = Owner.PLATFORM
    waits_for: str
    message: str = remedies.REPEAT
    # The phase of a declared plan that the row is about.
    document: PhaseReference | None = None


class More(TypedDict, total=False):
    """The options with which a table overrides the defaults of a row's kind. Most are members of `Row`."""

    # The activity, if it differs from the row's name because two plans do different work under one name.
    executor: str
    needs: tuple[str, ...]
    when: str
    shortest: timedelta
    # Seconds.
    poll: int
    usual: int
    retry: RetryPolicy
    together: bool
    owner: Owner
    # The row's `message`, a text of `remedies`; by default the one for the row's name.
    remedy: str


def action(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that usually ends in one call.

    Args:
        name: the name of the row.
        minutes: its deadline, unscaled.
        waits_for: what readers see while the row waits.
        more: see `More`.
    """
    return _row_of(RowKind.ACTION, name, minutes, waits_for, more)


def check(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return an action that changes nothing. All checks that fail are reported in one error.

    Args:
        name: the name of the row.
        minutes: its deadline, unscaled.
        waits_for: what readers see while the row waits.
        more: see `More`.
    """
    return _row_of(RowKind.ACTION, name, minutes, waits_for, {"together": True, **more})


def begin_and_poll(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that begins work in Azure and polls until it has ended.

    Args:
        name: the name of the row.
        minutes: its deadline, unscaled.
        waits_for: what readers see while the row waits.
        more: see `More`.
    """
    return _row_of(RowKind.BEGIN_AND_POLL, name, minutes, waits_for, {"poll": 5, "owner": Owner.AZURE, **more})


def condition(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that only polls, until its condition holds.

    Args:
        name: the name of the row.
        minutes: its deadline, unscaled.
        waits_for: what readers see while the row waits.
        more: see `More`.
    """
    return _row_of(RowKind.CONDITION, name, minutes, waits_for, more)


def phase(name: str, *rows: Row) -> tuple[Row, ...]:
    """Return the rows with the name of their phase."""
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
        usual=timedelta(seconds=more.get("usual", 0)),
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
    """The members of a phase besides its name."""

    executorRef: ExecutorReference


class Phase(TypedDict):
    """A row as a document."""

    apiVersion: str
    kind: Literal["Phase"]
    metadata: Metadata
    config: PhaseConfig


def to_dict(row: Row) -> SerialisedRow:
    """Return the row as JSON; members with their default, such as `when`, are left out if they have their default."""
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
    if row.usual:
        terms["usualSeconds"] = row.usual.total_seconds()
    if row.together:
        terms["together"] = True
    if row.owner != Owner.PLATFORM:
        terms["owner"] = row.owner
    if row.when:
        terms["when"] = row.when
    if row.document:
        terms["document"] = row.document
    return terms


def from_dict(plain: SerialisedRow) -> Row:
    """Return the row that was serialised by `to_dict`."""
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
        usual=timedelta(seconds=members.get("usualSeconds", 0)),
        retry=members["retry"],
        together=members.get("together", False),
        owner=members.get("owner", Owner.PLATFORM),
        waits_for=members["waitsFor"],
        message=members["message"],
        document=members.get("document"),
    )


def to_documents(name: str, rows: tuple[Row, ...]) -> list[PhasePlan | Phase]:
    """Return the plan as a `PhasePlan` followed by one `Phase` for each row.

    The executor is in `config.executorRef`, the rest of the row beside it in `config`.
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
        ValueError: if there is not exactly one plan, or a phase that it names is missing.
    """
    plans = [document for document in documents if document["kind"] == "PhasePlan"]
    if len(plans) != 1:
        raise ValueError(f"expected one PhasePlan, found {len(plans)}")
    phases = {document["metadata"]["name"]: document for document in documents if document["kind"] == "Phase"}
    names = [phase["name"] for phase in plans[0]["phases"]]
    if missing := [name for name in names if name not in phases]:
        raise ValueError(f"the plan names phases that are missing: {', '.join(missing)}")
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
    """Return the problems of a plan, one sentence each. If there are none, the engine can run the plan.

    Args:
        rows: the plan.
        executors: the names of the activities.
        predicates: the names that `when` may have.
        retries: the names of the retry policies.
    """
    names = [row.name for row in rows]
    found = [f"the name {name} occurs twice" for name in sorted({n for n in names if names.count(n) > 1})]
    known = {
        "executor": executors,
        "when": predicates | {""},
        "retry": retries,
        "kind": frozenset(RowKind),
        "owner": frozenset(Owner),
    }
    for row in rows:
        found += [f"{row.name} needs {need}, which is not a row" for need in row.needs if need not in names]
        for member, values in known.items():
            value = getattr(row, member)
            if value not in values:
                found.append(f"{row.name} names the unknown {member} '{value}'")
    return found + _cycles(rows)


def _cycles(rows: tuple[Row, ...]) -> list[str]:
    """Remove rows that need none of those left, until there are no more such rows. The rest wait for each other."""
    left = {row.name: set(row.needs) for row in rows}
    while ready := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in ready:
            del left[name]
    return [f"{', '.join(left)} wait for each other"] if left else []
