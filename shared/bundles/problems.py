"""What is wrong with a bundle: all of it at once, each with its file and field."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from shared import findings


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that its author has to change.

    Args:
        file: path in the bundle; "" if it is the bundle as a whole.
        field: JSON path in the document, after the document's kind and name: `Phase/one config.executorRef`; "" if it
            is the file as a whole.
        message: what is wrong, with the value, and what is allowed.
    """

    file: str
    field: str
    message: str

    def __str__(self) -> str:
        where = " ".join(part for part in (self.file, self.field) if part)
        return f"{where}: {self.message}" if where else self.message


class BundleError(Exception):
    """A bundle that cannot be used.

    Args:
        problems: what was found, at least one; a hundred at most are kept.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(islice(problems, findings.MOST)))
        super().__init__("\n".join(map(str, self.problems)))


def bundle_error(message: str, *, file: str = "", field: str = "") -> BundleError:
    """Return the error for one problem.

    Args:
        message: what is wrong, with the value, and what is allowed.
        file: path in the bundle.
        field: JSON path in the document.
    """
    return BundleError([Problem(file, field, message)])
