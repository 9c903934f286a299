"""HTTP functions, keys and routes, as callers of a host see them."""

import concurrent.futures
import json
import os

import httpx
import psutil
import pytest

from tests.emulator.integration.host.harness import BODY_BYTES, HostUnderTest, wait_until


def test_request_reaches_the_function_as_the_real_host_shapes_it(basic: HostUnderTest) -> None:
    response = basic.request(
        "POST", "/ECHO/Bo%2Fb%20x/a/b/?x=1&X=2&empty=", content=b"hi", headers={"X-Twice": "1", "X-Correlation-Id": "c"}
    )
    seen = response.json()

    assert response.status_code == 201
    assert "content-length" not in response.headers
    assert seen["route"] == {"name": "Bo%2Fb x", "rest": "a/b/"}
    assert seen["params"] == {"x": "1,2"}
    assert seen["body"] == "hi"
    assert seen["url"] == f"{basic.url}/ECHO/Bo%2Fb%20x/a/b/?x=1&X=2&empty="
    assert seen["headers"]["x-twice"] == "1"


def test_a_body_over_the_hosts_limit_reaches_no_function(basic: HostUnderTest) -> None:
    """The real host's setting is FUNCTIONS_REQUEST_BODY_SIZE_LIMIT."""
    assert basic.request("POST", "/echo/a/b", content=b"x" * BODY_BYTES).json()["body"]
    refused = basic.request("POST", "/echo/a/b", content=b"x" * (BODY_BYTES + 1))
    assert (refused.status_code, refused.content) == (413, b"")


def test_chunked_body_arrives_empty(basic: HostUnderTest) -> None:
    assert basic.request("POST", "/echo/a/b", content=iter([b"some", b"thing"])).json()["body"] == ""


@pytest.mark.parametrize("header", ["X-ARR-ClientCert", "X-Forwarded-Proto", "DISGUISED-HOST"])
def test_platform_headers_are_stripped_on_the_plain_port(basic: HostUnderTest, header: str) -> None:
    seen = basic.request("GET", "/echo/a/b", headers={header: "forged"}).json()

    assert header.lower() not in seen["headers"]
    assert seen["url"] == f"{basic.url}/echo/a/b"


def test_platform_headers_are_trusted_on_the_socket(basic: HostUnderTest) -> None:
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(basic.socket))) as client:
        seen = client.get(
            "http://inside/echo/a/b",
            headers={"X-ARR-ClientCert": "abc", "X-Forwarded-Proto": "https", "DISGUISED-HOST": "rp.example"},
        ).json()

    assert seen["headers"]["x-arr-clientcert"] == "abc"
    assert seen["url"] == "https://rp.example/echo/a/b"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/nowhere", 404, id="no route"),
        pytest.param("DELETE", "/echo/a/b", 404, id="a route but not for this method"),
        pytest.param("HEAD", "/echo/a/b", 404, id="HEAD needs its own registration"),
        pytest.param("GET", "/echo//b", 404, id="an empty segment"),
        pytest.param("GET", "/broken", 500, id="a function that raises"),
        pytest.param("GET", "/none", 500, id="a function that returns nothing"),
        pytest.param("GET", "/switched-off", 404, id="a disabled function"),
        pytest.param("GET", "/admin/things", 401, id="a reserved route belongs to the host"),
        pytest.param("GET", "/twin2", 404, id="a name that differs in case only"),
        pytest.param("GET", "/wrong_binding", 404, id="a binding name with an underscore"),
        pytest.param("GET", "/secret", 401, id="no key"),
        pytest.param("GET", "/secret?code=wrong", 401, id="a wrong key"),
    ],
)
def test_refusals_have_an_empty_body(basic: HostUnderTest, method: str, path: str, status: int) -> None:
    response = basic.request(method, path)

    assert (response.status_code, response.content) == (status, b"")


def test_routes_are_tried_in_the_order_of_function_names(basic: HostUnderTest) -> None:
    assert basic.request("GET", "/items/recent").text == "item recent"


def test_keys_open_what_their_level_allows(basic: HostUnderTest) -> None:
    keys = basic.keys()
    host_key, master = keys["functionKeys"]["default"], keys["masterKey"]

    assert basic.request("GET", f"/secret?code={host_key}").status_code == 200
    assert basic.request("GET", "/secret?code=wrong", headers={"x-functions-key": master}).status_code == 200
    assert basic.request("GET", f"/root?code={host_key}").status_code == 401
    assert basic.request("GET", f"/root?code={master}").status_code == 200
    assert (basic.folder / "state" / "keys.json").stat().st_mode & 0o077 == 0


def test_response_keeps_one_value_per_name_and_every_cookie(basic: HostUnderTest) -> None:
    response = basic.request("GET", "/cookies")

    assert response.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert response.headers.get_list("x-once") == ["2"]
    assert response.headers["content-type"] == "text/plain; charset=utf-8"


def test_home_page_answers_where_no_route_does(basic: HostUnderTest) -> None:
    response = basic.request("GET", "/")

    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html"


def test_refused_functions_are_named_in_the_log(basic: HostUnderTest) -> None:
    errors = {line["message"] for line in basic.log_lines() if line["level"] == "ERROR"}

    assert any("'reserved' function" in error and "built in routes" in error for error in errors)
    assert any("'same_route' function" in error and "'echo'" in error for error in errors)
    assert any("'twin' function" in error and "unique" in error for error in errors)
    assert any("'wrong_binding' function" in error and "the_request" in error for error in errors)


def test_log_records_keep_invocation_and_correlation_ids(basic: HostUnderTest) -> None:
    basic.request("GET", "/echo/a/b", headers={"x-correlation-id": "corr-7"})

    def find() -> list[dict[str, str]]:
        return [line for line in basic.log_lines() if line.get("correlation_id") == "corr-7"]

    line = wait_until(find)[0]
    assert line["category"] == "Function.echo"
    assert line["invocation_id"]


def test_timer_runs_at_start_and_on_demand(basic: HostUnderTest) -> None:
    wait_until(lambda: len(basic.marked("tick")) == 1)
    master = {"x-functions-key": basic.keys()["masterKey"]}

    assert basic.request("POST", "/admin/functions/tick", headers=master).status_code == 202
    wait_until(lambda: len(basic.marked("tick")) == 2)
    assert basic.request("POST", "/admin/functions/tick").status_code == 401


def test_calls_in_flight_fail_with_the_worker_and_the_next_is_served(basic: HostUnderTest) -> None:
    worker = basic.worker_pid
    with concurrent.futures.ThreadPoolExecutor() as pool:
        slow = pool.submit(basic.request, "GET", "/slow/dies")
        wait_until((basic.marks / "dies.begun").exists)
        assert basic.request("POST", "/die").status_code == 500
        assert slow.result().status_code == 500

    assert basic.request("GET", "/echo/a/b").status_code == 201
    assert basic.worker_pid != worker


def test_worker_dies_with_a_killed_host(tmp_path_factory: pytest.TempPathFactory) -> None:
    host = HostUnderTest("basic", tmp_path_factory.mktemp("killed")).start()
    worker = host.worker_pid

    host.kill()

    def is_gone() -> bool:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(is_gone)


def test_sigterm_ends_host_and_worker_in_order(tmp_path_factory: pytest.TempPathFactory) -> None:
    host = HostUnderTest("basic", tmp_path_factory.mktemp("stopped")).start()
    worker = host.worker_pid

    assert host.stop() == 0
    assert not psutil.pid_exists(worker)
    assert not host.socket.exists()


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        pytest.param("import nothing_of_that_name", "nothing_of_that_name", id="an import error"),
        pytest.param("x = 1", "Could not find top level function app instances", id="no app"),
        pytest.param(
            "import azure.functions as func\na = func.FunctionApp()\nb = func.FunctionApp()",
            "More than one FunctionApp or other top level function app",
            id="two apps",
        ),
        pytest.param(
            "import azure.functions as func\napp = func.FunctionApp()\n"
            "@app.route('x')\ndef f(req: dict[str, str]) -> func.HttpResponse: ...",
            "invalid non-type annotation",
            id="an annotation the worker refuses",
        ),
    ],
)
def test_host_says_why_an_app_cannot_be_loaded(
    tmp_path_factory: pytest.TempPathFactory, source: str, problem: str
) -> None:
    app = tmp_path_factory.mktemp("app")
    (app / "function_app.py").write_text(source, encoding="utf-8")
    (app / "host.json").write_text(json.dumps({"version": "2.0"}), encoding="utf-8")

    with pytest.raises(AssertionError, match=problem):
        HostUnderTest(str(app), tmp_path_factory.mktemp("state")).start()
