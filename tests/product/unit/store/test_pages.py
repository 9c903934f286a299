"""Pages of a query, while other threads use the same client."""

from collections.abc import Iterator
from typing import Any

import pytest
from azure.core.paging import PageIterator

from shared.store.containers import UPDATE_TRIES, next_page

DISTURBED = "OrderedDict mutated during iteration"
PAGES: dict[str | None, tuple[str | None, list[str]]] = {None: ("second", ["a"]), "second": (None, ["b"])}


def _pager(*failures: RuntimeError) -> Iterator[Iterator[Any]]:
    """Return the SDK's own pager, whose first calls fail."""
    left = list(failures)

    def get(token: str | None) -> tuple[str | None, list[str]]:
        if left:
            raise left.pop(0)
        return PAGES[token]

    def extract(answer: Any) -> Any:
        return answer

    return PageIterator(get, extract)


def _read(pages: Iterator[Iterator[Any]]) -> list[str]:
    found: list[str] = []
    while (page := next_page(pages)) is not None:
        found += page
    return found


def test_a_page_that_another_thread_has_disturbed_is_read_again() -> None:
    """Each document is read once."""
    assert _read(_pager()) == ["a", "b"]
    assert _read(_pager(*[RuntimeError(DISTURBED)] * (UPDATE_TRIES - 1))) == ["a", "b"]


@pytest.mark.parametrize("failures", [[RuntimeError(DISTURBED)] * UPDATE_TRIES, [RuntimeError("another bug")]])
def test_it_is_given_up_in_the_end_and_other_errors_at_once(failures: list[RuntimeError]) -> None:
    """Nothing is hidden."""
    with pytest.raises(RuntimeError, match=str(failures[0])):
        next_page(_pager(*failures))
