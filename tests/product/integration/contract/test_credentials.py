"""The actions that return credentials, as far as only a request over the wire can test them."""

from typing import Any

import pytest

from tests.api_versions import VERSIONS
from tests.local_azure import wait_for
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.contract.provider import OLD, Provider

ACTIONS = ("listCredentials", "listAdminCredentials")


@pytest.fixture(scope="module")
def failed(provider: Provider) -> str:
    """Give the id of a cluster whose create has failed, because its network and principal do not exist."""
    cluster = provider.cluster("unfinished")
    assert provider.send("PUT", cluster, json=provider.body("unfinished")).status_code == 201
    wait_for(lambda: _state(provider, cluster) == "Failed", "the create to fail", PATIENCE_SECONDS)
    return cluster


def _state(provider: Provider, cluster: str) -> str:
    state: str = provider.send("GET", cluster).json()["properties"]["provisioningState"]
    return state


def code_of(answer: Any) -> tuple[int, str]:
    """Return status and code of an error."""
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("more", "want"),
    [
        pytest.param({}, "RequestNotAllowed", id="no body and no type"),
        pytest.param({"headers": {"Content-Type": "application/json"}}, "RequestNotAllowed", id="a type alone"),
        pytest.param({"json": {"any": "thing"}}, "RequestNotAllowed", id="an object"),
        pytest.param({"json": []}, "RequestNotAllowed", id="any other JSON"),
        pytest.param(
            {"data": b"{", "headers": {"Content-Type": "application/json"}}, "InvalidRequestContent", id="half a body"
        ),
        pytest.param({"data": b"a=b", "headers": {"Content-Type": "text/plain"}}, "UnsupportedMediaType", id="text"),
    ],
)
def test_a_body_may_be_absent_and_must_be_json(
    provider: Provider, failed: str, action: str, more: dict[str, Any], want: str
) -> None:
    """The content of the body does not matter, and the cluster's state is checked only after the body."""
    assert code_of(provider.send("POST", f"{failed}/{action}", **more))[1] == want


def test_a_cluster_that_never_came_up_has_no_credentials(provider: Provider, failed: str) -> None:
    """The refusal names the way out."""
    answer = provider.send("POST", f"{failed}/listCredentials")
    assert code_of(answer) == (400, "RequestNotAllowed")
    assert "Resume its creation" in answer.json()["error"]["message"]


@pytest.mark.parametrize("action", ACTIONS)
def test_the_path_is_one_of_the_service(provider: Provider, action: str) -> None:
    """The path works in any casing, but only for POST and only for ARM."""
    path = f"{provider.cluster('absent')}/{action}"
    assert code_of(provider.send("POST", path.upper())) == (404, "ResourceNotFound")
    wrong = provider.send("GET", path)
    assert code_of(wrong) == (405, "MethodNotAllowed")
    assert wrong.headers["Allow"] == "POST, OPTIONS"
    for certificate in ("wrong_client", "admin_client"):
        assert code_of(provider.send("POST", path, certificate=certificate)) == (403, "Forbidden")


def test_the_kubeconfig_came_with_a_later_version(provider: Provider) -> None:
    """The password is in every version."""
    path = provider.cluster("absent")
    assert code_of(provider.send("POST", f"{path}/listCredentials", version=OLD)) == (404, "ResourceNotFound")
    refused = provider.send("POST", f"{path}/listAdminCredentials", version=OLD)
    assert code_of(refused) == (400, "InvalidResourceType")
    assert refused.json()["error"]["message"].endswith(f"{VERSIONS[-1]}.")
