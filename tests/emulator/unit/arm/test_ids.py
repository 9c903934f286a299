"""Resource ids and scopes."""

import pytest

from emulator.arm.ids import collapse, parse, parse_resource, scopes

SUBNET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n"


def test_an_id_is_taken_apart_and_put_together() -> None:
    """Types and names alternate after the namespace."""
    found = parse_resource(SUBNET)
    assert (found.type, found.full_name, found.resource_group) == (
        "Microsoft.Network/virtualNetworks/subnets",
        "v/n",
        "g",
    )
    assert str(found) == SUBNET
    assert str(found.parent) == SUBNET.partition("/subnets")[0]


def test_an_extension_lies_on_what_stands_before_it() -> None:
    """The last `/providers/` begins the extension; the path before it is its scope."""
    found = parse_resource(f"{SUBNET}/providers/Microsoft.Authorization/roleAssignments/x")
    assert (found.scope, found.type) == (SUBNET, "Microsoft.Authorization/roleAssignments")


def test_a_collection_has_a_parent_with_all_its_names() -> None:
    """A path that ends with a type is a list or an action of the resource before that type."""
    found = parse(f"{SUBNET}/things")
    assert found is not None
    assert str(found.parent) == SUBNET


@pytest.mark.parametrize(
    "text", ["", "x", "/subscriptions/s", "/providers/Microsoft.Network", SUBNET.rpartition("/")[0]]
)
def test_what_is_no_resource_id_is_refused(text: str) -> None:
    """An id has to name a whole resource."""
    with pytest.raises(ValueError, match="not a resource id"):
        parse_resource(text)


def test_scopes_go_from_the_tenant_to_the_resource() -> None:
    """Assignments are inherited along this chain."""
    assert scopes(SUBNET) == [
        "",
        "/subscriptions/s",
        "/subscriptions/s/resourcegroups/g",
        "/subscriptions/s/resourcegroups/g/providers/microsoft.network/virtualnetworks/v",
        SUBNET.lower(),
    ]
    assert scopes("/") == [""]


def test_doubled_slashes_are_one() -> None:
    """ARM's front door reads paths with the slashes collapsed."""
    assert collapse("//a///b/") == "/a/b"
