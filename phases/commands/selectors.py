"""Which of the rendered documents are shown: by kind, by API version, by labels and annotations."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shared.bundles.problems import bundle_error
from shared.json_object import Json

_TERM = re.compile(r"(?P<absent>!?)(?P<name>[^\s!=,]+)((?P<sign>==?|!=)(?P<value>[^\s!=,]*))?")


@dataclass(frozen=True)
class Selection:
    """What a document must have to be shown.

    Args:
        kind: its kind; "" for any.
        api_version: its API version; "" for any.
        labels: selectors in kubectl's form: `app=agent,tier!=web,owner,!draft`. All of them have to hold.
        annotations: the same for annotations.
    """

    kind: str = ""
    api_version: str = ""
    labels: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the selectors.

        Raises:
            BundleError: a selector is not one.
        """
        for selector in (*self.labels, *self.annotations):
            _terms(selector)

    def has(self, document: Json) -> bool:
        """Tell whether a document is shown."""
        metadata = document.get("metadata") or {}
        return (
            self.kind in ("", document.get("kind"))
            and self.api_version in ("", document.get("apiVersion"))
            and _hold(self.labels, metadata.get("labels") or {})
            and _hold(self.annotations, metadata.get("annotations") or {})
        )


def _terms(selector: str) -> list[re.Match[str]]:
    """Return the terms of a selector."""
    terms = [term for one in selector.split(",") if (term := _TERM.fullmatch(one))]
    if len(terms) <= selector.count(",") or any(one["absent"] and one["sign"] for one in terms):
        raise bundle_error(f"'{selector}' is not a selector. One is like 'app=agent,tier!=web,owner,!draft'.")
    return terms


def _hold(selectors: Iterable[str], values: Mapping[str, Any]) -> bool:
    return all(_holds(term, values) for selector in selectors for term in _terms(selector))


def _holds(term: re.Match[str], values: Mapping[str, Any]) -> bool:
    if term["sign"]:
        return (values.get(term["name"]) == term["value"]) is (term["sign"] != "!=")
    return (term["name"] in values) is not bool(term["absent"])
