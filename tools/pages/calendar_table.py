"""The calendar in docs/operations.md: every certificate and credential, from its table."""

from shared.cluster_conditions.calendar import CALENDAR, Entry, Owner
from tools.pages.markdown import table

BEGIN, END = "<!-- calendar: begin, written by `make docs` -->", "<!-- calendar: end -->"
_HEAD = ("what", "where", "life", "renewed by", "when", "if nobody does", "how to see it")
_TITLES = {Owner.CLUSTER: "Of each cluster:", Owner.SERVICE: "Of the service itself:"}


def put_into(now: str) -> str:
    """Return the page with its calendar up to date.

    Raises:
        ValueError: the page has no place for it.
    """
    before, begin, rest = now.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN} and {END}")
    tables = [f"{title}\n\n{table(_HEAD, map(_row, _of(owner)))}" for owner, title in _TITLES.items()]
    return f"{before}{BEGIN}\n" + "\n\n".join(tables) + f"\n{END}{after}"


def _of(owner: Owner) -> list[Entry]:
    return [entry for entry in CALENDAR if entry.owner is owner]


def _row(entry: Entry) -> tuple[str, ...]:
    when = "; ".join(part for part in (_left(entry.renewed_days, "with {} days left"), entry.renewed) if part)
    warned = _left(entry.warned_days, f"; `{entry.kind}` warns of its last {{}} days")
    return (
        entry.what,
        entry.where,
        entry.life,
        str(entry.renewed_by),
        when,
        entry.unrenewed,
        entry.seen + warned,
    )


def _left(days: int, text: str) -> str:
    return text.format(days) if days else ""
