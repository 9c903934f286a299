"""The row of a plan, the functions with which the tables write rows, and a row as JSON.

A row is data. The operation and the orchestration's input contain it as a dictionary.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypedDict, Unpack

from shared import durations, remedies
from shared.arm.errors import Owner
from shared.steps import PhaseReference, RetryPolicy, RowKind, SerialisedRow

# A host that dies is back after some seconds of real time. Rows that wait for little allow for a few such restarts.
A_FEW_RESTARTS = timedelta(minutes=1)
_POLL_SECONDS = int(durations.ROW_POLL.total_seconds())
_BEGUN_POLL_SECONDS = int(durations.BEGUN_POLL.total_seconds())


@dataclass(frozen=True, kw_only=True)
class Row:
    """One step. `docs/documents.md` explains the members."""

    name: str
    section: str
    kind: RowKind
    executor: str
    needs: tuple[str, ...] = ()
    when: str = ""
    deadline: timedelta = timedelta(minutes=5)
    # The floor of the scaled deadline, if the row waits for work or time-outs that the time scale does not shorten.
    shortest: timedelta = timedelta()
    poll: timedelta = durations.ROW_POLL
    # How long it usually takes, if that varies little; it is then polled when its end is due.
    usual: timedelta = timedelta()
    retry: RetryPolicy = RetryPolicy.AZURE
    # Whether its failure is reported in one error with those of other such rows, which go on meanwhile: checks, which
    # change nothing, and the rows of a renewal, which are independent of each other.
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
    return _row_of(
        RowKind.BEGIN_AND_POLL, name, minutes, waits_for, {"poll": _BEGUN_POLL_SECONDS, "owner": Owner.AZURE, **more}
    )


def condition(name: str, minutes: int, waits_for: str, **more: Unpack[More]) -> Row:
    """Return a row that only polls, until its condition holds.

    Args:
        name: the name of the row.
        minutes: its deadline, unscaled.
        waits_for: what readers see while the row waits.
        more: see `More`.
    """
    return _row_of(RowKind.CONDITION, name, minutes, waits_for, more)


def section(name: str, *rows: Row) -> tuple[Row, ...]:
    """Return the rows with the heading of their part of the plan, which documents call their phase."""
    return tuple(replace(row, section=name) for row in rows)


def _row_of(kind: RowKind, name: str, minutes: int, waits_for: str, more: More) -> Row:
    return Row(
        name=name,
        section="",
        kind=kind,
        executor=more.get("executor", name),
        needs=more.get("needs", ()),
        when=more.get("when", ""),
        deadline=timedelta(minutes=minutes),
        shortest=more.get("shortest", timedelta()),
        poll=timedelta(seconds=more.get("poll", _POLL_SECONDS)),
        usual=timedelta(seconds=more.get("usual", 0)),
        retry=more.get("retry", RetryPolicy.AZURE),
        together=more.get("together", False),
        owner=more.get("owner", Owner.PLATFORM),
        waits_for=waits_for,
        message=more.get("remedy") or remedies.BY_ROW.get(name, remedies.REPEAT),
    )


def to_dict(row: Row) -> SerialisedRow:
    """Return the row as JSON; members with their default, such as `when`, are left out."""
    plain: SerialisedRow = {
        "name": row.name,
        "phase": row.section,
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
    if row.usual:
        plain["usualSeconds"] = row.usual.total_seconds()
    if row.together:
        plain["together"] = True
    if row.owner != Owner.PLATFORM:
        plain["owner"] = row.owner
    if row.when:
        plain["when"] = row.when
    if row.document:
        plain["document"] = row.document
    return plain


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
    sentences = [f"the name {name} occurs twice" for name in sorted({n for n in names if names.count(n) > 1})]
    known = {
        "executor": executors,
        "when": predicates | {""},
        "retry": retries,
        "kind": frozenset(RowKind),
        "owner": frozenset(Owner),
    }
    for row in rows:
        sentences += [f"{row.name} needs {need}, which is not a row" for need in row.needs if need not in names]
        for member, values in known.items():
            value = getattr(row, member)
            if value not in values:
                sentences.append(f"{row.name} names the unknown {member} '{value}'")
    return sentences + _cycles(rows)


def _cycles(rows: tuple[Row, ...]) -> list[str]:
    """Remove rows that need none of those left, until there are no more such rows. The rest wait for each other."""
    left = {row.name: set(row.needs) for row in rows}
    while ready := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in ready:
            del left[name]
    return [f"{', '.join(left)} wait for each other"] if left else []
