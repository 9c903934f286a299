"""The management API: status codes, casing and shapes that clients rely on."""

import pytest

from tests.emulator.integration.host.harness import HostUnderTest, wait_until

RUNNING = frozenset({"Running"})


def _waiting(durable: HostUnderTest, instance_id: str) -> str:
    durable.start_instance("waiting", instance_id)
    durable.wait_for(instance_id, RUNNING)
    return instance_id


def _ended(durable: HostUnderTest, instance_id: str) -> str:
    durable.start_instance("chain", instance_id, {"steps": []})
    durable.wait_for(instance_id)
    return instance_id


def test_public_routes_need_the_key(durable: HostUnderTest) -> None:
    response = durable.request("GET", "/runtime/webhooks/durabletask/instances")

    assert (response.status_code, response.content) == (401, b"")
    assert (
        durable.request(
            "GET", f"/runtime/webhooks/durabletask/instances/none?code={durable.keys()['masterKey']}"
        ).status_code
        == 404
    )


def test_client_binding_has_the_documented_keys_in_order(durable: HostUnderTest) -> None:
    binding = durable.request("GET", "/binding").json()

    assert list(binding) == [
        *("taskHubName", "connectionName", "creationUrls", "managementUrls"),
        *("baseUrl", "requiredQueryStringParameters", "rpcBaseUrl", "httpBaseUrl"),
    ]
    assert binding["baseUrl"] == f"{durable.url}/runtime/webhooks/durabletask"
    assert binding["rpcBaseUrl"].endswith("/durabletask/")
    assert list(binding["managementUrls"])[:2] == ["id", "statusQueryGetUri"]


def test_start_answers_202_with_urls_and_without_rewind(durable: HostUnderTest) -> None:
    response = durable.manage("POST", "orchestrators/CHAIN/started-1", json={"steps": []})

    assert response.status_code == 202
    assert response.headers["retry-after"] == "10"
    assert response.headers["location"] == response.json()["statusQueryGetUri"]
    assert "rewindPostUri" not in response.json()
    assert durable.wait_for("started-1")["input"] == {"steps": []}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("orchestrators/nobody", b"", 400, id="an unknown function"),
        pytest.param("orchestrators/chain/@x", b"", 400, id="an id with an at sign in front"),
        pytest.param("orchestrators/chain/a%23b", b"", 400, id="an id with a number sign"),
        pytest.param(f"orchestrators/chain/{'x' * 257}", b"", 400, id="an id over 256 characters"),
        pytest.param("orchestrators/chain", b"{", 400, id="bad JSON"),
    ],
)
def test_refused_starts_say_why(durable: HostUnderTest, path: str, body: bytes, status: int) -> None:
    response = durable.manage("POST", path, content=body)

    assert response.status_code == status
    assert list(response.json()) == ["Message", "ExceptionMessage", "ExceptionType", "StackTrace"]


def test_an_id_with_a_slash_hits_no_route(durable: HostUnderTest) -> None:
    response = durable.manage("POST", "orchestrators/chain/a/b", json={})

    assert (response.status_code, response.content) == (404, b"")


def test_an_active_id_is_refused_and_an_ended_one_overwritten(durable: HostUnderTest) -> None:
    instance_id = _waiting(durable, "twice-1")
    refused = durable.manage("POST", f"orchestrators/chain/{instance_id}", json={"steps": []})
    durable.manage("POST", f"instances/{instance_id}/terminate?reason=x")
    durable.wait_for(instance_id)
    accepted = durable.manage("POST", f"orchestrators/chain/{instance_id}", json={"steps": []})

    assert refused.status_code == 500
    assert refused.json()["ExceptionMessage"] == "An Orchestration instance with the status Running already exists."
    assert accepted.status_code == 202
    wait_until(lambda: durable.status(instance_id)["output"] == [])


def test_status_is_202_while_active_and_200_when_ended(durable: HostUnderTest) -> None:
    active = durable.manage("GET", f"instances/{_waiting(durable, 'active-1')}")
    ended = durable.manage("GET", f"instances/{_ended(durable, 'ended-1')}")

    assert (active.status_code, active.headers["retry-after"]) == (202, "5")
    assert ended.status_code == 200
    assert durable.manage("GET", "instances/nobody").content == b""
    assert durable.manage("GET", "instances/nobody").status_code == 404
    durable.manage("DELETE", "instances/active-1")


def test_a_failed_instance_answers_500_when_asked_to(durable: HostUnderTest) -> None:
    durable.start_instance("raising", "failed-500")
    durable.wait_for("failed-500")

    assert durable.manage("GET", "instances/failed-500").status_code == 200
    assert durable.manage("GET", "instances/failed-500?returnInternalServerErrorOnFailure=TRUE").status_code == 500


def test_history_is_folded_into_result_events(durable: HostUnderTest) -> None:
    durable.start_instance("chain", "history-1", {"steps": [{"name": "h1"}]})
    durable.wait_for("history-1")

    assert "historyEvents" not in durable.status("history-1")
    bare = durable.status("history-1", "showHistory=true&showInput=false")
    full = durable.status("history-1", "showHistory=true&showHistoryOutput=true")

    assert bare["input"] is None
    assert all("Result" not in event for event in bare["historyEvents"])
    assert [event["EventType"] for event in full["historyEvents"]] == [
        *("ExecutionStarted", "TaskCompleted", "ExecutionCompleted"),
    ]
    done = full["historyEvents"][1]
    assert list(done) == ["EventType", "Result", "Timestamp", "ScheduledTime", "FunctionName", "Input"]
    assert (done["Result"], done["FunctionName"]) == ({"name": "h1"}, "step")
    assert done["ScheduledTime"].endswith("+00:00")


def test_a_list_has_the_first_instances_of_a_status(durable: HostUnderTest) -> None:
    """So an operator waits until nothing runs."""
    _ended(durable, "list-1")
    listed = durable.manage("GET", "instances?runtimeStatus=Completed,Failed&top=1").json()
    assert [item["runtimeStatus"] for item in listed] in (["Completed"], ["Failed"])
    assert durable.manage("GET", "instances?runtimeStatus=Suspended&top=1").json() == []


def test_purge_deletes_one_or_all_ended_since_a_time(durable: HostUnderTest) -> None:
    _ended(durable, "purge-1")

    assert durable.manage("DELETE", "instances/purge-1").json() == {"instancesDeleted": 1}
    assert durable.manage("DELETE", "instances/purge-1").status_code == 404
    assert durable.manage("DELETE", "instances").status_code == 400
    assert durable.manage("DELETE", "instances?createdTimeFrom=2999-01-01T00:00:00Z").status_code == 404


def test_terminate_ends_an_instance_once(durable: HostUnderTest) -> None:
    instance_id = _waiting(durable, "terminate-1")

    assert durable.manage("POST", f"instances/{instance_id}/terminate?reason=no%20more").status_code == 202
    status = durable.wait_for(instance_id)
    assert (status["runtimeStatus"], status["output"]) == ("Terminated", "no more")
    assert durable.manage("POST", f"instances/{instance_id}/terminate").status_code == 410
    assert durable.manage("POST", "instances/nobody/terminate").status_code == 404
    history = durable.status(instance_id, "showHistory=true")["historyEvents"]
    assert [event["EventType"] for event in history][-2:] == ["ExecutionTerminated", "ExecutionCompleted"]


def test_what_the_host_lacks_is_refused_out_loud(durable: HostUnderTest) -> None:
    instance_id = _ended(durable, "refused-1")

    assert durable.manage("GET", "entities/counter/1").status_code == 501
    for operation in ("raiseEvent/go", "suspend", "resume", "rewind", "restart"):
        assert durable.manage("POST", f"instances/{instance_id}/{operation}").status_code == 501
