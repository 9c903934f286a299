"""Facts that follow from a release alone."""

import pytest

from installer.ignition import ignition
from shared.release import release_rules


@pytest.mark.parametrize(
    ("version", "specs", "flavour"),
    [
        ("4.3.1", ("2.2.0",), "A"),
        ("4.4.1", ("2.2.0",), "T"),
        ("4.5.1", ("2.2.0",), "T"),
        ("4.6.1", ("3.1.0",), "B"),
        ("4.7.1", ("3.2.0", "3.1.0"), "B"),
        ("4.8.1", ("3.2.0", "3.1.0"), "C"),
        ("4.20.1", ("3.2.0", "3.1.0"), "C"),
    ],
)
def test_a_release_reads_specs_up_to_that_of_its_ignition(version: str, specs: tuple[str, ...], flavour: str) -> None:
    """And boots in the way of its time; the machines of 4.6 read 3.1 and nothing newer."""
    assert (release_rules.ignition_versions(version), release_rules.flavour(version)) == (specs, flavour)


def test_the_specs_are_those_that_can_be_written() -> None:
    """A release with another spec would make a machine that never boots."""
    assert ignition.VERSIONS == release_rules.IGNITION_VERSIONS
