"""The credentials inside a cluster: only differences are written, and only changes are rolled out."""

import base64
from typing import Any

import pytest
import yaml

from shared.json_object import Json
from shared.openshift import azure_credentials
from shared.openshift.azure_credentials import Credentials
from shared.openshift.client import NotDone

WANTED = Credentials("tenant", "client", "s3cret")
KUBE_API_SERVER, POD = azure_credentials.CONTROL_PLANE[0]


def secret(**data: str) -> Json:
    """Make a Secret."""
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}
    return {"metadata": {"name": "x"}, "data": encoded}


def config(**settings: str) -> Json:
    """Make the Secret of the cloud provider."""
    return secret(**{"cloud-config": yaml.safe_dump(settings)})


def test_the_root_secret_takes_all_three_members_and_keeps_the_others() -> None:
    """A patch names no member that stays."""
    patch = azure_credentials.root_patch(secret(azure_client_id="client", azure_region="eastus"), WANTED)
    assert set(patch["data"]) == {"azure_tenant_id", "azure_client_id", "azure_client_secret"}
    assert azure_credentials.root_patch({"data": patch["data"]}, WANTED) == {}


def test_a_secret_that_is_written_is_never_shown() -> None:
    """Not even by accident, in a log."""
    assert "s3cret" not in repr(WANTED)


def test_the_cloud_providers_settings_keep_what_else_they_say() -> None:
    """Applying the same change again does nothing, and leaves its mark unchanged."""
    patch = azure_credentials.provider_patch(config(aadClientId="old", cloud="AzurePublicCloud"), WANTED, "v2")
    settings = yaml.safe_load(base64.b64decode(patch["data"]["cloud-config"]))
    assert settings == {"aadClientId": "client", "aadClientSecret": "s3cret", "cloud": "AzurePublicCloud"}
    found = {"metadata": patch["metadata"], "data": patch["data"]}
    assert azure_credentials.provider_patch(found, WANTED, "v3") == {}
    assert azure_credentials.redeployment_reason(found) == "credentials change v2"


@pytest.mark.parametrize(
    ("found", "want"),
    [
        ({"metadata": {}}, "has no 'cloud-config' yet"),
        (secret(**{"cloud-config": "aadClientSecret: [old"}), "is not a YAML mapping"),
        (secret(**{"cloud-config": "old"}), "is not a YAML mapping"),
        ({"data": {"cloud-config": "/w=="}}, "is not a YAML mapping"),
    ],
    ids=["nothing", "broken", "a text", "no UTF-8"],
)
def test_settings_that_cannot_be_changed_are_waited_for(found: Json, want: str) -> None:
    """The message quotes nothing of them."""
    with pytest.raises(NotDone, match=want) as raised:
        azure_credentials.provider_patch(found, WANTED, "v2")
    assert "old" not in str(raised.value)


def test_a_control_plane_whose_credentials_never_changed_is_left_alone() -> None:
    """The installer's Secret has no mark."""
    assert azure_credentials.redeployment_reason(config()) == ""
    assert azure_credentials.reason_patch({"spec": {}}, "") == {}


def test_the_reason_is_written_once() -> None:
    """The same reason starts no other roll-out."""
    patch = azure_credentials.reason_patch({"spec": {"logLevel": "Normal"}}, "r")
    assert patch == {"spec": {"forceRedeploymentReason": "r"}}
    assert azure_credentials.reason_patch(patch, "r") == {}


def operator(revision: int, *nodes: int) -> Json:
    """Make an operator whose masters run these revisions."""
    told = [{"nodeName": f"master-{number}", "currentRevision": each} for number, each in enumerate(nodes)]
    return {"status": {"latestAvailableRevision": revision, "nodeStatuses": told}}


@pytest.mark.parametrize(
    ("found", "pod", "want"),
    [
        ({}, None, "has not begun to roll out for the changed credentials; its newest revision is 0"),
        (operator(5, 5, 5), {"data": {"forceRedeploymentReason": "before"}}, "its newest revision is 5"),
        (operator(6, 6, 5), {"data": {"forceRedeploymentReason": "r"}}, "has not rolled out revision 6 on master-1"),
        (operator(6, 6, 6), {"data": {"forceRedeploymentReason": "r"}}, ""),
    ],
    ids=["not seen", "an older revision everywhere", "one master behind", "done"],
)
def test_a_roll_out_is_over_when_every_master_has_the_revision_of_its_reason(
    found: Json, pod: Json | None, want: str
) -> None:
    """An operator that has not seen the new reason yet still shows the last roll-out as finished."""
    missing = azure_credentials.redeployment_missing(KUBE_API_SERVER, found, pod, "r")
    assert missing.endswith(want)
    assert bool(missing) == bool(want)


def request(kind: str = "AzureProviderSpec", **conditions: str) -> Json:
    """Make a CredentialsRequest with conditions that are true."""
    told: list[Any] = [{"type": each, "status": "True", "message": text} for each, text in conditions.items()]
    told.append({"type": "Stale", "status": "False", "message": "no"})
    reference = {"name": "credentials", "namespace": "ns"}
    return {"spec": {"providerSpec": {"kind": kind}, "secretRef": reference}, "status": {"conditions": told}}


def test_requests_for_other_clouds_or_without_a_namespace_are_not_waited_for() -> None:
    """No operator of this cluster needs them."""
    assert azure_credentials.is_for_azure(request())
    assert not azure_credentials.is_for_azure(request("AWSProviderSpec"))
    assert not azure_credentials.is_for_azure(request(MissingTargetNamespace="ns not found"))


def test_a_request_that_is_behind_says_why() -> None:
    """In the operator's words, if it has any."""
    behind = request(CredentialsProvisionFailure="root is gone")
    told = azure_credentials.request_missing(behind, None, WANTED)
    assert told == "Secret 'ns/credentials' does not hold the new credentials yet: root is gone"
    assert azure_credentials.request_missing(behind, {"data": WANTED.data}, WANTED) == ""
