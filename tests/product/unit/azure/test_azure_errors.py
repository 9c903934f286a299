"""Every error of Azure that we expect, and its translation."""

import io
import json
import re
from typing import Any

import pytest
import requests
import urllib3
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.core.pipeline.policies import ContentDecodePolicy
from azure.core.rest import HttpRequest
from azure.core.rest._requests_basic import RestRequestsTransportResponse
from azure.identity import CredentialUnavailableError
from azure.mgmt.core.exceptions import ARMErrorFormat
from azure.mgmt.resource.deployments.models import ErrorResponse

from shared import tracing
from shared.arm.errors import CloudError, Owner
from shared.azure.azure_errors import PrincipalRefused, body_of, clean, our_error, retry_class, translate
from shared.remedies import BY_CODE

# The SDK's response has an untyped constructor.
Response: Any = RestRequestsTransportResponse
JSON = {"Content-Type": "application/json"}
LENGTH = JSON | {"Content-Length": "2000"}
URL = "https://management.azure.com/subscriptions/s/resourceGroups/g?api-version=1"


def http(
    status: int,
    code: str = "",
    message: str = "It failed.",
    headers: dict[str, str] | None = None,
    url: str = "",
    **more: Any,
) -> HttpResponseError:
    """Make the error that a management client raises for such an answer.

    Args:
        status: HTTP status.
        code: code of the error.
        message: message of the error.
        headers: headers of the answer.
        url: the address that was called, if it matters.
        **more: other members of the error.
    """
    content = json.dumps({"error": {"code": code, "message": message} | more} if code else {}).encode()
    internal = requests.Response()
    internal.status_code = status
    internal.raw = urllib3.HTTPResponse(io.BytesIO(content), preload_content=False)
    internal.headers.update({"Content-Type": "application/json"} | (headers or {}))
    response = Response(request=HttpRequest("PUT", url or URL), internal_response=internal)
    response.read()
    return HttpResponseError(response=response, error_format=ARMErrorFormat)


class _Broken(io.BytesIO):
    """A connection that is reset after its first bytes."""

    def read(self, *_sizes: Any) -> bytes:
        raise ConnectionResetError(104, "Connection reset by peer")


def cut(status: int, source: io.BytesIO, headers: dict[str, str]) -> AzureError:
    """Make the error of the SDK's transport for an answer that breaks off.

    Args:
        status: HTTP status.
        source: what came of the body.
        headers: headers of the answer.
    """
    internal = requests.Response()
    internal.status_code = status
    internal.raw = urllib3.HTTPResponse(source, headers=headers, preload_content=False, enforce_content_length=True)
    internal.headers.update(headers)
    response = Response(request=HttpRequest("PUT", URL), internal_response=internal)
    with pytest.raises(AzureError) as caught:
        # It reads the answer first.
        ContentDecodePolicy.deserialize_from_http_generics(response)
    return caught.value


def without_token(cause: Exception) -> ClientAuthenticationError:
    """Make the error of a credential that could not ask Entra ID."""
    error = ClientAuthenticationError(f"Authentication failed: {cause}")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "want_class", "want_code", "want_owner"),
    [
        (http(429, "TooManyRequests"), "throttled", "ThrottlingLimitExceeded", Owner.AZURE),
        (http(429, "SubscriptionRequestsThrottled"), "throttled", "ThrottlingLimitExceeded", Owner.AZURE),
        (http(500, "InternalServerError"), "transient", "DeploymentFailed", Owner.AZURE),
        (http(503, "ServiceUnavailable"), "transient", "DeploymentFailed", Owner.AZURE),
        (http(504), "transient", "DeploymentFailed", Owner.AZURE),
        (http(403, "AuthorizationFailed"), "authorization", "DeploymentFailed", Owner.CUSTOMER),
        (http(403, "LinkedAuthorizationFailed"), "authorization", "DeploymentFailed", Owner.CUSTOMER),
        (http(403, "RequestDisallowedByPolicy"), "none", "RequestDisallowedByPolicy", Owner.CUSTOMER),
        (http(409, "AnotherOperationInProgress"), "busy", "DeploymentFailed", Owner.AZURE),
        (http(409, "ResourceGroupBeingDeleted"), "busy", "DeploymentFailed", Owner.AZURE),
        (http(409, "StorageAccountIsNotProvisioned"), "busy", "DeploymentFailed", Owner.AZURE),
        (http(409, "ScopeLocked"), "none", "ScopeLocked", Owner.CUSTOMER),
        (http(409, "QuotaExceeded"), "none", "ResourceQuotaExceeded", Owner.CUSTOMER),
        (http(409, "OperationNotAllowed", "Exceeds approved quota."), "none", "ResourceQuotaExceeded", Owner.CUSTOMER),
        (http(409, "OperationNotAllowed", "It is being resized."), "none", "DeploymentFailed", Owner.AZURE),
        (http(409, "MissingSubscriptionRegistration"), "none", "ResourceProviderNotRegistered", Owner.CUSTOMER),
        (
            http(400, "CannotDeleteLoadBalancerWithPrivateLinkService"),
            "none",
            "CannotDeleteLoadBalancerWithPrivateLinkService",
            Owner.CUSTOMER,
        ),
        (http(400, "InUseSubnetCannotBeDeleted"), "none", "InUseSubnetCannotBeDeleted", Owner.CUSTOMER),
        (
            http(400, "InvalidTemplateDeployment", details=[{"code": "QuotaExceeded", "message": "limit 10"}]),
            "none",
            "ResourceQuotaExceeded",
            Owner.CUSTOMER,
        ),
        (http(400, "InvalidTemplate"), "none", "DeploymentFailed", Owner.AZURE),
        (http(404, "ResourceNotFound"), "none", "DeploymentFailed", Owner.AZURE),
        (http(412), "busy", "DeploymentFailed", Owner.AZURE),
        (http(412, "PreconditionFailed"), "busy", "DeploymentFailed", Owner.AZURE),
        (ServiceRequestError("refused"), "transient", "DeploymentFailed", Owner.AZURE),
        (ServiceResponseError("reset"), "transient", "DeploymentFailed", Owner.AZURE),
        (cut(200, io.BytesIO(b'{"a":'), LENGTH), "transient", "DeploymentFailed", Owner.AZURE),
        (cut(200, _Broken(), LENGTH), "transient", "DeploymentFailed", Owner.AZURE),
        (cut(404, io.BytesIO(b"{"), LENGTH), "transient", "DeploymentFailed", Owner.AZURE),
        (
            cut(200, io.BytesIO(b"x"), LENGTH | {"Content-Encoding": "gzip"}),
            "transient",
            "DeploymentFailed",
            Owner.AZURE,
        ),
        (cut(200, io.BytesIO(b'{"a":'), JSON), "transient", "DeploymentFailed", Owner.AZURE),
        (cut(403, io.BytesIO(b'{"a":'), JSON), "none", "DeploymentFailed", Owner.CUSTOMER),
        (cut(503, io.BytesIO(b"<html>"), JSON), "transient", "DeploymentFailed", Owner.AZURE),
        (without_token(cut(200, io.BytesIO(b"{"), LENGTH)), "transient", "DeploymentFailed", Owner.AZURE),
        (ClientAuthenticationError("AADSTS700027: it has expired."), "transient", "DeploymentFailed", Owner.PLATFORM),
        (ClientAuthenticationError("AADSTS700016"), "transient", "DeploymentFailed", Owner.PLATFORM),
        (PrincipalRefused("AADSTS7000215"), "principal", "DeploymentFailed", Owner.CUSTOMER),
        (PrincipalRefused(response=http(401).response), "principal", "DeploymentFailed", Owner.CUSTOMER),
        (ClientAuthenticationError("AADSTS90055: Too many."), "transient", "DeploymentFailed", Owner.AZURE),
        (ClientAuthenticationError("Authentication failed: busy"), "transient", "DeploymentFailed", Owner.AZURE),
        (CredentialUnavailableError("no endpoint"), "transient", "DeploymentFailed", Owner.AZURE),
        (without_token(ServiceRequestError("refused")), "transient", "DeploymentFailed", Owner.AZURE),
        (without_token(ValueError("no authority")), "transient", "DeploymentFailed", Owner.AZURE),
        (ClientAuthenticationError(response=http(429).response), "throttled", "DeploymentFailed", Owner.AZURE),
        (ClientAuthenticationError(response=http(503).response), "transient", "DeploymentFailed", Owner.AZURE),
        (ClientAuthenticationError(response=http(401).response), "transient", "DeploymentFailed", Owner.PLATFORM),
        (http(403, "Forbidden"), "none", "DeploymentFailed", Owner.CUSTOMER),
        (AzureError("odd"), "none", "DeploymentFailed", Owner.AZURE),
    ],
)
def test_every_expected_error_maps(error: AzureError, want_class: str, want_code: str, want_owner: Owner) -> None:
    """To a retry class, to one of our codes, and to an owner."""
    failure = translate(error)
    assert (failure.retry_class, failure.error.code, failure.error.owner) == (want_class, want_code, want_owner)
    assert failure.retry_class == retry_class(error)


def test_an_answer_that_breaks_off_is_reported_as_a_broken_connection() -> None:
    """Its text says to whom, and how much was missing; no detail of the SDK's."""
    token = tracing.address.set(URL)
    failure = translate(cut(200, io.BytesIO(b'{"a":'), LENGTH))
    tracing.address.reset(token)
    assert failure.error.message.startswith("The connection to management.azure.com broke before a whole answer came")
    assert "1995 more expected" in failure.error.message
    assert failure.resource_id == "/subscriptions/s/resourceGroups/g"


def test_the_cause_stays_as_azure_gave_it() -> None:
    """Code, text, target and nested details."""
    inner = {"code": "Inner", "message": "because", "target": "there"}
    failure = translate(http(400, "Outer", "It failed.", target="here", details=[inner]))
    assert failure.error.details == [{"code": "Outer", "message": "It failed.", "target": "here", "details": [inner]}]
    assert failure.resource_id == "/subscriptions/s/resourceGroups/g"


VIOLATION = {
    "type": "PolicyViolation",
    "info": {
        "policyAssignmentId": "/subscriptions/s/providers/Microsoft.Authorization/policyAssignments/tags",
        "policyAssignmentName": "tags",
        "policyAssignmentDisplayName": "House rule",
        "policyDefinitionId": "/providers/Microsoft.Authorization/policyDefinitions/d",
        "policyDefinitionName": "d",
        "policyDefinitionDisplayName": "Require a tag on resource groups",
    },
}
REFUSED = {"code": "RequestDisallowedByPolicy", "message": "Resource 'g' was disallowed by policy."}


def policy_error(*, nested: bool) -> CloudError:
    """Make our error for a refusal by a policy, either of one call or of a deployment."""
    other = {"type": "TemplateViolation", "info": {}}
    if not nested:
        return translate(http(403, REFUSED["code"], REFUSED["message"], additionalInfo=[other, VIOLATION])).error
    wrapped = {"code": "InvalidTemplateDeployment", "message": "It failed.", "details": [REFUSED]}
    told = ErrorResponse(wrapped | {"details": [REFUSED | {"additionalInfo": [other, VIOLATION]}]})
    return our_error(400, body_of(told))


@pytest.mark.parametrize("nested", [False, True], ids=["of a call", "inside a deployment"])
def test_a_policy_that_refuses_is_named_with_what_helps(*, nested: bool) -> None:
    """The message names assignment, definition and the command that exempts; the details keep all of it as an entry."""
    error = policy_error(nested=nested)
    assert (error.code, error.owner) == ("RequestDisallowedByPolicy", Owner.CUSTOMER)
    assert error.message.startswith("Resource 'g' was disallowed by policy. The policy assignment 'House rule' (/sub")
    assert (
        "'Require a tag on resource groups' (/providers/Microsoft.Authorization/policyDefinitions/d)" in error.message
    )
    assignment = "/subscriptions/s/providers/Microsoft.Authorization/policyAssignments/tags"
    assert f"az policy exemption create --name aro --exemption-category Waiver --policy-assignment '{assignment}'" in (
        error.message
    )
    (refused,) = error.details[0]["details"] if nested else error.details
    assert [(each["code"], each["target"]) for each in refused["details"]] == [("PolicyViolation", assignment)]


@pytest.mark.parametrize(
    ("path", "want"),
    [
        (
            "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/worker",
            "Exempt the resource group of what it refuses: az .* --scope /subscriptions/s/resourceGroups/net[.]",
        ),
        ("/subscriptions/s/resourceGroups/aro-c1", "Exempt the cluster's resource group from it, or the subscription"),
    ],
)
def test_what_is_to_be_exempted_is_where_the_policy_refused(path: str, want: str) -> None:
    """A policy that keeps a security group attached holds in the virtual network's group, not in the cluster's."""
    url = f"https://management.azure.com{path}?api-version=1"
    error = translate(http(403, REFUSED["code"], REFUSED["message"], url=url, additionalInfo=[VIOLATION])).error
    assert re.search(want, error.message), error.message
    assert ("cluster's resource group" in error.message) == ("cluster's" in want)
    assert "cluster's" not in BY_CODE["RequestDisallowedByPolicy"]


def test_a_policy_that_is_not_told_leaves_azures_words_alone() -> None:
    """Older services name the policy in their text."""
    failure = translate(http(403, REFUSED["code"], REFUSED["message"]))
    assert failure.error.message == REFUSED["message"]


def test_a_broken_connection_is_told_in_words() -> None:
    """With the service and the reason, but without the names of Python's exceptions; the resource is the request's."""
    why = requests.ConnectionError(
        urllib3.exceptions.ProtocolError("Connection aborted.", ConnectionResetError(104, "Connection reset by peer")),
        request=requests.Request("PUT", URL).prepare(),
    )
    failure = translate(ServiceResponseError(str(why), error=why))
    want = (
        "The connection to management.azure.com broke before a whole answer came: [Errno 104] Connection reset by peer."
    )
    assert failure.error.details == [{"code": "ServiceResponseError", "message": want}]
    assert failure.resource_id == "/subscriptions/s/resourceGroups/g"
    assert failure.host == "management.azure.com"


def test_a_broken_connection_that_does_not_say_whose_it_was_is_the_last_calls() -> None:
    """Behind a proxy, the SDK's error has no request."""
    token = tracing.address.set(URL)
    failure = translate(ServiceRequestError("refused"))
    tracing.address.reset(token)
    assert (failure.host, failure.resource_id) == ("management.azure.com", "/subscriptions/s/resourceGroups/g")
    assert failure.error.message == "The connection to management.azure.com broke before a whole answer came: refused."


def test_what_cosmos_appends_for_its_own_log_is_left_out() -> None:
    """It means nothing to people, and is on a line of its own."""
    text = "Forbidden.\r\nActivityId: bee18f71-4282-4fce-823f-5a5bd6440519, Microsoft.Azure.Documents.Common/2.14.0"
    assert clean(text) == "Forbidden."


@pytest.mark.parametrize(
    ("text", "want"),
    [("17", 17), ("0", 1), ("", None), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("\u00b2", None), ("9" * 5000, None)],
    ids=["seconds", "zero", "nothing", "a date", "a superscript", "a number without end"],
)
def test_retry_after_is_read_in_seconds(text: str, want: int | None) -> None:
    """Zero would not be a wait at all."""
    assert translate(http(429, "TooManyRequests", headers={"Retry-After": text})).retry_after_seconds == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Main process exited, code=exited, status=1/FAILURE", "Main process exited, code=exited, status=1/FAILURE"),
        ("(code=killed, signal=KILL)", "(code=killed, signal=KILL)"),
        ("ended with code=dumped", "ended with code=dumped"),
        ("https://f/api?code=exited-k3y&x=1", "https://f/api?code=...&x=1"),
        ("code=Q0FGRQ==, it said", "code=... it said"),
        ("https://f/api?code=exited%2Ck3y", "https://f/api?code=..."),
    ],
)
def test_what_systemd_says_of_a_process_is_no_secret(text: str, want: str) -> None:
    """The last lines of a machine still say how its units ended, but the key of a function never passes."""
    assert clean(text) == want


def test_signatures_never_reach_a_message() -> None:
    """An error may quote the address it failed on."""
    assert clean("GET https://x/?sv=1&sig=abc%3D&se=2 failed") == "GET https://x/?sv=1&sig=...&se=2 failed"
    assert "abc" not in json.dumps(translate(http(400, "X", "https://x/?sig=abc")).error.details)
