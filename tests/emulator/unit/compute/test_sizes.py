"""Sizes of virtual machines."""

import pytest

from emulator.arm.groups import LOCATIONS
from emulator.compute import sizes
from shared.clusters.checks.vm_sizes import WORKER_SIZES


def test_every_size_that_a_cluster_may_have_exists() -> None:
    """A size that the product allows and Azure does not know would be a mistake of one of them."""
    assert sorted(size for size in WORKER_SIZES if sizes.find(size) is None) == []


def test_every_restriction_is_of_something_that_is_there() -> None:
    """Else it would restrict nothing."""
    for row in sizes.RESTRICTIONS:
        size = sizes.find(row.size)
        assert size is not None
        assert row.location in LOCATIONS
        assert sizes.offered(size, row.location)
        assert set(row.zones) <= set(sizes.zones_of(row.location))


@pytest.mark.parametrize(
    ("family", "label"),
    [
        ("standardDSv5Family", "Standard DSv5 Family vCPUs"),
        ("StandardDsv6Family", "Standard Dsv6 Family vCPUs"),
        ("Standard NCASv3_T4 Family", "Standard NCASv3_T4 Family vCPUs"),
    ],
)
def test_a_family_has_a_name_for_people(family: str, label: str) -> None:
    """As the portal writes it."""
    assert family in sizes.FAMILIES
    assert sizes.family_label(family) == label
