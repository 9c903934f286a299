"""Certificates of managed domains: ordered once, awaited, explained if refused, deleted at the end."""

import json
import logging
from typing import Any

import pytest

from activities.azure.domain_certificates import create_ingress_certificate
from activities.runtime.step import Step
from activities.runtime.wrapper import perform
from orchestrators.plans.rows import Row, to_dict
from shared import remedies
from shared.fence import UnfencedChange
from shared.steps import RowKind, SerialisedRow
from shared.vault import get_vault
from shared.vault.vault_certificates import get_certificates
from tests.product.unit.activities.calls import as_json, payload
from tests.product.unit.key_vault_fake import FakeCertificates
from tests.product.unit.product_world import World
from tests.product.unit.vault.issuer import issue

DONE = {"outcome": "done"}
API, INGRESS = "doc-1-apiserver", "doc-1-ingress"


@pytest.fixture
def certificates(accepted: World) -> FakeCertificates:
    """Give the clusters' vault certificates."""
    return FakeCertificates(accepted.azure)


def _row(executor: str) -> SerialisedRow:
    kind = RowKind.ACTION if executor == "delete_certificates" else RowKind.BEGIN_AND_POLL
    return to_dict(
        Row(name=executor, section="bootstrap", kind=kind, executor=executor, waits_for="it", message="Ask.")
    )


def _call(executor: str, verb: str = "run") -> dict[str, Any]:
    return as_json(perform(f"activities.azure.domain_certificates:{executor}", payload(_row(executor), verb)))


def test_both_certificates_are_ordered_once_for_their_names(certificates: FakeCertificates) -> None:
    """A second delivery finds the order, and a later one the certificate."""
    for executor in ("create_api_server_certificate", "create_ingress_certificate"):
        assert _call(executor)["outcome"] == "wait"
        assert _call(executor)["outcome"] == "wait"
    wanted = {
        name: (policy["x509_props"]["subject"], policy["x509_props"]["sans"]) for name, policy in certificates.ordered
    }
    assert wanted == {
        API: ("CN=api.c1.eastus.aroapp.io", {"dns_names": ["api.c1.eastus.aroapp.io"]}),
        INGRESS: ("CN=*.apps.c1.eastus.aroapp.io", {"dns_names": ["*.apps.c1.eastus.aroapp.io"]}),
    }
    assert len(certificates.ordered) == 2
    waiting = _call("create_ingress_certificate", "status")
    assert waiting["message"] == "certificate of *.apps.c1.eastus.aroapp.io: Please check again later."
    certificates.issue(INGRESS)
    assert _call("create_ingress_certificate", "status") == DONE
    assert _call("create_ingress_certificate") == DONE
    assert len(certificates.ordered) == 2


def test_the_order_is_for_a_tls_server_whose_key_may_reach_the_cluster(certificates: FakeCertificates) -> None:
    """Three months, renewed by Key Vault a month before they end."""
    _call("create_api_server_certificate")
    ((_, policy),) = certificates.ordered
    assert policy["issuer"] == {"name": "OneCertV2-PublicCA"}
    assert policy["key_props"] == {"exportable": True, "kty": "RSA", "key_size": 2048, "reuse_key": False}
    assert policy["secret_props"] == {"contentType": "application/x-pem-file"}
    assert policy["x509_props"]["ekus"] == ["1.3.6.1.5.5.7.3.1"]
    assert policy["x509_props"]["key_usage"] == ["digitalSignature", "keyEncipherment"]
    assert policy["x509_props"]["validity_months"] == 3
    (action,) = policy["lifetime_actions"]
    assert action == {"trigger": {"days_before_expiry": 30}, "action": {"action_type": "AutoRenew"}}


@pytest.mark.parametrize(("label", "want"), [("c" * 43, "api."), ("c" * 44, "reserved.")], ids=["64", "65"])
def test_a_name_that_no_subject_has_room_for_stands_beside_it(
    accepted: World, certificates: FakeCertificates, label: str, want: str
) -> None:
    """X.509 allows 64 characters; the alternative name has the whole name."""
    accepted.properties["clusterProfile"]["domain"] = label
    domain = f"{label}.eastus.aroapp.io"
    _call("create_api_server_certificate")
    ((_, policy),) = certificates.ordered
    whole = f"CN=api.{domain}" if want == "api." else "CN=reserved.eastus.aroapp.io"
    assert policy["x509_props"]["subject"] == whole
    assert policy["x509_props"]["sans"] == {"dns_names": [f"api.{domain}"]}


def test_a_refused_order_fails_with_the_authority_s_words(certificates: FakeCertificates) -> None:
    """The failure is the platform's; a later run orders again."""
    _call("create_api_server_certificate")
    certificates.refuse(API, "Request rejected", "The CAA record of aroapp.io forbids it.")
    outcome = _call("create_api_server_certificate", "status")
    assert (outcome["outcome"], outcome["retryClass"]) == ("failed", "none")
    assert outcome["error"]["message"] == (
        "Step 'create_api_server_certificate' failed: The certificate of 'api.c1.eastus.aroapp.io' was not issued by "
        "'OneCertV2-PublicCA': The CAA record of aroapp.io forbids it."
    )
    details = outcome["error"]["details"]
    assert details[0] == {"code": "Request rejected", "message": "The CAA record of aroapp.io forbids it"}
    assert {"code": "KeyVaultCertificate", "message": f"rp-cls/{API}"} in details
    assert {"code": "Remedy", "message": remedies.OURS} in details
    assert {"code": "Owner", "message": "platform"} in details
    assert _call("create_api_server_certificate")["outcome"] == "wait"
    assert len(certificates.ordered) == 2


def test_an_order_that_may_be_tried_again_is(certificates: FakeCertificates) -> None:
    """The issuer was busy, so the row begins again."""
    _call("create_api_server_certificate")
    certificates.refuse(API, "FailedCanRetry", "The authority is busy.")
    assert _call("create_api_server_certificate", "status")["retryClass"] == "given-up"


def test_a_cancelled_order_says_so(certificates: FakeCertificates) -> None:
    """Somebody did it by hand."""
    _call("create_api_server_certificate")
    certificates.orders[API] |= {"status": "cancelled", "status_details": "The certificate request was cancelled."}
    assert "request was cancelled." in _call("create_api_server_certificate", "status")["error"]["message"]


@pytest.mark.parametrize("change", ["expired", "disabled", "other names", "gone"])
def test_a_certificate_that_will_not_do_is_ordered_anew(certificates: FakeCertificates, change: str) -> None:
    """The status says that there is nothing to wait for, and the next run orders another."""
    _call("create_api_server_certificate")
    certificates.issue(API)
    if change == "expired":
        certificates.issue(API, exp=1)
    elif change == "disabled":
        certificates.issue(API, enabled=False)
    elif change == "other names":
        certificates.certificates[API]["policy"]["x509_props"]["sans"] = {"dns_names": ["api.c2"]}
    else:
        del certificates.certificates[API], certificates.orders[API]
    assert _call("create_api_server_certificate", "status")["retryClass"] == "given-up"
    assert _call("create_api_server_certificate")["outcome"] == "wait"
    assert len(certificates.ordered) == 2


def test_a_certificate_that_holds_serves_although_its_renewal_was_refused(certificates: FakeCertificates) -> None:
    """Otherwise a resume could never continue, because nothing orders another while this one is valid."""
    _call("create_api_server_certificate")
    certificates.issue(API)
    certificates.refuse(API, "Request rejected", "The CAA record of aroapp.io forbids it.")
    assert _call("create_api_server_certificate") == DONE
    assert _call("create_api_server_certificate", "status") == DONE


def test_a_deleted_certificate_of_the_same_name_comes_back(certificates: FakeCertificates) -> None:
    """It occupies the name for 90 days. An issued one is used again; otherwise another is ordered."""
    _call("create_api_server_certificate")
    certificates.issue(API)
    _call("delete_certificates")
    assert _call("create_api_server_certificate")["outcome"] == "wait"
    assert _call("create_api_server_certificate", "status") == DONE
    _call("create_ingress_certificate")
    _call("delete_certificates")
    _call("create_ingress_certificate")
    assert _call("create_ingress_certificate", "status")["retryClass"] == "given-up"
    assert _call("create_ingress_certificate")["outcome"] == "wait"
    assert [name for name, _ in certificates.ordered] == [API, INGRESS, INGRESS]


def test_both_certificates_are_deleted_and_absent_ones_are_fine(certificates: FakeCertificates) -> None:
    """This includes one on order, and a second delete."""
    _call("create_api_server_certificate")
    assert _call("delete_certificates") == DONE
    assert _call("delete_certificates") == DONE
    assert certificates.certificates == {}


def test_a_failure_of_the_vault_keeps_its_words(accepted: World, certificates: FakeCertificates) -> None:
    """The people who set up the vault read what is missing."""
    said = "does not have certificates create permission"
    accepted.azure.fails("POST", r"/create$", 403, "Forbidden", said)
    outcome = _call("create_api_server_certificate")
    assert said in outcome["error"]["message"]
    assert certificates.ordered == []


def test_every_call_carries_the_correlation_and_no_change_passes_without_a_fence(
    accepted: World, certificates: FakeCertificates
) -> None:
    """As with everything else that activities do in Azure."""
    _call("create_api_server_certificate")
    calls = [request for request in accepted.azure.calls if request.host.startswith("rp-cls.")]
    assert {request.headers["x-ms-correlation-request-id"] for request in calls} == {"corr-1"}
    with pytest.raises(UnfencedChange):
        get_certificates().begin("doc-1-late", "CN=late", ["late"])
    with pytest.raises(UnfencedChange):
        get_certificates().delete(API)
    assert [name for name, _ in certificates.ordered] == [API]
    assert API in certificates.certificates


def test_what_is_sent_can_be_shown(accepted: World, certificates: FakeCertificates) -> None:
    """The policy is shown as Key Vault takes it."""
    _call("create_ingress_certificate")
    step = Step(payload(_row("create_ingress_certificate"), "run"), accepted.cluster)
    assert create_ingress_certificate.render(step) == [certificates.ordered[0][1]]


def test_no_key_reaches_documents_outcomes_or_logs(
    accepted: World, certificates: FakeCertificates, caplog: pytest.LogCaptureFixture
) -> None:
    """It stays in the vault until the cluster gets it."""
    caplog.set_level(logging.DEBUG)
    leaf, root, key = issue()
    accepted.vault("rp-cls").versions[API] = [key + leaf + root]
    outcomes = [_call("create_api_server_certificate")]
    certificates.issue(API)
    outcomes.append(_call("create_api_server_certificate", "status"))
    assert get_vault().get_certificate(API)[1] == key
    outcomes.append(_call("delete_certificates"))
    documents = {name: list(container.documents.values()) for name, container in accepted.cosmos.items()}
    kept = json.dumps([documents, outcomes]) + caplog.text
    assert "doc-1" in kept
    assert "PRIVATE KEY" not in kept
    assert key.splitlines()[1] not in kept
