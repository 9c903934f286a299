"""Resource ids: every id that can be written can be read, and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.arm import resource_id
from shared.arm.resource_id import ResourceId

SUBSCRIPTION = "dddddddd-0000-0000-0000-000000000001"
segments = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=20)
pairs = st.lists(st.tuples(segments, segments), min_size=1, max_size=3)


@settings(derandomize=True)
@given(subscription=segments, group=st.one_of(st.just(""), segments), provider=segments, path=pairs)
def test_every_id_reads_back_as_it_was_written(
    subscription: str, group: str, provider: str, path: list[tuple[str, str]]
) -> None:
    """Casing included: ids keep what their creator typed."""
    types, names = zip(*path, strict=True)
    written = ResourceId(subscription, group, provider, types, names)
    assert resource_id.parse(str(written)) == written


@settings(derandomize=True)
@given(st.text(max_size=200))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Customers type ids by hand."""
    parsed = resource_id.try_parse(text)
    assert parsed is None or parsed.key == str(resource_id.parse(text)).lower()


def test_a_subnet_knows_its_network_and_its_group() -> None:
    """Steps navigate from a subnet to its parents."""
    text = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/s"
    subnet = resource_id.parse(text)
    assert subnet.is_type("microsoft.network/VIRTUALNETWORKS/subnets")
    assert subnet.name == "s"
    assert str(subnet.parent) == text.removesuffix("/subnets/s")
    assert str(subnet.parent.parent) == f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
    assert subnet.parent.child("subnets", "s") == subnet
    assert subnet.equals(resource_id.parse(text.upper()))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("subscriptions/x", id="no slash at the beginning"),
        pytest.param("/subscriptions", id="no subscription"),
        pytest.param("/subscriptions/x/resourceGroups", id="no name of a group"),
        pytest.param("/subscriptions/x/resourceGroups//providers/a/b/c", id="an empty segment"),
        pytest.param("/subscriptions/x/resourceGroups/g/providers/a/b", id="a type without a name"),
        pytest.param("/subscriptions/x/something/g", id="a segment that ARM does not know"),
        pytest.param("/subscriptions/x/resourceGroups/g/", id="a slash at the end"),
    ],
)
def test_what_is_no_id_is_refused(text: str) -> None:
    """The message quotes the text, because it goes to the customer."""
    with pytest.raises(ValueError, match="'"):
        resource_id.parse(text)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(SUBSCRIPTION.upper(), True, id="a UUID in any case"),
        pytest.param(f"{{{SUBSCRIPTION}}}", False, id="a braced one would be a second name of the same thing"),
        pytest.param(SUBSCRIPTION.replace("-", ""), False, id="so would one without hyphens"),
        pytest.param("x", False, id="a word"),
    ],
)
def test_only_the_usual_form_of_a_uuid_counts(text: str, *, want: bool) -> None:
    """Documents are found by these texts."""
    assert resource_id.is_uuid(text) is want
