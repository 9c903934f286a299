"""The advice of a failed step: every row of every plan, with every cause."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError, ServiceRequestError

from activities.runtime import failures
from activities.runtime.call import Call
from activities.runtime.executor import TryAgain
from orchestrators import plans
from orchestrators.plans.rows import to_dict
from shared import remedies
from shared.arm.errors import CloudError, CloudErrorBody, ErrorCode
from shared.azure.azure_errors import our_error
from shared.settings import parse
from shared.steps import RetryClass
from shared.store import NotFound, PreconditionFailed
from tests.product.unit.product_world import ENVIRONMENT

SETTINGS = parse(ENVIRONMENT)
ROWS = {f"{name}: {row.name}": to_dict(row) for name in plans.PLANS for row in plans.PLANS[name]}
ARM = "https://management.azure.com"
THEIRS = f"{ARM}/subscriptions/theirs/resourceGroups/g"
OWN = f"{ARM}/subscriptions/{SETTINGS.subscription_id}/resourceGroups/rp"
COSMOS = f"https://{SETTINGS.cosmosdb_account}-eastus.documents.azure.com/dbs/ARO"
VAULT = f"https://{SETTINGS.cluster_keyvault_name}.vault.azure.net/secrets/a"

# Advice that only the owner of the customer's resources can follow, so it must not appear for others' failures.
CUSTOMERS_WORK = re.compile(
    r"quota|polic|lock|security group|firewall|domain|assign|regist|grant|delete the cluster|"
    r"correct|choose|change|size",
    re.IGNORECASE,
)


def answer(status: int, url: str, code: str = "Odd") -> HttpResponseError:
    """Make the error of a call to an address."""
    error = HttpResponseError(f"({code}) It failed.")
    error.status_code, error.error = status, None
    setattr(error, "error_code", code)  # noqa: B010 - Cosmos' and Key Vault's have it
    error.response = SimpleNamespace(headers={}, request=SimpleNamespace(url=url))
    return error


def in_deployment(code: str) -> CloudError:
    """Make the error of a deployment that failed with a code."""
    cause = CloudErrorBody(code=code, message="It failed.")
    return our_error(400, CloudErrorBody(code="DeploymentFailed", message="It failed.", details=[cause]))


def remedy_and_owner(row: Any, error: BaseException) -> tuple[str, str]:
    """Return what a step that raised an error tells a person."""
    found = failures.outcome(Call(row=row, correlationId="corr"), error)
    details = {each["code"]: each["message"] for each in found["error"]["details"]}
    return details["Remedy"], details["Owner"]


def answers_of_all_rows(error: BaseException) -> set[tuple[str, str]]:
    """Return the different remedies and owners that the rows of all plans have for an error: one, as a rule."""
    return {remedy_and_owner(row, error) for row in ROWS.values()}


@pytest.fixture(autouse=True)
def _product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.settings.load", lambda: SETTINGS)


# The sender of the request can fix none of these.
OURS: dict[str, BaseException] = {
    "Cosmos DB refuses us": answer(403, COSMOS, "Forbidden"),
    "Cosmos DB is down": answer(503, COSMOS),
    "Key Vault throttles us": answer(429, VAULT),
    "a quota of our own subscription": answer(409, OWN, "QuotaExceeded"),
    "a lock in our own subscription": answer(409, OWN, "ScopeLocked"),
    "Entra ID refuses our certificate": ClientAuthenticationError("AADSTS700027: it has expired."),
    "a secret that is broken": CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, "A secret is broken."),
    "a record that others keep changing": PreconditionFailed("doc"),
    "a record that is gone": NotFound("doc"),
    "a role that the template has wrong": answer(400, THEIRS, "RoleDefinitionDoesNotExist"),
    "a role assignment of another principal": in_deployment("RoleAssignmentUpdateNotPermitted"),
}
TROUBLE: dict[str, BaseException] = {
    "Azure is down": answer(503, THEIRS),
    "Azure throttles": answer(429, THEIRS),
    "Azure is out of reach": ServiceRequestError("refused"),
}


@pytest.mark.parametrize("error", OURS.values(), ids=OURS)
def test_a_failure_of_the_services_own_asks_for_nothing_but_to_repeat(error: BaseException) -> None:
    """Whichever step meets it."""
    assert answers_of_all_rows(error) == {(remedies.OURS, "platform")}


@pytest.mark.parametrize("error", TROUBLE.values(), ids=TROUBLE)
def test_an_outage_of_azure_asks_to_repeat_later(error: BaseException) -> None:
    """Whichever step meets it."""
    assert answers_of_all_rows(error) == {(remedies.LATER, "azure")}


@pytest.mark.parametrize("code", remedies.BY_CODE)
def test_a_refusal_that_azure_names_has_the_remedy_of_its_code(code: str) -> None:
    """This includes checks: the advice of a check's row is for what the check itself finds."""
    given = answers_of_all_rows(answer(409, THEIRS, code))
    assert {remedy for remedy, _ in given} == {remedies.BY_CODE[code]}


def test_a_refusal_that_nobody_knows_points_to_azures_words() -> None:
    """No step guesses at a cause."""
    assert answers_of_all_rows(answer(400, THEIRS)) == {(remedies.REPORTED, "azure")}
    assert answers_of_all_rows(answer(403, THEIRS)) == {(remedies.REPORTED, "customer")}
    assert answers_of_all_rows(AzureError("odd")) == {(remedies.REPORTED, "azure")}


def test_a_resource_that_somebody_else_changes_is_waited_for() -> None:
    """Except for a check: its message names the resource, and its row's advice fits."""
    given = answers_of_all_rows(answer(409, THEIRS, "AnotherOperationInProgress"))
    assert {remedy for remedy, _ in given} == {remedies.BUSY}
    busy = TryAgain(CloudError(409, ErrorCode.CONFLICT, "It is being deleted."), RetryClass.BUSY)
    assert {name: remedy_and_owner(row, busy)[0] for name, row in ROWS.items()} == {
        name: row["message"] if row.get("together") else remedies.BUSY for name, row in ROWS.items()
    }


def test_what_a_step_finds_wrong_itself_has_the_remedy_of_its_row() -> None:
    """The advice was written for exactly that."""
    found = CloudError(400, ErrorCode.INVALID_LINKED_VNET, "It is attached to another group.")
    assert {name: remedy_and_owner(row, found) for name, row in ROWS.items()} == {
        name: (row["message"], "customer") for name, row in ROWS.items()
    }


@pytest.mark.parametrize("remedy", [remedies.OURS, remedies.LATER, remedies.BUSY], ids=["ours", "later", "busy"])
def test_no_remedy_against_others_failures_is_work_for_the_customer(remedy: str) -> None:
    """Nobody is told to raise a quota because a database did not answer."""
    assert not CUSTOMERS_WORK.search(remedy)


@pytest.mark.parametrize(
    ("code", "want_owner"),
    [
        ("RoleAssignmentExists", "customer"),
        ("RoleAssignmentLimitExceeded", "customer"),
        ("PrincipalNotFound", "customer"),
        ("AuthorizationFailed", "customer"),
        ("LinkedAuthorizationFailed", "customer"),
        ("DenyAssignmentAuthorizationFailed", "customer"),
        ("RoleAssignmentUpdateNotPermitted", "platform"),
        ("RoleDefinitionDoesNotExist", "platform"),
        ("InvalidPrincipalId", "platform"),
        ("UnmatchedPrincipalType", "platform"),
    ],
)
def test_a_failed_role_assignment_is_not_azures_fault(code: str, want_owner: str) -> None:
    """This holds for single calls and inside a deployment. The owner decides the advice."""
    row = ROWS["create: deploy_storage_template"]
    want = remedies.BY_CODE[code] if want_owner == "customer" else remedies.OURS
    for error in (answer(400, THEIRS, code), in_deployment(code)):
        assert remedy_and_owner(row, error) == (want, want_owner)
