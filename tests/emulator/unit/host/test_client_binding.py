"""The durable client binding, as the SDK parses it."""

import json

import pytest

from emulator.host.durable.client_binding import ManagementAddress


def _address(host_name: str) -> ManagementAddress:
    return ManagementAddress(host_name, "Hub1", "K", "http://127.0.0.1:17071/durabletask/")


def test_binding_equals_the_documented_text() -> None:
    base = "https://app.example.net/runtime/webhooks/durabletask"
    one, query = f"{base}/instances/INSTANCEID", "taskHub=Hub1&connection=Storage&code=K"
    creation = f"{base}/orchestrators/{{functionName}}[/{{instanceId}}]"
    want = {
        "taskHubName": "Hub1",
        "connectionName": None,
        "creationUrls": {
            "createNewInstancePostUri": f"{creation}?code=K",
            "createAndWaitOnNewInstancePostUri": f"{creation}?timeout={{timeoutInSeconds}}"
            "&pollingInterval={intervalInSeconds}&code=K",
        },
        "managementUrls": {
            "id": "INSTANCEID",
            "statusQueryGetUri": f"{one}?{query}",
            "sendEventPostUri": f"{one}/raiseEvent/{{eventName}}?{query}",
            "terminatePostUri": f"{one}/terminate?reason={{text}}&{query}",
            "rewindPostUri": f"{one}/rewind?reason={{text}}&{query}",
            "purgeHistoryDeleteUri": f"{one}?{query}",
            "restartPostUri": f"{one}/restart?{query}",
            "suspendPostUri": f"{one}/suspend?reason={{text}}&{query}",
            "resumePostUri": f"{one}/resume?reason={{text}}&{query}",
        },
        "baseUrl": base,
        "requiredQueryStringParameters": "code=K",
        "rpcBaseUrl": "http://127.0.0.1:17071/durabletask/",
        "httpBaseUrl": None,
    }

    assert _address("app.example.net").binding() == json.dumps(want)


@pytest.mark.parametrize(
    ("host_name", "scheme"), [("localhost:7071", "http"), ("localhost", "https"), ("rp.example", "https")]
)
def test_only_localhost_with_a_port_is_plain_http(host_name: str, scheme: str) -> None:
    assert _address(host_name).base_url == f"{scheme}://{host_name}/runtime/webhooks/durabletask"
