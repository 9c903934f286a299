"""`make lint`: refuse phrases that a native engineer would not write, wherever people read them.

Each row is a phrase and what to write instead. A phrase is found across line breaks, in comments, and in strings that
are written in several parts.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
READ_BY_PEOPLE = ("*.py", "*.md", "*.json", "*.yaml", "*.toml", "*.sh", "Makefile", "tools/bootstrap")
# They name the phrases.
LEFT_OUT = ("tools/words.py", "tests/product/unit/pages/test_words.py")


class Phrase(NamedTuple):
    """A phrase, as a regular expression for text in lower case with single blanks, and what to write instead."""

    pattern: str
    instead: str


_COMPARED = "longer|more than|less|fewer|later|earlier|better|worse|different|one"
PHRASES = (
    Phrase(rf"(?<!there )(?<!here )\b(is|are|was|were|be) no (?!({_COMPARED})\b)", "is not a ..."),
    Phrase(r"\banew\b", "again; a new one"),
    Phrase(r"\bthat there (is|are|was|were) (not|none)\b", "an unknown ...; that does not exist"),
    Phrase(r"\bbut for (?=the|those|a|an|its|their|one|what|`|')", "except; except for"),
    Phrase(r"\b(has|have|is|are|exists?|runs?|sleeps?) no more\b(?! than| [a-z])", "no longer"),
    Phrase(r"\bwhile nothing happens\b", "when idle"),
    Phrase(r"\b(text|json|yaml) in utf-8\b", "UTF-8 text"),
    Phrase(r"\bsizes? of machines?\b", "VM size"),
    Phrase(r"\bobjects? of kubernetes\b|\bnames? in azure\b", "Kubernetes object; Azure name"),
    Phrase(r"\bfor ever\b", "forever"),
    Phrase(r"\bin vain\b", "without success"),
    Phrase(r"\bnothing but\b", "only"),
    Phrase(r"\bknows? (nothing of|no)\b", "knows nothing about; does not know"),
    Phrase(r"\btells? of\b", "says about"),
    Phrase(r"\b(can|could|to) be had\b", "is available"),
    Phrase(r"\bwants? to have\b", "wants"),
    Phrase(r"\bin the place of\b", "instead of"),
    Phrase(r"\bstands? behind\b", "maps to"),
    Phrase(r"\bgo(es)? on with\b", "continue; continue with"),
    Phrase(r"[.:] besides,|\bbesides[.:]", "also"),
)
_EXPRESSIONS = [(re.compile(phrase.pattern.replace(" ", "[ \v]")), phrase.instead) for phrase in PHRASES]
# What may be between two words: blanks, at most one end of a line with the mark of a comment, the parts of one string.
_GAP = re.compile(r"""[ \t]*["']?(?:[ \t]+|[ \t]*(\n)[ \t]*(?:\#[ \t]*)?)(?:f?["'])?""")


class Finding(NamedTuple):
    """A phrase in a file."""

    line: int
    words: str
    instead: str


def findings(text: str) -> Iterator[Finding]:
    """Yield every phrase of the table that a text has."""
    flat = _GAP.sub(lambda gap: "\v" if gap[1] else " ", text.lower())
    for expression, instead in _EXPRESSIONS:
        for match in expression.finditer(flat):
            before = flat[: match.start()]
            yield Finding(before.count("\n") + before.count("\v") + 1, " ".join(match[0].split()), instead)


def _files() -> list[Path]:
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *READ_BY_PEOPLE]
    names = subprocess.run(listed, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split("\0")
    return [REPOSITORY / name for name in sorted(filter(None, names)) if not name.startswith(LEFT_OUT)]


def main() -> int:
    """Print where each phrase is; return the exit code."""
    count = 0
    for path in _files():
        if not path.is_file():
            continue
        for line, words, instead in sorted(findings(path.read_text(encoding="utf-8"))):
            print(f"{path.relative_to(REPOSITORY)}:{line}: {words!r}: write {instead!r}")  # noqa: T201 - the answer
            count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
