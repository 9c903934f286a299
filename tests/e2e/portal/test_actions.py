"""What a caller does to a cluster that is up: after a question that says what will happen, by the service's rules."""

import base64
import json
import re
from datetime import timedelta
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from shared.clusters.secrets import Purpose, secret_name
from tests.e2e.portal.browser import violations
from tests.e2e.portal.stand import Stand
from tests.product.unit.frontend.clusters.test_openshift_cluster_credentials import KUBECONFIG
from tests.product.unit.frontend.credentials.test_admin_credential import store
from tests.product.unit.frontend.world import CLUSTER

pytestmark = [pytest.mark.timeout(300)]


@pytest.fixture
def up(stand: Stand) -> Stand:
    """Show a cluster that is up, with its credentials."""
    stand.create("C1")
    stand.world.finish()
    world = stand.world
    # Operations are listed by their begin.
    world.now += timedelta(minutes=1)
    name = secret_name(world.document["id"], Purpose.CREDENTIALS)
    bundle = {"userAdminKubeconfig": KUBECONFIG % "user", "aroServiceKubeconfig": KUBECONFIG % "service"}
    world.document["secrets"]["credentials"] = world.services.vault.put_secret(name, bundle, world.document["id"])
    store(world)
    stand.open(f"#{CLUSTER}")
    return stand


def begin(stand: Stand, verb: str) -> Any:
    """Open the dialog of an action; return it."""
    stand.page.get_by_role("button", name=verb, exact=True).click()
    dialog = stand.page.get_by_role("dialog")
    assert violations(stand.page) == []
    return dialog


def properties(stand: Stand) -> Any:
    """Return what is stored of the cluster."""
    return stand.world.document["openShiftCluster"]["properties"]


def test_a_schedule_is_set_shown_and_removed(up: Stand) -> None:
    """By the clock of a time zone, on the days that are ticked."""
    dialog = begin(up, "Schedule")
    dialog.get_by_label("Stops at").fill("20:30")
    dialog.get_by_label("Time zone").fill("Nowhere")
    dialog.get_by_label("Friday").uncheck()
    dialog.get_by_role("button", name="Set the schedule").click()
    dialog.get_by_text("the name of a time zone in the tz database").wait_for()
    dialog.get_by_label("Time zone").fill("Europe/Berlin")
    dialog.get_by_role("button", name="Set the schedule").click()
    up.page.get_by_text("stops at 20:30, starts at 07:00 (Europe/Berlin), Monday, Tuesday").wait_for()
    assert properties(up)["powerSchedule"]["days"] == ["Monday", "Tuesday", "Wednesday", "Thursday"]
    up.world.finish()
    up.world.now += timedelta(minutes=1)
    up.page.get_by_role("heading", level=2, name=re.compile("Update: Succeeded")).wait_for()
    dialog = begin(up, "Schedule")
    assert dialog.get_by_label("Stops at").input_value() == "20:30"
    dialog.get_by_label("Remove the schedule").check()
    assert dialog.get_by_label("Stops at").is_disabled()
    dialog.get_by_role("button", name="Set the schedule").click()
    dialog.wait_for(state="detached")
    assert "powerSchedule" not in properties(up)


def test_a_cluster_gets_another_secret_of_its_application(up: Stand) -> None:
    """The page keeps nothing of the secret, and the former one is replaced only by an update."""
    dialog = begin(up, "Rotate the secret")
    assert dialog.get_by_label("Application (its id)").input_value() == str(
        properties(up)["servicePrincipalProfile"]["clientId"]
    )
    dialog.get_by_label("Its new secret").fill("canary-rotated")
    dialog.get_by_role("button", name="Rotate the secret").click()
    up.page.get_by_role("heading", level=1, name="C1 Updating").wait_for()
    assert "canary-rotated" in str(up.world.secrets.versions)
    assert "canary-rotated" not in up.page.content()


def test_a_kubeconfig_that_ends_has_a_key_that_was_never_sent(up: Stand) -> None:
    """The browser makes it. The certificate in the file is of that key, and lasts as long as was asked for."""
    dialog = begin(up, "Get a kubeconfig that ends")
    dialog.get_by_label("It ends after").select_option("1 hour")
    with up.page.expect_download() as download, up.page.expect_request("**/requestAdminCredential*") as request:
        dialog.get_by_role("button", name="Get a kubeconfig that ends").click()
    assert re.fullmatch(r"C1-until-2026-03-01T1301\.kubeconfig", download.value.suggested_filename)
    (user,) = yaml.safe_load(download.value.path().read_text())["users"]
    found = {name: base64.b64decode(value) for name, value in user["user"].items()}
    certificate = x509.load_pem_x509_certificate(found["client-certificate-data"])
    key: Any = serialization.load_pem_private_key(found["client-key-data"], None)
    assert certificate.public_key() == key.public_key()
    sent = json.loads(request.value.post_data)
    assert sent.keys() == {"publicKey", "expirationSeconds"}
    assert sent["expirationSeconds"] == 3600
    kept = up.page.evaluate("[Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]")
    assert kept == [[], [], ""]


def test_all_credentials_are_revoked_once_the_name_is_typed(up: Stand) -> None:
    """It says what stops working, and what does not."""
    dialog = begin(up, "Revoke credentials")
    dialog.get_by_text("It does not end the password of kubeadmin").wait_for()
    assert dialog.get_by_role("button", name="Revoke credentials").is_disabled()
    dialog.get_by_label("Type C1 to go on").fill("C1")
    dialog.get_by_label("Type C1 to go on").press("Enter")
    up.page.get_by_role("heading", level=2, name=re.compile("Revoke credentials: ")).wait_for()


def test_somebody_elses_change_is_not_overwritten(up: Stand) -> None:
    """What was looked at is what is changed; otherwise the page says so."""
    dialog = begin(up, "Rotate the secret")
    dialog.get_by_label("Its new secret").fill("canary-late")
    document = up.world.document
    document["openShiftCluster"]["tags"] = {"team": "two"}
    up.world.cosmos["OpenShiftClusters"].upsert_item(document)
    dialog.get_by_role("button", name="Rotate the secret").click()
    dialog.get_by_text("Somebody has changed it since you looked.").wait_for()
    assert dialog.get_by_label("Its new secret").input_value() == "canary-late"
    assert "canary-late" not in str(up.world.secrets.versions)


def test_without_a_kubeconfig_for_a_year_only_one_that_ends_is_offered(up: Stand) -> None:
    """As the cluster says."""
    properties(up)["longLivedCredentials"] = "Disabled"
    up.world.cosmos["OpenShiftClusters"].upsert_item(up.world.document)
    ends = up.page.get_by_role("button", name="Get a kubeconfig that ends")
    ends.wait_for()
    up.page.get_by_role("button", name="Get a kubeconfig", exact=True).wait_for(state="detached")
    ends.wait_for()
