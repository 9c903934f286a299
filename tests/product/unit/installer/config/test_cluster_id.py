"""The infra id stays within Azure's limits, whatever a customer typed."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from installer.config import cluster_id

RANDOM = Random(1)  # noqa: S311 - a test repeats itself


@settings(derandomize=True)
@given(st.from_regex(r"[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]", fullmatch=True))
def test_an_infra_id_fits_every_resource_name(name: str) -> None:
    """At most 27 lower-case characters, no hyphen beside another."""
    infra_id = cluster_id.infra_id(name, RANDOM)
    assert len(infra_id) <= 27
    assert re.fullmatch(r"[a-z0-9-]*-[bcdfghjklmnpqrstvwxz2456789]{5}", infra_id)
    assert "--" not in infra_id
    assert cluster_id.is_infra_id(infra_id) or infra_id.startswith("-")


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
    assert cluster_id.infra_id(name, RANDOM)[:-5] == want_prefix


@pytest.mark.parametrize("text", ["", "-a", "a-", "A", "a_b", "a" * 28])
def test_what_cannot_begin_a_resources_name_is_no_infra_id(text: str) -> None:
    """Empty, too long, or with other characters."""
    assert not cluster_id.is_infra_id(text)
