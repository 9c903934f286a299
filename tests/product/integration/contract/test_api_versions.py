"""One cluster created through each API version, then read, listed and resumed through the others."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.json_object import Json
from tests.api_versions import VERSIONS, members
from tests.local_azure import wait_for
from tests.product.integration.contract.provider import NEW, PULL_SECRET, SECRET, Provider

# Resuming eleven creates takes longer than anything else here.
pytestmark = pytest.mark.slow(60)
_SECRETS = (SECRET, PULL_SECRET, "Y2FuYXJ5")


@pytest.fixture(scope="module")
def clusters(provider: Provider) -> dict[str, str]:
    """Give the id of a cluster for each version, whose create has failed because nothing that it names exists."""
    found = {version: provider.cluster(f"v{number}") for number, version in enumerate(VERSIONS)}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda each: _create(provider, *each), found.items()))
    assert not [answer.text for answer in answers if answer.status_code != 201]
    for path in found.values():
        _wait_until_failed(provider, path)
    return found


def _create(provider: Provider, version: str, path: str) -> Any:
    return provider.send("PUT", path, json=provider.body(path.rpartition("/")[2], version), version=version)


def _wait_until_failed(provider: Provider, path: str) -> None:
    wait_for(lambda: _get(provider, path)["properties"]["provisioningState"] == "Failed", f"the create of {path}")


def _get(provider: Provider, path: str, version: str = NEW, **more: Any) -> Json:
    answer = provider.send("GET", path, version=version, **more)
    assert answer.status_code == 200, answer.text
    assert not [secret for secret in _SECRETS if secret in answer.text]
    shown: Json = answer.json()
    return shown


def _paths(value: Any, path: str = "") -> set[str]:
    """Return the paths of the values of a reply, without the positions of items."""
    if isinstance(value, dict) and value and path != "tags":
        return {each for name, entry in value.items() for each in _paths(entry, f"{path}.{name}".removeprefix("."))}
    if isinstance(value, list):
        return {each for item in value for each in _paths(item, path)}
    return {path} if value != {} else set()


def _lasting(cluster: Json) -> Json:
    """Return what an operation that changes nothing leaves as it is."""
    cluster.pop("systemData", None)
    cluster["properties"].pop("provisioningState")
    return cluster


@pytest.mark.parametrize("reader", VERSIONS)
def test_a_cluster_of_each_version_is_read_in_every_other(
    provider: Provider, clusters: dict[str, str], reader: str
) -> None:
    """A version shows only members that it has, and a list shows clusters as a GET does."""
    read = {path: _get(provider, path, reader) for path in clusters.values()}
    assert [each["id"] for each in read.values()] == [*clusters.values()]
    for cluster in read.values():
        assert _paths(cluster) <= members(reader).keys()
    listed: list[Json] = []
    page = f"{provider.list_path}"
    while page:
        answer = _get(provider, page, reader)
        listed += answer["value"]
        page = answer.get("nextLink", "")
    assert {each["id"]: each for each in listed} == {each["id"]: each for each in read.values()}


def test_a_create_of_each_version_is_resumed_by_what_another_shows(
    provider: Provider, clusters: dict[str, str]
) -> None:
    """Afterwards the cluster is what it was; any other change is refused with the way out."""
    paths = [*clusters.values()]
    before = [_lasting(_get(provider, path)) for path in paths]
    # Shifted by one, so that none is resumed by the version that created it.
    for path, reader in zip(paths[-1:] + paths, VERSIONS, strict=False):
        shown = _get(provider, path, reader)
        refused = provider.send("PATCH", path, json={"tags": {"a": "b"}}, version=reader)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "RequestNotAllowed")
        resumed = provider.send("PUT", path, json=shown, version=reader)
        assert resumed.status_code == 200, resumed.text
        assert resumed.json()["properties"]["provisioningState"] == "Creating"
    for path in paths:
        _wait_until_failed(provider, path)
    assert [_lasting(_get(provider, path)) for path in paths] == before


def test_operators_read_every_cluster_and_write_none(provider: Provider, clusters: dict[str, str]) -> None:
    """Their view has no secret, either."""
    for path in clusters.values():
        shown = _get(provider, path, "admin", certificate="admin_client")
        assert shown["properties"]["failedProvisioningState"] == "Creating"
        assert shown["properties"]["createdAt"]
    missing = provider.send("PATCH", provider.cluster("absent"), json={}, version="admin", certificate="admin_client")
    assert (missing.status_code, missing.json()["error"]["code"]) == (400, "RequestNotAllowed")
    refused = provider.send("GET", clusters[NEW], version="admin")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "Forbidden")
