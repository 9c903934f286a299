"""docs/emulated-rules.md: what each emulated type refuses, with which error, and where that error comes from."""

import tempfile
from collections.abc import Hashable, Iterator
from pathlib import Path

from emulator.arm import exceptions
from emulator.arm.writes.put_body import UNREADABLE
from emulator.core.refusals import origin, source_of
from emulator.core.sources import MEMORY, OWN, Source
from tests.emulator.unit.rules.examples import EXAMPLES
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer, LocalTarget
from tests.emulator.unit.rules.test_rules import CASES, number
from tools.pages.markdown import table

PAGE = Path(__file__).resolve().parents[4] / "docs" / "emulated-rules.md"
# Every type refuses these, so the page says so once.
EVERYWHERE = {
    *(origin(builder) for builder in (exceptions.unreadable, *UNREADABLE.values())),
    origin(exceptions.PARENT_RESOURCE_NOT_FOUND),
    origin(exceptions.LOCATION_REQUIRED),
    origin(exceptions.LOCATION_NOT_AVAILABLE),
    origin(exceptions.INVALID_RESOURCE_LOCATION),
    origin(exceptions.TOO_MANY_TAGS),
    origin(exceptions.RESERVED_CHARACTERS),
    origin(exceptions.TAG_NAME_LENGTH),
    origin(exceptions.TAG_VALUE_TOO_LONG),
}
# How many of the values that one error refuses the page shows.
SHOWN = 3
_INTRODUCTION = """# The rules of the emulated types

What the local Azure refuses in a PUT or DELETE of each resource type, with which error, and where the code and the text of that error come from. For people who wonder whether they can trust an answer of the local Azure. `make docs` writes this page from the rows and from the cases in `tests/emulator/unit/rules/`, each of which is a test.

"from memory" means that nobody has found a public source yet. [The emulator's README](../emulator/README.md#against-the-true-azure) says how to ask the true Azure.

"""


def write() -> None:
    """Write the page."""
    PAGE.write_text(text(), encoding="utf-8")


def text() -> str:
    """Return the page: first what all types refuse, then a table for each type."""
    answers = _answers()
    everywhere = [(case, answer) for case, answer in answers if answer.said in EVERYWHERE]
    page = _INTRODUCTION + "## Every type\n" + _table(everywhere, unique=True)
    for name in sorted({EXAMPLES[case.key].type for case, _ in answers}):
        own = [
            (case, answer)
            for case, answer in answers
            if EXAMPLES[case.key].type == name and answer.said not in EVERYWHERE
        ]
        if own:
            page += f"\n## {name}\n{_table(own)}"
    return page


def _answers() -> list[tuple[Case, Answer]]:
    with tempfile.TemporaryDirectory() as folder:
        target = LocalTarget(Path(folder))
        shared = {key: Stage(target, EXAMPLES, number()) for key in EXAMPLES}
        found = [
            (case, case.act(Stage(target, EXAMPLES, number()) if case.alone else shared[case.key])) for case in CASES
        ]
        target.close()
    return found


def _table(answers: list[tuple[Case, Answer]], *, unique: bool = False) -> str:
    return table(("refused", "error", "source"), _rows(answers, unique=unique)) + "\n"


def _rows(answers: list[tuple[Case, Answer]], *, unique: bool) -> Iterator[tuple[str, str, str]]:
    grouped: dict[tuple[Hashable, int, str], list[str]] = {}
    for case, answer in answers:
        promises = grouped.setdefault((answer.said, answer.status, answer.code), [])
        if case.promise not in promises:
            promises.append(case.promise)
    for (said, status, code), promises in grouped.items():
        shown = promises[: 1 if unique else SHOWN]
        more = len(promises) - len(shown)
        rest = f", and {more} more" if more else ""
        yield f"{'; '.join(shown)}{rest}", f"{status} `{code}`", _source(source_of(said))


def _source(source: Source) -> str:
    if source.where.startswith("https://"):
        return f"[{source.kind}]({source.where})"
    return {MEMORY: "from memory", OWN: "the local Azure's own"}.get(source, f"{source.kind}: {source.where}")
