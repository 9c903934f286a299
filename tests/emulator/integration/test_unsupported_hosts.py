"""Names that the local Azure does not serve: the answer comes at once, names the host, and no call leaves the machine."""

from typing import Any

import pytest
import requests
from azure.core import PipelineClient
from azure.core.pipeline.policies import CustomHookPolicy, ProxyPolicy, RetryPolicy
from azure.core.rest import HttpRequest
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tests.local_azure import LocalAzure

# `az` also calls this telemetry host, which the local Azure does not serve.
TELEMETRY = "dc.services.visualstudio.com"
LONG = f"{'l' * 60}.example.com"


@pytest.mark.parametrize("host", [TELEMETRY, LONG])
def test_a_client_that_tries_again_is_answered_at_its_first_try(azure: LocalAzure, host: str) -> None:
    """A client would retry a refused CONNECT as if the network were down; it does not retry the 404."""
    options = azure.client_options
    with requests.Session() as session:
        session.trust_env = False
        session.mount("https://", HTTPAdapter(max_retries=Retry(5, backoff_factor=1)))
        answer = session.post(
            f"https://{host}/v2/track?sig=s3cret",
            json={},
            proxies=options["proxies"],
            verify=options["connection_verify"],
            timeout=60,
        )
    assert answer.raw.retries is not None
    assert answer.raw.retries.history == ()
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (404, "NotSupportedByLocalAzure")
    assert f"'{host}'" in error["message"]


def test_an_sdk_reads_the_error_as_azures(azure: LocalAzure) -> None:
    """The SDK's retry policy sees no outage in it; the journal names the host once, however often it is asked."""
    host = "management.other-cloud.example"
    options = azure.client_options
    tries: list[str] = []
    counting = CustomHookPolicy(raw_request_hook=lambda sent: tries.append(sent.http_request.url))
    policies = [RetryPolicy(), counting, ProxyPolicy(proxies=options["proxies"])]
    verify = options["connection_verify"]
    with PipelineClient[Any, Any](f"https://{host}", policies=policies, connection_verify=verify) as client:
        answers = [client.send_request(HttpRequest("GET", f"https://{host}/{number}")) for number in range(3)]
    assert len(tries) == len(set(tries)) == 3
    assert {answer.json()["error"]["code"] for answer in answers} == {"NotSupportedByLocalAzure"}
    (entry,) = [each for each in azure.journal(service="unsupported") if host in each["operation"]]
    assert (entry["status"], entry["error"]) == (404, "NotSupportedByLocalAzure")
