"""The administrators' kubeconfig is made again while nine months are left, or when it cannot be read."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
import yaml
from cryptography import x509

from installer import pki
from tests.kubernetes_pki import Authority, kubeconfig
from tests.product.unit.activities.calls import DONE, call
from tests.product.unit.activities.renewals.conftest import bundle
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.product_world import World

NAME = "renew_user_kubeconfig"


def aged(world: World, text: str) -> None:
    """Let the vault hold a kubeconfig of administrators."""
    stored = world.vault("rp-cls").versions["doc-1-credentials"]
    stored[-1] = json.dumps(json.loads(stored[-1]) | {"userAdminKubeconfig": text, "kubeadminPassword": "p"})


def with_days(days: int) -> str:
    """Return a kubeconfig whose client certificate ends in some days."""
    authority = Authority("admin-kubeconfig-signer")
    return kubeconfig(authority, authority.issue("system:admin", days=days))


@pytest.mark.parametrize("days", [276, 364])
def test_a_kubeconfig_that_is_young_stays(api: FakeApi, accepted: World, days: int) -> None:
    """The text says until when."""
    # A part of the last day is not a whole one.
    aged(accepted, with_days(days + 1))
    outcome = call(NAME)
    assert outcome["outcome"] == "done"
    assert "It is made again when it has 275 days left." in outcome["message"]
    assert len(accepted.vault("rp-cls").versions["doc-1-credentials"]) == 1
    assert api.requests == []


@pytest.mark.parametrize(
    "text",
    [with_days(275), with_days(-5), "", "no: [yaml", "users: []", json.dumps({"users": [{"user": {}}]})],
    ids=["275 days", "ended", "nothing", "no YAML", "no user", "no certificate"],
)
def test_a_kubeconfig_that_ends_or_cannot_be_read_is_made_again_once(
    api: FakeApi, accepted: World, signers: dict[str, pki.Pair], text: str
) -> None:
    """For the same user, by the signer that the API servers trust, with the service's own entry for the server.

    It is valid a little earlier, because it is used at once, and the clocks of the API servers may be behind.
    """
    aged(accepted, text)
    before = bundle(accepted, "credentials")
    assert call(NAME) == DONE
    found = bundle(accepted, "credentials")
    assert {**found, "userAdminKubeconfig": ""} == {**before, "userAdminKubeconfig": ""}
    made = yaml.safe_load(found["userAdminKubeconfig"])
    assert made["clusters"] == json.loads(before["aroServiceKubeconfig"])["clusters"]
    (user,) = made["users"]
    certificate = x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))
    signer = x509.load_pem_x509_certificate(signers["admin-kubeconfig-signer"].certificate.encode())
    certificate.verify_directly_issued_by(signer)
    assert certificate.subject.rfc4514_string() == "CN=system:admin"
    assert datetime.now(UTC) - certificate.not_valid_before_utc >= timedelta(minutes=5)
    assert (certificate.not_valid_after_utc - certificate.not_valid_before_utc).days == 365
    assert made["current-context"] == made["contexts"][0]["name"] == user["name"] == "system:admin"
    assert call(NAME)["message"].startswith("The kubeconfig ends on ")
    assert len(accepted.vault("rp-cls").versions["doc-1-credentials"]) == 2
    assert api.requests == []


def test_a_run_that_dies_before_the_document_names_the_new_one_is_repeated(
    api: FakeApi, accepted: World, signers: dict[str, pki.Pair]
) -> None:
    """The service keeps the bundle that the document names."""
    assert signers
    aged(accepted, with_days(10))
    named = accepted.cluster["secrets"]["credentials"]

    def die() -> None:
        raise KeyboardInterrupt

    accepted.cosmos["OpenShiftClusters"].before_write.append(die)
    with pytest.raises(KeyboardInterrupt):
        call(NAME)
    assert accepted.cluster["secrets"]["credentials"] == named
    assert call(NAME) == DONE
    assert accepted.cluster["secrets"]["credentials"] != named
    assert api.requests == []
