"""The rules for the bodies of resource groups."""

from typing import Any

import pytest

from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from tests.emulator.unit.arm.conftest import WORLD

SUBSCRIPTION = WORLD.subscription_id
REFUSED = [
    pytest.param({f"tag{number}": "" for number in range(51)}, "TooManyTags", id="more than 50 tags"),
    pytest.param({"a<b": ""}, "InvalidTagNameCharacters", id="a reserved character in a name"),
    pytest.param({"n" * 513: ""}, "InvalidTagName", id="a name of more than 512 characters"),
    pytest.param({"tag": "v" * 257}, "InvalidTagValueLength", id="a value of more than 256 characters"),
    pytest.param({"tag": 1}, "InvalidRequestContent", id="a value that is not text"),
    pytest.param(["tag"], "InvalidRequestContent", id="a list"),
]


def test_a_group_is_made_only_where_there_are_groups(model: ArmModel) -> None:
    """The refusal is of groups, not of a type."""
    with pytest.raises(ServiceError) as error:
        model.groups.put(SUBSCRIPTION, "far", {"location": "atlantis"})
    assert (error.value.status_code, error.value.code) == (400, "LocationNotAvailableForResourceGroup")
    assert error.value.message.startswith("The provided location 'atlantis' is not available for resource group.")


@pytest.mark.parametrize(("tags", "code"), REFUSED)
def test_a_new_group_with_such_tags_is_refused(model: ArmModel, tags: Any, code: str) -> None:
    """The rules are those of every resource."""
    with pytest.raises(ServiceError) as error:
        model.groups.put(SUBSCRIPTION, "tagged", {"location": "eastus", "tags": tags})
    assert (error.value.status_code, error.value.code) == (400, code)
    assert model.groups.find(SUBSCRIPTION, "tagged") is None


@pytest.mark.parametrize(("tags", "code"), REFUSED)
def test_a_group_does_not_get_such_tags_later(model: ArmModel, tags: Any, code: str) -> None:
    """A PATCH keeps the same rules, and a refused one changes nothing."""
    model.groups.put(SUBSCRIPTION, "tagged", {"location": "eastus", "tags": {"team": "one"}})
    with pytest.raises(ServiceError) as error:
        model.groups.patch(SUBSCRIPTION, "tagged", {"tags": tags})
    assert (error.value.status_code, error.value.code) == (400, code)
    assert model.groups.get(SUBSCRIPTION, "tagged")["tags"] == {"team": "one"}


def test_a_group_may_have_fifty_tags(model: ArmModel) -> None:
    """The limits themselves are allowed."""
    tags = {"n" * 512: "v" * 256} | {f"tag{number}": "" for number in range(49)}
    group, created = model.groups.put(SUBSCRIPTION, "tagged", {"location": "eastus", "tags": tags})
    assert created
    assert group["tags"] == tags
