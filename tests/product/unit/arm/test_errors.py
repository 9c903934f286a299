"""The shape of errors, and how they survive transport."""

import pickle

import pytest

from shared.arm import errors
from shared.arm.errors import CloudError, ErrorCode, Owner


def test_a_reply_leaves_out_empty_members() -> None:
    """Clients always see code and message; target and details only if there are any."""
    assert errors.resource_not_found("/x").to_body() == {
        "error": {
            "code": "ResourceNotFound",
            "message": "The resource '/x' was not found. Check its name, resource group and subscription.",
        }
    }


def test_an_error_survives_pickling() -> None:
    """Errors are pickled between processes."""
    error = CloudError(409, ErrorCode.CONFLICT, "busy", "properties", [{"code": "a", "message": "b"}])
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert copied.body() == error.body()
    assert copied.status_code == 409


@pytest.mark.parametrize(
    ("error", "want_owner"),
    [
        pytest.param(errors.internal_server_error(), Owner.PLATFORM, id="a bug is the platform's"),
        pytest.param(errors.invalid_parameter("t", "m"), Owner.CUSTOMER, id="a bad value is the customer's"),
        pytest.param(CloudError(400, ErrorCode.DEPLOYMENT_FAILED, "m"), Owner.AZURE, id="a deployment is Azure's"),
    ],
)
def test_every_error_knows_whose_it_is(error: CloudError, want_owner: Owner) -> None:
    """Alerts and retries depend on it."""
    assert error.owner == want_owner


def test_nothing_is_raised_without_failures() -> None:
    """A valid request continues."""
    errors.raise_all([])


def test_one_failure_is_raised_as_it_is() -> None:
    """Details that only repeat the error would add nothing."""
    with pytest.raises(CloudError) as caught:
        errors.raise_all([errors.invalid_parameter("a", "first")])
    assert caught.value.details == []


def test_many_failures_come_at_once_with_the_first_outside() -> None:
    """A client that shows only the outer error shows the first failure; one that shows details misses none."""
    failures = [errors.invalid_parameter("a", "first"), errors.conflict("second")]
    with pytest.raises(CloudError) as caught:
        errors.raise_all(failures)
    assert (caught.value.status_code, caught.value.target, caught.value.message) == (400, "a", "first")
    assert [detail["code"] for detail in caught.value.details] == ["InvalidParameter", "Conflict"]


def test_a_lone_finding_of_a_check_stands_outside_and_in_the_details() -> None:
    """Code that merges the findings of several checks reads only the details."""
    found = errors.summarize([errors.invalid_parameter("a", "first")])
    assert (found.code, found.message, found.target) == ("InvalidParameter", "first", "a")
    assert found.details == [{"code": "InvalidParameter", "message": "first", "target": "a"}]


def test_several_findings_of_a_check_are_counted_and_each_listed_once() -> None:
    """Two checks may find the same problem; the message has the number of problems, and the first one."""
    first = CloudError(400, ErrorCode.INVALID_LINKED_VNET, "one", "a")
    found = errors.summarize([first, CloudError(400, ErrorCode.INVALID_LINKED_VNET, "one", "a"), errors.conflict("b")])
    assert (found.code, found.target) == ("InvalidLinkedVNet", "")
    assert "2 problems" in found.message
    assert "one" in found.message
    assert [entry["message"] for entry in found.details] == ["one", "b"]
