"""The one session with which the process calls Azure, and what it takes from the environment."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import requests.adapters
from azure.core.pipeline.transport import HttpRequest

from shared import cloud
from shared import store as store_module
from shared import vault as vault_module
from shared.fence import FencePolicy
from shared.http_session import network
from tests.product.unit.product_world import World, world

__all__ = ["world"]

URL = "https://management.azure.com/subscriptions?api-version=1"
Sent = list[tuple[requests.PreparedRequest, dict[str, Any]]]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Give a function that sets the environment of a new process."""

    def start(**variables: str) -> None:
        for name in (
            "HTTPS_PROXY",
            "https_proxy",
            "NO_PROXY",
            "no_proxy",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "NETRC",
        ):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        network.cache_clear()

    yield start
    network.cache_clear()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Note what is sent, and with which options; the answer sets a cookie."""
    calls: Sent = []

    def send(_adapter: Any, prepared: requests.PreparedRequest, **options: Any) -> requests.Response:
        calls.append((prepared, options))
        return requests.Response()

    def answer(_adapter: Any, prepared: requests.PreparedRequest, **options: Any) -> requests.Response:
        made = send(_adapter, prepared, **options)
        made.status_code, made.url, made._content = 200, str(prepared.url), b"{}"
        made.request, made.raw = prepared, _Raw()
        return made

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", answer)
    return calls


class _Raw:
    """An answer as `requests` looks at it for cookies."""

    enforce_content_length = True

    class _original_response:  # noqa: N801 - its name in urllib3
        class msg:  # noqa: N801 - idem
            @staticmethod
            def get_all(_name: str, _default: Any = None) -> list[str]:
                return ["session=1; Path=/"]


def call(transport: cloud.Transport, url: str = URL, **options: Any) -> None:
    """Send a GET that is signed."""
    transport.send(HttpRequest("GET", url, headers={"Authorization": "Bearer token"}), **options)


def test_proxies_and_authorities_are_those_of_the_environment(environment: Callable[..., None], sent: Sent) -> None:
    """Host by host, because some may be reached directly."""
    environment(HTTPS_PROXY="http://proxy:1", NO_PROXY="vault.azure.net", REQUESTS_CA_BUNDLE="/ca.pem")
    for url in (URL, "https://a.vault.azure.net/secrets"):
        call(cloud.Transport(), url)
    assert [options["proxies"].get("https") for _, options in sent] == ["http://proxy:1", None]
    assert {options["verify"] for _, options in sent} == {"/ca.pem"}


def test_the_environment_is_read_once(
    environment: Callable[..., None], sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look again for each call took longer than the call."""
    environment(HTTPS_PROXY="http://proxy:1", REQUESTS_CA_BUNDLE="/ca.pem")
    call(cloud.Transport())
    monkeypatch.setenv("HTTPS_PROXY", "http://another:1")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/other.pem")
    call(cloud.Transport())
    assert [(options["proxies"]["https"], options["verify"]) for _, options in sent] == [
        ("http://proxy:1", "/ca.pem")
    ] * 2


@pytest.mark.parametrize(("asked", "want"), [(True, "/ca.pem"), (False, False), ("/own.pem", "/own.pem")])
def test_a_client_that_only_asks_to_verify_gets_the_authorities(
    environment: Callable[..., None], sent: Sent, *, asked: bool | str, want: bool | str
) -> None:
    """The SDK of Cosmos DB says so for each call."""
    environment(REQUESTS_CA_BUNDLE="/ca.pem")
    call(cloud.Transport(), connection_verify=asked)
    assert sent[0][1]["verify"] == want


def test_without_anything_in_the_environment_the_packages_authorities_count(
    environment: Callable[..., None], sent: Sent
) -> None:
    """And no proxy."""
    environment()
    call(cloud.Transport())
    assert (sent[0][1]["verify"], dict(sent[0][1]["proxies"])) == (True, {})


def test_no_password_of_the_machine_takes_the_place_of_a_token(
    environment: Callable[..., None], sent: Sent, tmp_path: Path
) -> None:
    """`requests` would prefer a netrc file to the header of the call."""
    (tmp_path / "netrc").write_text("machine management.azure.com login a password b\n")
    environment(NETRC=str(tmp_path / "netrc"))
    call(cloud.Transport())
    assert sent[0][0].headers["Authorization"] == "Bearer token"
    assert base64.b64encode(b"a:b").decode() not in str(sent[0][0].headers)


@pytest.mark.usefixtures("environment")
def test_no_cookie_of_one_client_reaches_another(sent: Sent) -> None:
    """They act with several identities, in several tenants."""
    call(cloud.Transport())
    call(cloud.short_transport())
    assert "Cookie" not in sent[1][0].headers
    assert not network().session.cookies


@pytest.mark.usefixtures("environment")
def test_a_client_that_is_closed_leaves_the_connections_to_the_others(sent: Sent) -> None:
    """Some clients live for one call."""
    first, second = cloud.Transport(), cloud.prompt_transport()
    call(first)
    first.close()
    call(second)
    assert len(sent) == 2
    assert first.session is second.session is network().session


def test_the_clients_of_the_database_and_the_vaults_use_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the limits of all other clients: no answer without an end."""
    assert world
    database, vault = Mock(), Mock()
    monkeypatch.setattr(store_module, "CosmosClient", database)
    store_module.get_store()
    vault_module.connect(vault, "rp-svc", FencePolicy())
    assert [type(client.call_args.kwargs["transport"]) for client in (database, vault)] == [cloud.Transport] * 2
