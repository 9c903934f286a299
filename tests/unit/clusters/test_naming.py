"""Names: in Azure's limits, whatever a customer typed."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.clusters import naming
from shared.clusters.secrets import Purpose, secret_name

ZONE = "eastus.aroapp.io"
RANDOM = Random(1)  # noqa: S311 - a test repeats itself


@settings(derandomize=True)
@given(st.from_regex(r"[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]", fullmatch=True))
def test_an_infra_id_fits_every_resource_name(name: str) -> None:
    """At most 27 lower-case characters, no hyphen beside another."""
    infra_id = naming.infra_id(name, RANDOM)
    assert len(infra_id) <= 27
    assert re.fullmatch(r"[a-z0-9-]*-[bcdfghjklmnpqrstvwxz2456789]{5}", infra_id)
    assert "--" not in infra_id


@pytest.mark.parametrize(
    ("name", "want_prefix"),
    [
        pytest.param("C1", "c1-", id="lower case"),
        pytest.param("a.b(c)", "a-b-c-", id="other characters become one hyphen each run"),
        pytest.param("a" * 30, "a" * 21 + "-", id="cut to 21"),
        pytest.param("a" * 20 + ".b", "a" * 20 + "-", id="no hyphen twice at the cut"),
    ],
)
def test_an_infra_id_begins_with_the_cluster_name(name: str, want_prefix: str) -> None:
    """People find their resources by it."""
    assert naming.infra_id(name, RANDOM)[:-5] == want_prefix


def test_a_storage_suffix_has_five_characters_that_spell_nothing() -> None:
    """It is public in DNS."""
    assert re.fullmatch("[bcdfghjklmnpqrstvwxyz0-9]{5}", naming.storage_suffix(RANDOM))


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
    assert naming.managed_domain(domain, ZONE) == want


def test_a_secret_is_named_after_its_document() -> None:
    """The document's id is never used twice, and a deleted secret keeps its name."""
    assert secret_name("6f0c", Purpose.REQUEST) == "6f0c-request"
