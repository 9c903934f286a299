"""What the SDK does not show: status codes, headers, and answers to requests that no SDK would send."""

import json

import pytest
import requests

from emulator.arm.access.roles import OWNER
from tests.emulator.integration.deployments.stage import Stage, group_of_rules, template
from tests.local_azure import wait_for

VERSION = "2021-04-01"


def _call(stage: Stage, method: str, path: str, body: bytes = b"", version: str = VERSION) -> requests.Response:
    credential = stage.principal(OWNER)[1]
    token = credential.get_token("https://management.azure.com/.default").token
    return requests.request(
        method,
        f"https://management.azure.com/subscriptions/{stage.subscription_id}{path}?api-version={version}",
        data=body,
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        timeout=60,
    )


def _body(**members: object) -> bytes:
    properties = {"mode": "Incremental", "template": template(group_of_rules("n"))} | members
    return json.dumps({"properties": properties}).encode()


def test_put_answers_201_then_200_and_where_to_poll(stage: Stage) -> None:
    """The poll address is on the host that was called, and it answers the state of this run."""
    path = f"/resourceGroups/{stage.group()}/providers/Microsoft.Resources/deployments/d"
    first = _call(stage, "PUT", path, _body())
    assert first.status_code == 201
    assert first.json()["properties"]["provisioningState"] == "Accepted"
    status_url = first.headers["Azure-AsyncOperation"]
    assert status_url.startswith("https://management.azure.com/subscriptions/")
    assert int(first.headers["Retry-After"]) >= 1
    status = "/" + status_url.split(stage.subscription_id + "/")[1].partition("?")[0]
    # This deployment ends within 20 ms here: on a busy machine it may be over before the first poll.
    assert _call(stage, "GET", status).json()["status"] in ("Accepted", "Running", "Succeeded")
    wait_for(lambda: _call(stage, "GET", status).json()["status"] == "Succeeded", "the deployment")
    assert _call(stage, "PUT", path.upper(), _body()).status_code == 200
    assert _call(stage, "GET", status).status_code == 404


@pytest.mark.parametrize(
    ("body", "want_code"),
    [
        pytest.param(b"", "InvalidRequestContent", id="nothing"),
        pytest.param(b"{", "InvalidRequestContent", id="no JSON"),
        pytest.param(b"[1]", "InvalidRequestContent", id="no object"),
        pytest.param(b'{"properties": 1}', "InvalidRequestContent", id="properties of a wrong type"),
        pytest.param(_body(mode=3), "InvalidRequestContent", id="a mode that is none"),
        pytest.param(_body(parameters=[]), "InvalidRequestContent", id="parameters of a wrong type"),
        pytest.param(_body(template=None), "InvalidDeployment", id="no template"),
        pytest.param(_body(template=7), "InvalidRequestContent", id="a template that is none"),
        pytest.param(_body(templateLink={"uri": "https://x"}), "NotSupportedByLocalAzure", id="a link"),
        pytest.param(b'{"properties": {"x": NaN}}', "InvalidRequestContent", id="not a number"),
        pytest.param(rb'{"properties": {"x": "\ud800"}}', "InvalidRequestContent", id="half a surrogate pair"),
        pytest.param(
            b'{"properties": {"x": ' + b"[" * 150 + b"]" * 150 + b"}}", "InvalidRequestContent", id="nested too deep"
        ),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "InvalidRequestContent", id="nested deeper than the stack"),
        pytest.param('{"properties": {}}'.encode("utf-16"), "InvalidRequestContent", id="UTF-16"),
        pytest.param(b'{"properties": {}, "location": "eastus"}', "InvalidDeployment", id="a location"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_400(stage: Stage, body: bytes, want_code: str) -> None:
    """The error has a code of ARM's, and nothing crashes."""
    path = f"/resourceGroups/{stage.group()}/providers/Microsoft.Resources/deployments/d"
    answer = _call(stage, "PUT", path, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, want_code)


@pytest.mark.parametrize(
    ("method", "path", "version", "want_status", "want_code"),
    [
        (
            "GET",
            "/resourceGroups/none/providers/Microsoft.Resources/deployments/d",
            VERSION,
            404,
            "ResourceGroupNotFound",
        ),
        (
            "GET",
            "/resourceGroups/{group}/providers/Microsoft.Resources/deployments/d",
            VERSION,
            404,
            "DeploymentNotFound",
        ),
        (
            "GET",
            "/resourceGroups/{group}/providers/Microsoft.Resources/deployments/d",
            "1999-01-01",
            400,
            "InvalidApiVersionParameter",
        ),
        (
            "PUT",
            "/resourceGroups/{group}/providers/Microsoft.Resources/deployments/a$b",
            VERSION,
            400,
            "InvalidDeploymentName",
        ),
        (
            "GET",
            "/resourceGroups/{group}/providers/Microsoft.Resources/deployments/d/operationResults/none",
            VERSION,
            404,
            "DeploymentOperationNotFound",
        ),
        ("PUT", "/providers/Microsoft.Resources/deployments/d", VERSION, 400, "InvalidDeployment"),
        ("GET", "/providers/Microsoft.Resources/deployments/d", VERSION, 404, "DeploymentNotFound"),
    ],
)
def test_what_is_not_there_is_refused_by_name(  # noqa: PLR0917 - the columns of a table
    stage: Stage, method: str, path: str, version: str, want_status: int, want_code: str
) -> None:
    """The error tells apart missing groups and deployments, bad versions and names, and what is not supported."""
    answer = _call(stage, method, path.format(group=stage.group()), _body(), version)
    assert (answer.status_code, answer.json()["error"]["code"]) == (want_status, want_code)


@pytest.mark.parametrize("where", ["/resourceGroups/{group}", ""], ids=["group", "subscription"])
def test_what_if_answers_202_with_where_to_poll_and_then_the_result(stage: Stage, where: str) -> None:
    """The template comes as the CLI sends it: as it is in the file, after an unquoted name."""
    path = f"{where}/providers/Microsoft.Resources/deployments/d/whatIf".format(group=stage.group())
    location = b"" if where else b'"location": "eastus", '
    document = json.dumps(template(), indent=2).encode()
    body = b'{%s"properties": {"mode": "incremental", "parameters": {}, template: %s}}' % (location, document)
    begun = _call(stage, "POST", path, body)
    assert (begun.status_code, begun.content) == (202, b"")
    assert int(begun.headers["Retry-After"]) >= 1
    poll = begun.headers["Location"].split(stage.subscription_id)[1].partition("?")[0]
    while (answer := _call(stage, "GET", poll)).status_code == 202:
        assert answer.headers["Location"] == begun.headers["Location"]
    assert answer.status_code == 200
    assert answer.json()["status"] == "Succeeded"
    assert answer.json()["properties"]["changes"] == []
    assert _call(stage, "POST", path, body).headers["Location"] != begun.headers["Location"]
    assert _call(stage, "GET", poll).status_code == 404
