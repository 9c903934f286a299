"""Writes the results of a run as a page: `docs/reliability.md`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.faults.checks.known_failures import BY_NAME
from tests.faults.scenarios import FAMILIES, UNDISTURBED

LONGEST_ERROR = 400


@dataclass(frozen=True)
class Line:
    """The result of one scenario.

    Args:
        family: family of the scenario.
        name: name of the scenario.
        operation: the operation under way; "" for a story of several.
        seconds: time from the request to the end of the operation.
        error: what was wrong; "" if nothing.
        met: whether the operation met the trouble at all.
    """

    family: str
    name: str
    operation: str
    seconds: float
    error: str
    met: bool = True

    @property
    def accepted(self) -> bool:
        """Tell whether the scenario failed and is listed as an accepted failure."""
        return bool(self.error) and (self.family, self.name) in BY_NAME


def render(lines: Iterable[Line], seed: str, scale: float, only: str = "") -> str:
    """Return the page.

    Args:
        lines: the results of the scenarios.
        seed: the seed that drew the scenarios.
        scale: the time scale of the run.
        only: the filter with which the run was started, as pytest's `-k`; "" if it was a full run.
    """
    found = sorted(lines, key=lambda line: (list(FAMILIES).index(line.family), line.name))
    return "\n".join(
        [*_head(seed, scale, only), *_table(found, _usual(found)), "", *_promises(found), "", *_failures(found), ""]
    )


def _usual(lines: Iterable[Line]) -> dict[str, float]:
    """Return how long each operation takes undisturbed."""
    return {line.operation: line.seconds for line in lines if line.family == UNDISTURBED.name}


def _head(seed: str, scale: float, only: str) -> list[str]:
    part = f' ONLY="{only}"' if only else ""
    left_out = [f"This run was a part: only scenarios that match `{only}`.", ""] if only else []
    return [
        "# Reliability",
        "",
        "This page shows what the service survives. `make faults` writes it. Each scenario runs the unmodified product",
        "against the local Azure and makes one thing go wrong. Afterwards, code that does not know the product counts",
        "everything that exists.",
        "",
        (
            f"Seed {seed}: `make faults SEED={seed}{part}` repeats the run. The time scale is {scale:g}; `own pace` "
            "runs at Azure's."
        ),
        "",
        *left_out,
    ]


def _table(lines: list[Line], usual: dict[str, float]) -> Iterator[str]:
    yield "| family | runs | passed | failed | accepted | met nothing | longest delay |"
    yield "|---|---|---|---|---|---|---|"
    for family in FAMILIES:
        mine = [line for line in lines if line.family == family]
        if not mine:
            continue
        accepted = sum(line.accepted for line in mine)
        failed = sum(bool(line.error) for line in mine) - accepted
        late = [line.seconds - usual[line.operation] for line in mine if line.operation in usual and not line.error]
        idle = sum(not line.met for line in mine)
        delay = f"{max(0.0, *late):.0f} s" if late and family != UNDISTURBED.name else ""
        passed = len(mine) - failed - accepted
        yield f"| {family} | {len(mine)} | {passed} | {failed} | {accepted} | {idle} | {delay} |"


def _promises(lines: list[Line]) -> Iterator[str]:
    yield "A delay is how much longer a scenario took than the same operation undisturbed, in seconds of this machine."
    yield "A scenario that met nothing drew a call or a moment that did not occur, so it proves nothing."
    yield ""
    families = dict.fromkeys(line.family for line in lines)
    yield from (f"- **{name}**: {FAMILIES[name].promise}" for name in families)


def _failures(lines: list[Line]) -> Iterator[str]:
    yield "## Failures"
    yield ""
    failed = [line for line in lines if line.error]
    if not failed:
        yield "None."
    for line in failed:
        known = BY_NAME.get((line.family, line.name))
        why = f" Accepted, refused by {known.refused_by}: {known.reason}" if known else ""
        error = " ".join(line.error.split())[:LONGEST_ERROR]
        yield f"- {line.family}: {line.name}.{why} `{error.replace('`', '')}`"
