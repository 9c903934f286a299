"""Sizes of virtual machines."""

import pytest

from emulator.arm.groups import LOCATIONS
from emulator.arm.zones import zones_of
from emulator.compute import sizes


def test_every_restriction_is_of_something_that_is_there() -> None:
    """A restriction of an unknown size or location would restrict nothing."""
    for row in sizes.RESTRICTIONS:
        size = sizes.find(row.size)
        assert size is not None
        assert row.location in LOCATIONS
        assert sizes.offered(size, row.location)
        assert set(row.zones) <= set(zones_of(row.location))


@pytest.mark.parametrize(
    ("family", "label"),
    [
        ("standardDSv5Family", "Standard DSv5 Family vCPUs"),
        ("StandardDsv6Family", "Standard Dsv6 Family vCPUs"),
        ("Standard NCASv3_T4 Family", "Standard NCASv3_T4 Family vCPUs"),
    ],
)
def test_a_family_has_a_name_for_people(family: str, label: str) -> None:
    """The portal shows these names."""
    assert family in sizes.FAMILIES
    assert sizes.family_label(family) == label
