"""Names stay within Azure's limits, whatever a customer typed."""

import re
from random import Random

import pytest

from shared.clusters import cluster_names
from shared.clusters.secrets import Purpose, secret_name

ZONE = "eastus.aroapp.io"
RANDOM = Random(1)  # noqa: S311 - a test repeats itself


def test_a_storage_suffix_has_five_characters_that_spell_nothing() -> None:
    """It is public in DNS."""
    assert re.fullmatch("[bcdfghjklmnpqrstvwxyz0-9]{5}", cluster_names.storage_suffix(RANDOM))


@pytest.mark.parametrize(
    ("domain", "want"),
    [
        pytest.param("c1", "c1", id="one label is ours"),
        pytest.param("c1.eastus.aroapp.io", "c1", id="so is a name right under our zone"),
        pytest.param("c1.example.com", None, id="a customer's own"),
        pytest.param("a.b.eastus.aroapp.io", None, id="two labels under our zone"),
    ],
)
def test_the_managed_label_is_told_from_own_domains(domain: str, want: str | None) -> None:
    """Only managed domains get records and certificates."""
    assert cluster_names.managed_domain(domain, ZONE) == want


@pytest.mark.parametrize("domain", ["c1", "c1.example.com", "c1."])
def test_a_service_without_a_zone_manages_no_domain(domain: str) -> None:
    """Not even one label, which would be under its zone."""
    assert cluster_names.managed_domain(domain, "") is None
    assert cluster_names.managed_name(domain, "") is None


def test_a_secret_is_named_after_its_document() -> None:
    """The document's id is never reused, and a deleted secret keeps its name."""
    assert secret_name("6f0c", Purpose.REQUEST) == "6f0c-request"
