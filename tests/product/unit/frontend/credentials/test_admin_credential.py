"""The action that certifies a caller's key for some hours: what it answers, what it stores, and who is refused."""

import base64
import json
import logging
from datetime import timedelta
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from frontend.messages import Reply
from shared.clusters.credentials import admin_signer
from shared.clusters.secrets import Purpose, secret_name
from shared.store.admin_credentials import MOST
from tests.product.unit.clusters.test_requested_key import BAD, public, request
from tests.product.unit.frontend.callers_world import USER, CallersWorld, application_token
from tests.product.unit.frontend.clusters.test_openshift_cluster_credentials import OWN, bring_up
from tests.product.unit.frontend.world import CLUSTER, NEW, NOW, World, body

PATH = f"{CLUSTER}/requestAdminCredential"
SIGNER = admin_signer.new(NOW)
KEY = ec.generate_private_key(ec.SECP256R1())
BODY = {"publicKey": public(KEY)}
ANN = {"x-ms-client-object-id": USER}


@pytest.fixture
def up(world: World) -> World:
    """A cluster that is up, with its signer in the vault."""
    bring_up(world)
    store(world)
    return world


def store(world: World, bundle: dict[str, str] = SIGNER) -> None:
    """Put a signer into the vault."""
    name = secret_name(world.document["id"], Purpose.ADMIN_SIGNER)
    world.document["secrets"]["adminsigner"] = world.services.vault.put_secret(name, bundle, world.document["id"])


def ask(world: World, content: Any = BODY, headers: Any = ANN) -> Reply:
    """Ask for a certificate."""
    return world.send("POST", PATH, content, api_version=OWN, headers=headers)


def refused(world: World, content: Any = BODY, headers: Any = ANN) -> tuple[int, str, str]:
    """Return how a request is refused; nothing is noted."""
    before = dict(world.cosmos["AdminCredentials"].documents)
    reply = ask(world, content, headers)
    assert world.cosmos["AdminCredentials"].documents == before
    return reply.status, reply.body["error"]["code"], reply.body["error"]["message"]


@pytest.mark.parametrize("sent", [BODY, {"certificateSigningRequest": request(KEY)}])
def test_a_caller_gets_a_kubeconfig_for_the_key_that_it_keeps(up: World, sent: Any) -> None:
    """The certificate names the caller; there is no key in the answer, and no cache may keep it."""
    reply = ask(up, sent)
    assert (reply.status, reply.headers["Cache-Control"]) == (200, "no-store")
    kubeconfig = yaml.safe_load(base64.b64decode(reply.body["kubeconfig"]))
    assert kubeconfig["clusters"][0]["cluster"]["server"] == "https://api.c1.eastus.aroapp.io:6443"
    (user,), (context,) = kubeconfig["users"], kubeconfig["contexts"]
    assert list(user["user"]) == ["client-certificate-data"]
    assert user["name"] == context["context"]["user"] == kubeconfig["current-context"] == reply.body["user"]
    certificate = x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))
    assert certificate.public_key() == KEY.public_key()
    assert certificate.subject.rfc4514_string() == f"CN=system:aro-admin:{USER},O=system:cluster-admins"
    assert format(certificate.serial_number, "x") == reply.body["serialNumber"]
    assert certificate.not_valid_after_utc == NOW + timedelta(hours=8)
    assert reply.body["expirationTime"] == "2026-03-01T20:00:00Z"
    certificate.verify_directly_issued_by(admin_signer.load(SIGNER).certificate)


def test_serial_number_caller_and_end_are_all_that_is_kept(up: World, caplog: pytest.LogCaptureFixture) -> None:
    """In a document and in the log. A certificate that has ended is forgotten."""
    caplog.set_level(logging.DEBUG)
    etag = up.document["_etag"]
    serial = ask(up).body["serialNumber"]
    (document,) = up.cosmos["AdminCredentials"].documents.values()
    assert document["credentials"] == [
        {
            "serialNumber": serial,
            "objectId": USER,
            "kind": "Application",
            "at": "2026-03-01T12:00:00+00:00",
            "end": "2026-03-01T20:00:00+00:00",
        }
    ]
    assert f"Application {USER} gets the certificate {serial} for" in caplog.text
    everything = json.dumps([list(each.documents.values()) for each in up.cosmos.values()]) + caplog.text
    assert "PRIVATE KEY" not in everything
    assert "BEGIN" not in everything
    assert up.document["_etag"] == etag
    up.now += timedelta(hours=9)
    later = ask(up).body["serialNumber"]
    (document,) = up.cosmos["AdminCredentials"].documents.values()
    assert [each["serialNumber"] for each in document["credentials"]] == [later]


def test_only_so_many_may_be_valid_at_a_time(up: World) -> None:
    """The refusal says how to go on; tomorrow there is room again."""
    ask(up)
    (document,) = up.cosmos["AdminCredentials"].documents.values()
    document["credentials"] *= MOST
    status, code, message = refused(up)
    assert (status, code) == (409, "Conflict")
    assert f"{MOST} certificates" in message
    up.now += timedelta(days=1)
    assert ask(up).status == 200


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_certified_is_refused(up: World, case: str) -> None:
    """And nothing is noted."""
    assert refused(up, BAD[case][0])[:2] == (400, "InvalidParameter")


@pytest.mark.parametrize("headers", [{}, {"x-ms-client-object-id": "Ann"}])
def test_nobody_gets_a_certificate_without_a_name(up: World, headers: Any) -> None:
    """It would not say who has asked."""
    assert refused(up, BODY, headers)[:2] == (403, "Forbidden")


def test_a_body_is_required(up: World) -> None:
    """It may have been lost on the way."""
    assert refused(up, None)[:2] == (400, "InvalidRequestContent")


@pytest.mark.parametrize(
    ("state", "failed"), [("Creating", ""), ("Deleting", ""), ("Failed", "Creating"), ("Failed", "Deleting")]
)
def test_a_cluster_that_is_not_up_gives_none(up: World, state: str, failed: str) -> None:
    """As for the kubeconfig that lasts."""
    properties = up.document["openShiftCluster"]["properties"]
    properties["provisioningState"], properties["failedProvisioningState"] = state, failed
    assert refused(up)[:2] == (400, "RequestNotAllowed")


@pytest.mark.parametrize(
    "state",
    [{"provisioningState": each} for each in ("Updating", "AdminUpdating", "Failed")] + [{"powerState": "Stopped"}],
)
def test_a_cluster_in_use_gives_one_whatever_is_done_to_it(up: World, state: dict[str, str]) -> None:
    """The service signs it, and need not reach the cluster. It does not depend on the kubeconfig that lasts."""
    up.document["openShiftCluster"]["properties"] |= state | {"longLivedCredentials": "Disabled"}
    assert ask(up).status == 200


def test_a_cluster_of_an_earlier_build_says_what_to_do(up: World) -> None:
    """An update moves the signer to where requests can reach it."""
    del up.document["secrets"]["adminsigner"]
    status, code, message = refused(up)
    assert (status, code) == (409, "Conflict")
    assert "a PATCH of {}" in message
    assert up.send("PATCH", CLUSTER, {}, api_version=OWN).status == 200
    assert "store_admin_signer" in [row["name"] for row in up.plan(up.document["asyncOperationId"])["rows"]]


def test_a_signer_that_has_ended_says_what_to_do(up: World) -> None:
    """After ten years without a revocation."""
    store(up, admin_signer.new(NOW - timedelta(days=3650)))
    status, code, message = refused(up)
    assert (status, code) == (409, "Conflict")
    assert "'revokeCredentials'" in message


def test_a_delete_that_is_faster_is_told(up: World) -> None:
    """The bundle may be deleted between the two reads of a request."""
    up.document["secrets"]["adminsigner"] = "https://rp-cls.vault.azure.net/secrets/gone-adminsigner/1"
    assert refused(up)[:2] == (400, "RequestNotAllowed")


def test_only_this_providers_version_has_it(up: World) -> None:
    """The refusal names the version."""
    reply = up.send("POST", PATH, BODY, api_version=NEW, headers=ANN)
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidResourceType")
    assert reply.body["error"]["message"].endswith(f"Use one of: {OWN}.")


def test_where_callers_have_tokens_the_certificate_names_the_tokens_owner(own: CallersWorld) -> None:
    """Whatever a header says; who may not list the admin kubeconfig gets none."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    bring_up_own(own)
    other = {"x-ms-client-object-id": "99999999-0000-4000-8000-000000000009"}
    reply = own.call("POST", PATH, BODY, api_version=OWN, headers=other)
    assert reply.body["user"] == f"system:aro-admin:{USER}"
    application = own.call("POST", PATH, BODY, api_version=OWN, token=application_token())
    assert application.body["user"] != reply.body["user"]
    own.rights.deny(
        "Microsoft.RedHatOpenShift/openShiftClusters/listAdminCredentials/action", CLUSTER.split("/prov")[0]
    )
    assert own.call("POST", PATH, BODY, api_version=OWN).body["error"]["code"] == "AuthorizationFailed"


def bring_up_own(own: CallersWorld) -> None:
    """Give the cluster its credentials and signer."""
    kubeconfig = "clusters: [{name: c1, cluster: {server: 'https://api-int.c1.example.com:6443'}}]"
    name = secret_name(own.document["id"], Purpose.CREDENTIALS)
    own.document["secrets"]["credentials"] = own.services.vault.put_secret(name, {"userAdminKubeconfig": kubeconfig})
    store(own)


def test_the_key_of_the_signer_is_in_the_vault_alone(up: World) -> None:
    """Nothing that is answered or stored elsewhere contains it."""
    shown = [ask(up).body, up.send("GET", CLUSTER, api_version=OWN).body]
    stored = [list(each.documents.values()) for each in up.cosmos.values()]
    assert SIGNER["key"].splitlines()[1] not in json.dumps([shown, stored])
