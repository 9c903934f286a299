"""What all answers of ARM have in common."""

from collections.abc import Iterator

import httpx
import pytest

from tests.emulator.integration.arm.stage import Stage


@pytest.fixture
def client(stage: Stage) -> Iterator[httpx.Client]:
    """Yield a plain HTTP client on localhost with the owner's token."""
    token = stage.owner.get_token("https://management.azure.com/.default").token
    with httpx.Client(base_url=stage.url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as found:
        yield found


def _code(reply: httpx.Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["code"]


def test_a_call_without_token_is_told_where_to_log_in(stage: Stage) -> None:
    """The answer is a 401 with a challenge and ARM's own code."""
    with httpx.Client(base_url=stage.url, timeout=60) as client:
        reply = client.get("/subscriptions?api-version=2022-12-01")
    assert _code(reply) == (401, "AuthenticationFailed")
    assert reply.headers["WWW-Authenticate"].startswith('Bearer authorization_uri="https://login.')


def test_a_token_of_another_tenant_does_not_open_a_subscription(stage: Stage, client: httpx.Client) -> None:
    """Only tokens of the subscription's tenant are accepted."""
    reply = client.get(f"/subscriptions/{stage.world.rp_subscription_id}/resourcegroups?api-version=2021-04-01")
    assert _code(reply) == (401, "InvalidAuthenticationTokenTenant")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/subscriptions", 400, "MissingApiVersionParameter"),
        ("/subscriptions?api-version=1999-01-01", 400, "InvalidApiVersionParameter"),
        ("/subscriptions/00000000-0000-0000-0000-000000000000?api-version=2022-12-01", 404, "SubscriptionNotFound"),
        ("{group}/providers/Microsoft.Nothing/things/x?api-version=2020-01-01", 400, "NotSupportedByLocalAzure"),
        (
            "{group}/providers/Microsoft.Network/azureFirewalls/x?api-version=2020-01-01",
            400,
            "NotSupportedByLocalAzure",
        ),
        ("{group}/providers/Microsoft.Network/azureFirewalls?api-version=2020-01-01", 400, "NotSupportedByLocalAzure"),
        (
            "{group}/providers/Microsoft.Network/virtualNetworks?api-version=2020-11-01&$filter=name eq 'x'",
            400,
            "NotSupportedByLocalAzure",
        ),
        ("/providers?api-version=2021-04-01", 400, "NotSupportedByLocalAzure"),
        (
            "{group}/providers/Microsoft.Network/virtualNetworks/x?api-version=1999-01-01",
            400,
            "NoRegisteredProviderFound",
        ),
        ("{group}/providers/Microsoft.Network/virtualNetworks/x?api-version=2022-01-01", 404, "ResourceNotFound"),
        ("{group}x/providers/Microsoft.Network/virtualNetworks/x?api-version=2022-01-01", 404, "ResourceGroupNotFound"),
    ],
)
def test_what_is_wrong_with_an_address_is_named(  # noqa: PLR0917 - fixtures and parameters
    stage: Stage, client: httpx.Client, group: str, path: str, status: int, code: str
) -> None:
    """Each wrong part of an address has its own error."""
    prefix = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"
    assert _code(client.get(path.format(group=prefix))) == (status, code)


def test_a_write_in_an_unknown_version_lists_the_known_ones(stage: Stage, client: httpx.Client, group: str) -> None:
    """NoRegisteredProviderFound names the versions of the type."""
    path = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}/providers/Microsoft.Network"
    reply = client.put(f"{path}/virtualNetworks/x?api-version=1999-01-01", json={"location": "eastus"})
    assert _code(reply) == (400, "NoRegisteredProviderFound")
    assert "2022-01-01" in reply.json()["error"]["message"]


def test_paths_are_read_in_any_case_and_with_doubled_slashes(stage: Stage, client: httpx.Client, group: str) -> None:
    """ARM's front door is lenient about paths."""
    path = f"/SUBSCRIPTIONS//{stage.world.subscription_id}//RESOURCEGROUPS/{group.upper()}?api-version=2021-04-01"
    assert client.get(path).json()["name"] == group


def test_malformed_json_is_an_error_of_the_caller(stage: Stage, client: httpx.Client, group: str) -> None:
    """A body that is not a JSON object gets a 400, never a 500."""
    path = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}?api-version=2021-04-01"
    assert _code(client.put(path, content=b"{")) == (400, "InvalidRequestContent")
    assert _code(client.put(path, content=b"[]")) == (400, "InvalidRequestContent")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(rb'{"location": "eastus\ud800"}', id="half a surrogate pair"),
        pytest.param(b'{"location": "eastus", "tags": {"a": NaN}}', id="not a number"),
        pytest.param(b'{"a":' * 101 + b"1" + b"}" * 101, id="nested too deep"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="nested deeper than the stack"),
    ],
)
def test_json_that_cannot_be_kept_is_an_error_of_the_caller(
    stage: Stage, client: httpx.Client, group: str, body: bytes
) -> None:
    """JSON that could not be stored or returned is refused before anything reads it."""
    path = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"
    assert _code(client.put(f"{path}?api-version=2021-04-01", content=body)) == (400, "InvalidRequestContent")
    path = f"{path}/providers/Microsoft.Network/networkSecurityGroups/n?api-version=2022-01-01"
    assert _code(client.put(path, content=body)) == (400, "InvalidRequestContent")


@pytest.mark.parametrize("query", ["$top=\u00b2", "$top=-1", "$top=0", "$skiptoken=\u0663", f"$top={'9' * 5000}"])
def test_a_page_that_is_no_number_is_an_error_of_the_caller(stage: Stage, client: httpx.Client, query: str) -> None:
    """Only ASCII digits count, and not too many of them. A page without items would lead to itself forever."""
    path = f"/subscriptions/{stage.world.subscription_id}/resourcegroups?api-version=2021-04-01&{query}"
    assert _code(client.get(path)) == (400, "InvalidSkipToken")


def test_a_correlation_id_is_made_or_echoed(client: httpx.Client) -> None:
    """Every answer, errors included, carries the ids by which the call can be found."""
    path = "/subscriptions?api-version=2022-12-01"
    assert client.get(path, headers={"x-ms-correlation-request-id": "mine"}).headers["x-ms-correlation-request-id"] == (
        "mine"
    )
    reply = client.get("/subscriptions")
    assert reply.headers["x-ms-correlation-request-id"]
    assert reply.headers["x-ms-request-id"]
    assert reply.headers["x-ms-routing-request-id"].startswith("EASTUS:")


def test_metadata_follows_the_host_that_was_asked(stage: Stage, client: httpx.Client) -> None:
    """A client that asks on localhost logs in on localhost."""
    del client.headers["Authorization"]
    found = client.get("/metadata/endpoints?api-version=2022-09-01").json()
    assert found["authentication"]["loginEndpoint"] == f"https://localhost:{stage.platform.ports['token']}/"
    assert found["resourceManager"] == f"{stage.url}/"
    assert found["suffixes"]["keyVaultDns"] == "vault.azure.net"
    listed = client.get("/metadata/endpoints?api-version=2020-09-01").json()
    assert [cloud["name"] for cloud in listed] == ["AzureCloud"]
    first = client.get("/metadata/endpoints?api-version=2015-01-01").json()
    assert first["authentication"]["audiences"]
