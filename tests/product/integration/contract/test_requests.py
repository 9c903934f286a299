"""Requests, as far as only the wire can test them: certificates, bytes, paths and headers."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.product.integration.contract.provider import NEW, PROVIDER, Provider

LIMIT = 1_048_576


@pytest.fixture(scope="module")
def existing(provider: Provider) -> str:
    """Create a cluster that requests for other clusters must not reach; give its id."""
    created = provider.send("PUT", provider.cluster("existing"), json=provider.body("existing"))
    assert created.status_code == 201, created.text
    return provider.cluster("existing")


def code_of(answer: Any) -> tuple[int, str]:
    """Return status and code of an error, after checking that the rest of it is complete."""
    error = answer.json()["error"]
    assert answer.headers["Content-Type"].startswith("application/json")
    assert uuid.UUID(answer.headers["X-Ms-Request-Id"])
    assert error["message"]
    return answer.status_code, error["code"]


@pytest.mark.parametrize("certificate", ["wrong_client", "admin_client"])
@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        pytest.param("GET", "/foo/bar", {}, id="an unknown path"),
        pytest.param("PUT", "/subscriptions/x", {"data": b"{"}, id="a bad id and a bad body"),
        pytest.param("PUT", "/subscriptions/x", {"data": b"x" * (LIMIT + 1)}, id="a body that is too large"),
        pytest.param("GET", f"{PROVIDER}/operations", {"headers": {"Referer": "::"}}, id="a bad Referer"),
        pytest.param("OPTIONS", f"{PROVIDER}/operations", {}, id="a question for verbs"),
    ],
)
def test_who_is_not_arm_learns_nothing_else(
    provider: Provider, certificate: str, method: str, path: str, more: dict[str, Any]
) -> None:
    """The answer is 403, whatever else is wrong with the request."""
    assert code_of(provider.send(method, path, certificate=certificate, **more)) == (403, "Forbidden")


@pytest.mark.parametrize("path", ["/sre", "/sre/foo/bar"])
@pytest.mark.parametrize(
    ("certificate", "want"),
    [("admin_client", (404, "NotFound")), ("rp_client", (403, "Forbidden")), ("wrong_client", (403, "Forbidden"))],
)
def test_an_unknown_path_of_operators_is_theirs_to_miss(
    provider: Provider, path: str, certificate: str, want: tuple[int, str]
) -> None:
    """Only operators get 404; other callers do not learn which paths exist."""
    assert code_of(provider.send("GET", path, certificate=certificate)) == want


@pytest.mark.parametrize(
    ("raw", "content_type", "want"),
    [
        pytest.param(b"", "application/json", (400, "InvalidRequestContent"), id="nothing"),
        pytest.param(iter([b"{", b"}"]), "application/json", (411, "LengthRequired"), id="in chunks"),
        pytest.param(b"\xff{}", "application/json", (400, "InvalidRequestContent"), id="no UTF-8"),
        pytest.param(b'{"a":' * 50_000, "application/json", (400, "InvalidRequestContent"), id="brackets without end"),
        pytest.param(b'{"a": 1e999}', "application/json", (400, "InvalidRequestContent"), id="an infinite number"),
        pytest.param(b'{"a": "\\ud800"}', "application/json", (400, "InvalidRequestContent"), id="half a character"),
        pytest.param(b"{}", "text/plain", (415, "UnsupportedMediaType"), id="another type"),
        pytest.param(b"{}", "Application/JSON; charset=UTF-8", (400, "InvalidParameter"), id="a type with a charset"),
        pytest.param(
            b'{"a":"' + b"x" * (LIMIT - 8) + b'"}', "application/json", (400, "InvalidParameter"), id="a whole mebibyte"
        ),
        pytest.param(b"{" + b" " * LIMIT, "application/json", (400, "InvalidResource"), id="a byte more"),
    ],
)
def test_a_bad_body_has_its_code(
    provider: Provider, raw: bytes | Iterator[bytes], content_type: str, want: tuple[int, str]
) -> None:
    """The answer is never a 500."""
    answer = provider.send("PUT", provider.cluster("c1"), data=raw, headers={"Content-Type": content_type})
    assert code_of(answer) == want


@pytest.mark.parametrize(
    ("last", "want"),
    [
        pytest.param("a%2Fb", (404, "ResourceNotFound"), id="an escaped slash"),
        pytest.param("%00", (404, "ResourceNotFound"), id="a zero byte"),
        pytest.param("%ff%fe", (404, "ResourceNotFound"), id="no UTF-8"),
        pytest.param("%zz", (404, "ResourceNotFound"), id="a broken escape"),
        pytest.param("x" * 5000, (404, "ResourceNotFound"), id="a long name"),
        pytest.param("c1/syncSets/x", (404, "NotFound"), id="a child that is not served"),
    ],
)
def test_an_odd_path_has_its_code(provider: Provider, last: str, want: tuple[int, str]) -> None:
    """The message has a reasonable length, however long the path is."""
    status, text = provider.send_raw("GET", provider.cluster(last))
    assert status == want[0]
    assert f'"code": "{want[1]}"' in text
    assert len(text) < 1500


def test_dots_in_a_path_do_not_get_into_an_id(provider: Provider) -> None:
    """The cluster gets the name that the normalized path has, and is found by it."""
    raw = json.dumps(provider.body("dots")).encode()
    status, text = provider.send_raw("PUT", f"{provider.cluster('other')}/../dots", raw)
    assert status == 201, text
    assert provider.send("GET", provider.cluster("dots")).json()["id"] == provider.cluster("dots")


@pytest.mark.parametrize(
    ("path", "want"),
    [
        pytest.param("{cluster}%252F..%252Fa", (404, "ResourceNotFound"), id="escapes of escapes"),
        pytest.param("{cluster}%2F..%2Fa", (404, "ResourceNotFound"), id="escaped slashes"),
        pytest.param("{cluster}/%2e%2e/b", (404, "ResourceNotFound"), id="escaped dots"),
        pytest.param("https://user:password@other.example{cluster}", (404, "ResourceNotFound"), id="a whole address"),
        pytest.param("/{cluster}", (404, ""), id="two slashes"),
    ],
)
def test_an_odd_target_means_no_other_cluster(
    provider: Provider, existing: str, path: str, want: tuple[int, str]
) -> None:
    """The request reaches neither the existing cluster nor one of another name."""
    target = path.format(cluster=provider.cluster("c1"))
    status, text = provider.send_raw("GET", target)
    assert (status, want[1] in text) == (want[0], True)
    provider.send_raw("DELETE", target)
    assert provider.send("GET", existing).json()["properties"]["provisioningState"] != "Deleting"


@pytest.mark.parametrize(
    "named",
    [
        pytest.param("localhost{existing}?a=", id="another cluster's id"),
        pytest.param("localhost{existing}#", id="another cluster's id and a fragment"),
        pytest.param("user:password@localhost", id="a user"),
        pytest.param("localhost, other.example", id="two hosts"),
        pytest.param("localhost:port", id="a port that is none"),
        pytest.param("x" * 8000, id="a long name"),
    ],
)
def test_a_malformed_host_is_refused_and_reaches_no_other_cluster(
    provider: Provider, existing: str, named: str
) -> None:
    """Only the path determines the cluster."""
    for method in ("GET", "DELETE"):
        status, text = provider.send_raw(method, provider.cluster("c1"), named=named.format(existing=existing))
        assert status == 400
        assert '"target": "Host"' in text
    assert provider.send("GET", existing).json()["properties"]["provisioningState"] != "Deleting"


def test_a_host_by_another_name_is_served(provider: Provider) -> None:
    """The platform decides which names lead here."""
    status, text = provider.send_raw("GET", provider.cluster("c1"), named="RP.example:8443")
    assert status == 404
    assert f"'{provider.cluster('c1')}'" in text


def test_ids_of_the_caller_come_back(provider: Provider) -> None:
    """The client's own request id comes back only on demand."""
    ids = {"X-Ms-Correlation-Request-Id": "corr-1", "X-Ms-Client-Request-Id": "client-1"}
    answer = provider.send("GET", provider.cluster("c1"), headers=ids)
    assert answer.headers["X-Ms-Correlation-Request-Id"] == "corr-1"
    assert "X-Ms-Client-Request-Id" not in answer.headers
    answer = provider.send("GET", provider.cluster("c1"), headers=ids | {"X-Ms-Return-Client-Request-Id": "True"})
    assert answer.headers["X-Ms-Client-Request-Id"] == "client-1"


def test_a_head_has_no_body_and_a_wrong_verb_learns_the_right_ones(provider: Provider) -> None:
    """For a known path every verb gets a better answer than the host's bare 404."""
    head = provider.send("HEAD", provider.list_path)
    assert (head.status_code, head.content) == (200, b"")
    # A HEAD need not say how long the body of a GET is, but must not say that it has none.
    assert head.headers.get("Content-Length") in (None, str(len(provider.send("GET", provider.list_path).content)))
    wrong = provider.send("DELETE", provider.list_path)
    assert code_of(wrong) == (405, "MethodNotAllowed")
    assert wrong.headers["Allow"] == provider.send("OPTIONS", provider.list_path).headers["Allow"]


def test_poll_addresses_follow_the_host_that_the_caller_used(provider: Provider) -> None:
    """They keep the caller's query, and `Retry-After` says how often to poll."""
    referer = f"https://arm.example:8443/Some/Path?api-version={NEW}&a=b%20c#fragment"
    answer = provider.send(
        "PUT", provider.cluster("polled"), json=provider.body("polled"), headers={"Referer": referer}
    )
    assert answer.status_code == 201, answer.text
    poll, _, query = answer.headers["Azure-AsyncOperation"].partition("?")
    assert poll.startswith(f"https://arm.example:8443{provider.location}/operationsstatus/")
    assert query == f"api-version={NEW}&a=b%20c"
    assert int(answer.headers["Retry-After"]) >= 1
    running = provider.send("GET", poll.removeprefix("https://arm.example:8443"))
    assert set(running.json()) >= {"id", "name", "status", "startTime"}
    foreign = provider.send("GET", running.json()["id"].replace(provider.subscription_id, str(uuid.uuid4())))
    assert code_of(foreign) == (404, "NotFound")
