"""Pages of clusters, with the tokens that lead from one to the next, over the wire."""

import base64
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.product.integration.contract.provider import SECRET, Provider

CLUSTERS, PAGE = 12, 10


@pytest.fixture(scope="module")
def many(provider: Provider) -> Provider:
    """Give a subscription with more clusters than a page holds."""
    names = [f"c{number:02}" for number in range(CLUSTERS)]
    for name in names:
        answer = provider.send(
            "PUT", provider.cluster(name, "Rg1" if name < "c11" else "rg10"), json=provider.body(name)
        )
        assert answer.status_code == 201, answer.text
    return provider


def walk(provider: Provider, path: str) -> list[str]:
    """Follow every `nextLink`; return the names of the clusters."""
    names: list[str] = []
    while path:
        answer = provider.send("GET", path)
        assert answer.status_code == 200, answer.text
        assert SECRET not in answer.text
        page = answer.json()
        assert len(page["value"]) <= PAGE
        names += [cluster["name"] for cluster in page["value"]]
        path = page.get("nextLink", "")
    return names


def test_pages_repeat_nothing_and_miss_nothing(many: Provider) -> None:
    """This holds for the subscription, and for a resource group whose name is the beginning of another's."""
    assert sorted(walk(many, many.list_path)) == [f"c{number:02}" for number in range(CLUSTERS)]
    group = many.list_path.replace("/providers", "/resourceGroups/RG1/providers")
    assert sorted(walk(many, group)) == [f"c{number:02}" for number in range(11)]


def test_lists_beside_other_requests_get_their_own_tokens(many: Provider) -> None:
    """Concurrent requests do not mix up their tokens, although one client of the store serves every thread."""
    with ThreadPoolExecutor(6) as pool:
        lists = [pool.submit(walk, many, many.list_path) for _ in range(12)]
        others = [pool.submit(many.send, "GET", many.cluster("c00")) for _ in range(60)]
        assert all(len(each.result()) == CLUSTERS for each in lists)
        assert all(each.result().status_code in (200, 404) for each in others)


def test_a_token_is_sealed_and_opens_where_it_was_given(many: Provider) -> None:
    """The case of the parameter's name does not matter; another scope, or a changed bit, does."""
    link = many.send("GET", many.list_path, headers={"Referer": "https://arm.example/x?a=b"}).json()["nextLink"]
    assert link.startswith("https://arm.example/x?a=b&$skipToken=")
    (token,) = parse_qs(urlsplit(link).query)["$skipToken"]
    sealed = base64.b64decode(token)
    turned = base64.b64encode(sealed[:20] + bytes([sealed[20] ^ 1]) + sealed[21:]).decode()
    address = f"{many.azure.endpoints['rp']}{many.list_path}?api-version=2025-07-25"
    assert len(many.send("GET", f"{address}&$SKIPTOKEN={quote(token, safe='')}").json()["value"]) == CLUSTERS - PAGE
    group = address.replace("/providers", "/resourceGroups/rg1/providers")
    for bad in (f"{address}&$skipToken={quote(turned, safe='')}", f"{group}&$skipToken={quote(token, safe='')}"):
        error = many.send("GET", bad).json()["error"]
        assert (error["code"], error["target"]) == ("InvalidParameter", "$skipToken")
