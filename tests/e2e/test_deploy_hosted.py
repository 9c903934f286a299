"""docs/deploy-hosted.md as an operator reads it: each command, with the unmodified CLI, in an empty subscription."""

import random
import shutil

import pytest

from demo.customer import begin_create, begin_delete
from shared.json_object import Json
from tests.e2e.deployer import CLI, REPOSITORY, Deployer
from tests.e2e.page import Page
from tests.local_azure import LocalAzure, unique, wait_for

PAGE = REPOSITORY / "docs" / "deploy-hosted.md"
REGISTRY = "/resourceGroups/aro-global/providers/Microsoft.ContainerRegistry/registries/pageregistry"
SECTIONS = (
    "Before you begin",
    "Deploy",
    "Secrets",
    "Delegate the zone",
    "Publish",
    "Register the service with Azure Resource Manager",
)


@pytest.fixture
def environment(environment: Json) -> Json:
    """Give the terminal of an operator who has a registry, and will remove everything at once."""
    return {
        **environment,
        "PURGE_PROTECTION": "false",
        # Names of registries are taken all over Azure, and the local Azure has one with the page's name.
        "REGISTRY_ID": f"/subscriptions/{environment['AZURE_SUBSCRIPTION_ID']}{REGISTRY}",
    }


@pytest.fixture
def operator(deployer: Deployer) -> Deployer:
    """Give an operator who has what the page takes for granted: a registry, and the zone above the service's."""
    for namespace in ("Microsoft.ContainerRegistry", "Microsoft.Network"):
        deployer.call("POST", f"/providers/{namespace}/register", "2024-11-01")
        wait_for(lambda: deployer.registered(namespace), f"the registration of {namespace}")  # noqa: B023 - ends at once
    deployer.call("PUT", "/resourcegroups/aro-global", "2024-11-01", {"location": "eastus"})
    registry = {"location": "eastus", "sku": {"name": "Premium"}, "properties": {}}
    deployer.call("PUT", REGISTRY, "2023-07-01", registry)
    zone = "/resourceGroups/aro-global/providers/Microsoft.Network/dnsZones/aro.example.com"
    deployer.call("PUT", zone, "2018-05-01", {"location": "global"})
    return deployer


@pytest.mark.timeout(900)
@pytest.mark.skipif(not CLI.exists(), reason="the Azure CLI is not installed: run `make az`")
def test_the_service_is_deployed_used_updated_and_removed_by_the_page(
    platform: LocalAzure, environment: Json, operator: Deployer, rng: random.Random
) -> None:
    """Nothing is left of it. A cluster is created and deleted through ARM by the service that the page deployed."""
    before = operator.census()
    with Page(PAGE, environment, REPOSITORY) as page:
        for section in SECTIONS:
            page.run(section)
        customer = platform.prepared_customer(unique(rng))
        _, poller = begin_create(customer)
        assert poller.result().properties.provisioning_state == "Succeeded"
        page.run("Update")
        _, deletion = begin_delete(customer)
        deletion.result()
        page.run("Remove")
    assert operator.census() == before


def test_the_page_needs_no_other_tools_than_it_names() -> None:
    """A bare machine has them, or the page says how to get them."""
    told = PAGE.read_text(encoding="utf-8").partition("## Before you begin")[2].partition("```")[0]
    for tool in ("make", "curl", "openssl", "Azure CLI"):
        assert tool in told
        assert shutil.which(tool) or tool == "Azure CLI"
