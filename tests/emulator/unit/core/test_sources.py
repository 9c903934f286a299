"""Every error of the local Azure says where its code and its text come from."""

from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, SAID, documentation, name_of, said
from tools.pages.sources import builders, unmarked


def test_every_error_is_built_where_its_source_is_named() -> None:
    """Build the error in a function of the service's `exceptions.py`, marked with `@said(…)`."""
    assert list(unmarked()) == []


def test_every_mark_names_a_source_with_an_address_or_says_that_there_is_none() -> None:
    """Those from memory, and what only the local Azure says, have no address."""
    assert {builder.source for builder in builders()} <= {
        "MEMORY",
        "OWN",
        "documentation",
        "public_output",
    }


def test_a_marked_function_is_known_by_its_name() -> None:
    """So is each of its errors."""

    def builder() -> ServiceError:
        return ServiceError(400, "Code", "Message")

    name = name_of(builder)
    try:
        assert said(MEMORY)(builder)().said == name
        assert SAID[name] == MEMORY
    finally:
        SAID.pop(name, None)
    assert documentation("https://learn.microsoft.com").where == "https://learn.microsoft.com"
