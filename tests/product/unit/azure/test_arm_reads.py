"""Reads of ARM in a request: what an answer means, and how long they may take."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from shared import cloud, deadline, settings, tracing
from shared.arm.errors import CloudError
from shared.azure import arm_reads, dependencies
from shared.azure.arm_reads import ArmNotFound, ArmRefused
from tests.product.unit.azure.arm_stand_in import ENDPOINT, GROUP, Arm, arm
from tests.product.unit.azure_fake import Reply, Request

__all__ = ["arm"]

LIST = f"{GROUP}/providers/Microsoft.Authorization/locks"


def pages(arm: Arm, *links: Any) -> None:
    """Answer a list with a page for each link to a following one, and a last page."""
    rest = iter([*links, None])
    arm.azure.on("GET", "locks", lambda _: (200, {"value": [{}], "nextLink": next(rest)}, {}))


def test_a_document_is_read_with_the_version_and_the_correlation_of_the_request(arm: Arm) -> None:
    """ARM's own log then shows the id that the client has."""
    arm.azure.resources[GROUP.lower()] = {"id": GROUP}
    token = tracing.current.set(tracing.Correlation("corr"))
    assert arm.reads.get(GROUP, "2021-04-01", {"$expand": "a b&c"}) == {"id": GROUP}
    tracing.current.reset(token)
    (call,) = arm.azure.calls
    assert call.query == {"api-version": ["2021-04-01"], "$expand": ["a b&c"]}
    assert call.headers["x-ms-correlation-request-id"] == "corr"


def test_what_does_not_exist_is_none(arm: Arm) -> None:
    """A list of it is an error, because an empty list would say that nothing holds there."""
    assert arm.reads.get(GROUP, "2021-04-01") is None
    with pytest.raises(ArmNotFound):
        arm.reads.list(LIST, "2020-05-01")


def test_a_list_has_all_its_pages(arm: Arm) -> None:
    """They are asked for in turn."""
    pages(arm, f"{ENDPOINT}/locks?page=2", f"{ENDPOINT}/locks?page=3")
    assert len(arm.reads.list(LIST, "2020-05-01", {"$filter": "atScope()"})) == 3
    assert [call.query.get("page") for call in arm.azure.calls] == [None, ["2"], ["3"]]


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/locks",
        "https://management.azure.com.evil.example/locks",
        "https://management.azure.com@evil.example/locks",
        "https://management.azure.com:8443/locks",
        "http://management.azure.com/locks",
        "/locks?page=2",
        7,
    ],
)
def test_a_page_elsewhere_is_not_followed(arm: Arm, link: Any) -> None:
    """The app's token goes with the call."""
    pages(arm, link)
    with pytest.raises(ArmRefused, match="not on ARM's host"):
        arm.reads.list(LIST, "2020-05-01")
    assert len(arm.azure.calls) == 1


def test_a_list_without_an_end_is_not_read_in_part(arm: Arm) -> None:
    """Whatever decides by it would miss something."""
    pages(arm, *[f"{ENDPOINT}/locks"] * arm_reads.MOST_PAGES)
    with pytest.raises(ArmRefused, match="more than 20 pages"):
        arm.reads.list(LIST, "2020-05-01")
    assert len(arm.azure.calls) == 20


@pytest.mark.parametrize("status", [302, 400, 401, 403, 405, 409])
def test_a_refusal_says_what_was_refused(arm: Arm, status: int) -> None:
    """No such answer comes from an ARM that is away."""
    arm.azure.fails("GET", "/desk$", status, "AuthorizationFailed", "It lacks a role.")
    with pytest.raises(ArmRefused, match="It lacks a role") as refused:
        arm.reads.get(GROUP, "2021-04-01")
    assert refused.value.status_code == status


def test_the_log_names_the_identity_that_arm_refused(arm: Arm) -> None:
    """A refusal that nobody expects becomes 503, and this line tells the operator what to do."""
    arm.azure.fails("GET", "/desk$", 403, "AuthorizationFailed", "It lacks a role.")
    with pytest.raises(ArmRefused) as refused:
        arm.reads.get(GROUP, "2021-04-01")
    unavailable = dependencies.unavailable(refused.value, settings.load())
    assert unavailable is not None
    assert unavailable.status_code == 503
    assert f"{settings.load().rp_object_id}) may not read '{GROUP}' in Azure Resource Manager" in dependencies.explain(
        refused.value, settings.load()
    )


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"1", b"null"])
def test_a_document_that_is_no_object_is_refused(arm: Arm, body: bytes) -> None:
    """Nobody guesses what it means."""
    arm.azure.on("GET", "/desk$", lambda _: (200, body, {}))
    with pytest.raises(ArmRefused, match="not an object"):
        arm.reads.get(GROUP, "2021-04-01")


@pytest.mark.parametrize(
    "path",
    ["desk", "", "/", f"{GROUP}/", f"{GROUP}/../other", f"{GROUP}/./x", "//evil.example/x", f"{GROUP}//x"],
)
def test_a_path_that_means_another_is_not_asked_for(arm: Arm, path: str) -> None:
    """HTTP clients shorten dots, so ARM would be asked about something else."""
    with pytest.raises(ArmRefused, match="is not a path"):
        arm.reads.get(path, "2021-04-01")
    assert arm.azure.calls == []


def test_every_character_of_a_path_stands_for_itself(arm: Arm) -> None:
    """A name from a request cannot add a query, or name another resource by an escape."""
    arm.reads.get(f"{GROUP}?a=b#c%2F", "2021-04-01")
    (call,) = arm.azure.calls
    assert call.path == f"{GROUP}%3Fa%3Db%23c%252F"
    assert call.query == {"api-version": ["2021-04-01"]}


def broken(_: Request) -> Any:
    """Break the connection."""
    raise requests.exceptions.ConnectionError


AWAY = [
    pytest.param(lambda _: (429, {}, {}), id="throttled"),
    pytest.param(lambda _: (429, {}, {"Retry-After": "60"}), id="throttled for long"),
    pytest.param(lambda _: (408, {}, {}), id="408"),
    pytest.param(lambda _: (500, {}, {}), id="500"),
    pytest.param(lambda _: (501, {}, {}), id="501"),
    pytest.param(lambda _: (503, {}, {}), id="503"),
    pytest.param(lambda _: (200, b'{"id": "', {}), id="broken off"),
    pytest.param(lambda _: (200, b"\xff{}", {}), id="no text"),
    pytest.param(broken, id="no connection"),
]


@pytest.mark.parametrize("answer", AWAY)
def test_while_arm_is_away_a_request_is_to_be_repeated(arm: Arm, answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says nothing about the caller, who waits for no pause between two tries."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    arm.azure.on("GET", "/desk$", answer)
    with pytest.raises(CloudError, match="Azure Resource Manager, which this service depends on") as away:
        arm.reads.get(GROUP, "2021-04-01")
    assert (away.value.status_code, away.value.code) == (503, "ServiceUnavailable")
    assert sum(pauses) < 1
    assert len(arm.azure.calls) <= 2


def test_a_hiccup_is_tried_once_more(arm: Arm) -> None:
    """Connections that were idle are often closed."""
    answers: Iterator[Reply] = iter([(503, {}, {}), (200, {"id": GROUP}, {})])
    arm.azure.on("GET", "/desk$", lambda _: next(answers))
    assert arm.reads.get(GROUP, "2021-04-01") == {"id": GROUP}


def test_the_reads_of_a_request_share_two_seconds(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    """They begin with its first read. Another request has its own."""
    arm.azure.resources[GROUP.lower()] = {"id": GROUP}
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with deadline.request():
        now[0] += 3
        assert arm.reads.get(GROUP, "2021-04-01")
        now[0] += 1.9
        assert arm.reads.get(GROUP, "2021-04-01")
        now[0] += 0.2
        with pytest.raises(CloudError) as late:
            arm.reads.get(GROUP, "2021-04-01")
    assert late.value.status_code == 503
    with deadline.request():
        assert arm.reads.get(GROUP, "2021-04-01")
    assert len(arm.azure.calls) == 3


def test_outside_a_request_each_read_has_two_seconds(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Timers read one subscription after the other."""
    arm.azure.resources[GROUP.lower()] = {"id": GROUP}
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    for _ in range(3):
        now[0] += 3
        assert arm.reads.get(GROUP, "2021-04-01")


def test_an_attempt_waits_no_longer_than_the_reads_may_take(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent ARM would otherwise hold the thread for the three seconds of other calls."""
    waits: list[tuple[float, float]] = []

    def silent(_: Any, _prepared: Any, *, timeout: tuple[float, float], **_more: Any) -> Any:
        waits.append(timeout)
        raise requests.exceptions.ReadTimeout

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", silent)
    with pytest.raises(CloudError):
        arm.reads.get(GROUP, "2021-04-01")
    assert all(0 < seconds <= 2 for timeout in waits for seconds in timeout)
    assert 1 <= len(waits) <= 2


@pytest.fixture
def identity(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arm]:
    """Give the app a managed identity, as a function app has one."""
    monkeypatch.setenv("IDENTITY_ENDPOINT", "http://localhost:4141/msi/token")
    monkeypatch.setenv("IDENTITY_HEADER", "secret")
    cached = (cloud.cloud_profile, cloud.managed_identity, arm_reads.arm_reads)
    for each in cached:
        each.cache_clear()
    yield arm
    for each in cached:
        each.cache_clear()


def test_the_apps_identity_reads(identity: Arm) -> None:
    """Its token is for ARM, and is asked for once."""
    token = {"access_token": "the-token", "expires_on": str(int(time.time()) + 3600), "token_type": "Bearer"}
    identity.azure.on("GET", "/msi/token$", lambda _: (200, token | {"resource": ENDPOINT}, {}))
    identity.azure.resources[GROUP.lower()] = {"id": GROUP}
    for _ in range(2):
        assert arm_reads.arm_reads().get(GROUP, "2021-04-01")
    tokens = [call for call in identity.azure.calls if call.path == "/msi/token"]
    assert [call.query["resource"] for call in tokens] == [[ENDPOINT]]
    assert identity.azure.calls[-1].headers["authorization"] == "Bearer the-token"


def test_without_a_token_the_identity_endpoint_is_away(identity: Arm) -> None:
    """Nothing is wrong with the request."""
    identity.azure.fails("GET", "/msi/token$", 500, "InternalError")
    with pytest.raises(CloudError, match="the managed identity endpoint") as away:
        arm_reads.arm_reads().get(GROUP, "2021-04-01")
    assert away.value.status_code == 503
