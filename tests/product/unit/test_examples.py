"""The examples are requests that the service accepts, whole, and their page says how to send them."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from shared.clusters.api_versions import find_api_version
from shared.clusters.decode import decode_cluster
from tests.api_versions import VERSIONS
from tests.examples import FOLDER, INSTALLER_DIGEST, PLACEHOLDER, example
from tests.product.unit.frontend.world import CLIENT_ID, CLUSTER, SUBSCRIPTION, World, admin_certificate

VALUES = {
    "INSTALLER_DIGEST": INSTALLER_DIGEST,
    "SUBSCRIPTION_ID": SUBSCRIPTION,
    "TENANT_ID": "eeeeeeee-0000-0000-0000-000000000001",
    "LOCATION": "eastus",
    "RESOURCE_GROUP": "Customer",
    "VNET": "vnet",
    "CLUSTER": "c1",
    "CLIENT_ID": CLIENT_ID,
    "CLIENT_SECRET": "secret",
    "DOMAIN": "c1.example.com",
    "PULL_SECRET": '{\\"auths\\": {\\"quay.io\\": {\\"auth\\": \\"bm9ib2R5OnBhc3N3b3Jk\\"}}}',
    "OPENSHIFT_VERSION": "4.19.24",
}
# The versions that have examples: the first stable one, and the latest.
EXEMPLARY = ("2020-04-30", "2025-07-25")
FILES = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.json")}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a body with its path."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from leaves(child, f"{path}.{name}")
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from leaves(child, f"{path}[{index}]")
    else:
        yield path, value


def test_every_kind_has_an_example() -> None:
    """And there is no example that nothing tests."""
    clusters = {f"{version}/{kind}.json" for version in EXEMPLARY for kind in ("create", "update")}
    others = {"2025-07-25/create-own-domain.json", "openShiftVersions/4.19.24.json", "subscription.json"}
    # tests/e2e/test_templates_of_clusters.py and the story of a cluster with identities deploy them.
    others |= {"2025-07-25/template.json", "2025-07-25/template-workload-identity.json"}
    assert set(FILES) == clusters | others


def example_for(version: str, kind: str) -> Any:
    """Return the example of a version; for a version without one that of the latest, with what the page adds to it."""
    sent = example(f"{version if version in EXEMPLARY else EXEMPLARY[-1]}/{kind}.json", **VALUES)
    if (version, kind) == ("2021-09-01-preview", "create"):
        sent["properties"]["networkProfile"]["softwareDefinedNetwork"] = "OVNKubernetes"
    return sent


@pytest.mark.parametrize("version", VERSIONS)
def test_a_cluster_is_created_and_updated_with_the_examples(version: str) -> None:
    """A version knows each member of its own examples; it would ignore others, as it does with those of later ones."""
    world = World()
    entry = example("openShiftVersions/4.19.24.json", **VALUES)
    put = world.send(
        "PUT",
        f"/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions/{VALUES['OPENSHIFT_VERSION']}",
        entry,
        api_version="",
        certificate=admin_certificate(),
    )
    assert (put.status, put.body["properties"], put.body["problems"]) == (201, entry["properties"], [])
    create, update = (example_for(version, kind) for kind in ("create", "update"))
    for sent in (create, update) if version in EXEMPLARY else ():
        assert dict(leaves(decode_cluster(sent, find_api_version(version)))) == dict(leaves(sent))
    assert world.send("PUT", CLUSTER, create, api_version=version).status == 201
    world.finish()
    updated = world.send("PATCH", CLUSTER, update, api_version=version)
    assert updated.status == 200, updated.body
    assert updated.body["tags"] == update["tags"]
    assert updated.body["properties"]["clusterProfile"]["version"] == VALUES["OPENSHIFT_VERSION"]


def test_a_cluster_with_a_domain_of_its_own_is_created_with_the_example() -> None:
    """It brings the pull secret that a service without a registry needs; no answer repeats it."""
    world, version = World(), "2025-07-25"
    world.send(
        "PUT",
        "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions/4.19.24",
        example("openShiftVersions/4.19.24.json", **VALUES),
        api_version="",
        certificate=admin_certificate(),
    )
    create = example(f"{version}/create-own-domain.json", **VALUES)
    assert dict(leaves(decode_cluster(create, find_api_version(version)))) == dict(leaves(create))
    reply = world.send("PUT", CLUSTER, create, api_version=version)
    assert (reply.status, reply.body["properties"]["clusterProfile"]["domain"]) == (201, VALUES["DOMAIN"])
    assert "quay.io" not in str(reply.body)


def test_a_subscription_is_registered_with_the_example() -> None:
    """Its answer repeats it."""
    sent = example("subscription.json", **VALUES)
    reply = World().send("PUT", f"/subscriptions/{VALUES['TENANT_ID']}", sent, api_version="2.0")
    assert (reply.status, reply.body) == (201, sent)


def test_the_page_has_every_file_and_every_placeholder() -> None:
    """A reader knows what to fill in."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([\w./-]+\.json)\)", page)) == set(FILES)
    exported = set(re.findall(r"([A-Z_]+)=", "".join(re.findall(r"^export .*$", page, re.MULTILINE))))
    assert exported == {name for text in FILES.values() for name in PLACEHOLDER.findall(text)} == set(VALUES)
