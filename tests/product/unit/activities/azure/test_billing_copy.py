"""The copy of the billing record: when it is wanted, and that it never gets in the way."""

import json
from typing import Any

import pytest

from shared import settings
from tests.product.unit.activities.calls import call
from tests.product.unit.blobs_fake import FakeBlobs
from tests.product.unit.product_world import CUSTOMER, CUSTOMER_TENANT, World

ACCOUNT = (
    "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourceGroups/global"
    "/providers/Microsoft.Storage/storageAccounts/accounting"
)
FEATURE = {"name": "Microsoft.RedHatOpenShift/SaveAROTestConfig", "state": "Registered"}
DONE = {"outcome": "done"}
BLOB = "bill-eastus-customer-c1/billingentity"


@pytest.fixture
def wanted(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Let this deployment, the tenant and the subscription want copies."""
    monkeypatch.setenv("BILLING_COPY_ACCOUNT_ID", ACCOUNT)
    monkeypatch.setenv("BILLING_COPY_TENANT_ID", CUSTOMER_TENANT)
    settings.load.cache_clear()
    features(accepted, FEATURE)
    endpoint = {"primaryEndpoints": {"blob": "https://accounting.blob.core.windows.net/"}}
    accepted.azure.resources[ACCOUNT.lower()] = {"properties": endpoint}
    accepted.azure.on("POST", "/listAccountSas$", lambda _request: (200, {"accountSasToken": "sv=1&sig=canary"}, {}))
    call("decide_names")
    return accepted


@pytest.fixture
def blobs(monkeypatch: pytest.MonkeyPatch) -> FakeBlobs:
    """Answer for the blobs."""
    made = FakeBlobs()
    made.install(monkeypatch)
    return made


def features(world: World, *registered: dict[str, str]) -> None:
    """Let the subscription have these features."""
    subscription = world.cosmos["Subscriptions"].documents[CUSTOMER, CUSTOMER]["subscription"]
    subscription["properties"]["registeredFeatures"] = list(registered)


def copied(blobs: FakeBlobs) -> dict[str, Any]:
    """Return the copy."""
    found: dict[str, Any] = json.loads(blobs.blobs[BLOB].content)
    return found


def test_the_record_is_copied_into_the_clusters_container_and_its_end_too(wanted: World, blobs: FakeBlobs) -> None:
    """With a signature that can write, in the service's own subscription, and without the store's own members."""
    assert call("ensure_billing_record") == DONE
    assert call("copy_billing_record") == DONE
    assert call("copy_billing_record") == DONE
    first = copied(blobs)
    (record,) = wanted.cosmos["Billing"].documents.values()
    assert first == {name: value for name, value in record.items() if not name.startswith("_")}
    assert call("end_billing") == DONE
    assert call("copy_end_of_billing") == DONE
    assert copied(blobs)["billing"]["deletionTime"]
    signed = next(request for request in wanted.azure.calls if request.path.endswith("/listAccountSas"))
    assert signed.path.lower().startswith(ACCOUNT.lower())
    assert (signed.json["signedResourceTypes"], signed.json["signedPermission"]) == ("co", "cw")


@pytest.mark.parametrize(
    ("group", "want"),
    [(f"{'g' * 50}-x", f"bill-eastus-{'g' * 50}"), ("my_group.(1)", "bill-eastus-my-group-1-c1")],
    ids=["too long", "other characters"],
)
def test_a_name_has_of_its_group_what_azure_takes(wanted: World, blobs: FakeBlobs, group: str, want: str) -> None:
    """Azure allows letters, digits and single hyphens, none at the end; the names of groups may contain more."""
    identifier = wanted.cluster["openShiftCluster"]["id"].replace("/customer/", f"/{group}/")
    wanted.cluster["openShiftCluster"]["id"] = identifier
    assert call("ensure_billing_record") == DONE
    assert call("copy_billing_record") == DONE
    (name,) = {path.split("/")[0] for path in blobs.blobs if path.endswith("billingentity")}
    assert name == want


@pytest.mark.parametrize("lacking", ["feature", "registration", "tenant", "account"])
def test_nothing_is_copied_where_nobody_wants_it(
    wanted: World, blobs: FakeBlobs, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    """Account, tenant and feature are all required."""
    if lacking == "feature":
        features(wanted, FEATURE | {"name": "Microsoft.RedHatOpenShift/Other"})
    if lacking == "registration":
        features(wanted, FEATURE | {"state": "Pending"})
    if lacking == "tenant":
        monkeypatch.setenv("BILLING_COPY_TENANT_ID", "00000000-0000-0000-0000-000000000000")
    if lacking == "account":
        monkeypatch.setenv("BILLING_COPY_ACCOUNT_ID", "")
    settings.load.cache_clear()
    assert call("ensure_billing_record") == DONE
    assert call("copy_billing_record") == DONE
    assert blobs.writes == []


@pytest.mark.usefixtures("wanted")
def test_a_cluster_without_a_record_has_nothing_to_copy(blobs: FakeBlobs) -> None:
    """A create that failed early began no billing."""
    assert call("copy_end_of_billing") == DONE
    assert blobs.writes == []


def test_a_copy_that_fails_is_told_and_fails_nothing(wanted: World, caplog: pytest.LogCaptureFixture) -> None:
    """The step's message and the log report it, without the signature."""
    wanted.azure.fails("POST", "/listAccountSas$", 403, "AuthorizationFailed", "No: sig=canary.")
    assert call("ensure_billing_record") == DONE
    outcome = call("copy_billing_record")
    assert outcome["outcome"] == "done"
    assert (
        outcome["message"] == "The copy of the billing record could not be written: (AuthorizationFailed) No: sig=..."
    )
    (item,) = [
        item for item in wanted.cosmos["OperationProgress"].documents.values() if item["step"] == "copy_billing_record"
    ]
    assert (item["status"], item["message"]) == ("Succeeded", outcome["message"])
    assert outcome["message"] in caplog.text
    assert "canary" not in caplog.text
    assert len(wanted.cosmos["Billing"].documents) == 1
