"""Clusters through the commands that every Azure resource has: templates, `az resource`, `az rest`, `az group`."""

import json
from pathlib import Path

import pytest
from azure.mgmt.resource.resources import ResourceManagementClient

from demo.customer import Customer, register_provider
from shared.json_object import Json
from tests.e2e.deployer import CLI, REPOSITORY
from tests.e2e.terminal import Terminal, open_terminal, sign_in
from tests.local_azure import LocalAzure

TEMPLATE = REPOSITORY / "examples" / "2025-07-25" / "template.json"
TYPE = "Microsoft.RedHatOpenShift/openShiftClusters"
THIS = f"--resource-group {{group}} --resource-type {TYPE} --name {{name}}"
DEPLOYMENT = "--resource-group {group} --parameters @{home}/parameters.json"

pytestmark = [
    pytest.mark.slow(60),
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("templates-of-clusters"),
    pytest.mark.skipif(not CLI.exists(), reason="the Azure CLI is not installed: run `make az`"),
]


@pytest.fixture(scope="module")
def signed_in(azure: LocalAzure, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a CLI that has signed in."""
    return sign_in(azure, tmp_path_factory.mktemp("az"))


def _terminal(azure: LocalAzure, signed_in: Path, name: str, home: Path) -> Terminal:
    """Return the terminal of a customer who has an empty group, and the parameters of the template."""
    customer = azure.customer(name)
    register_provider(customer, lambda: None)
    groups = customer.client(ResourceManagementClient).resource_groups
    groups.create_or_update(customer.group, {"location": customer.endpoints["location"]})
    (home / "parameters.json").write_text(json.dumps({"parameters": _parameters(customer)}))
    return open_terminal(customer, signed_in, home)


def _parameters(customer: Customer) -> Json:
    principal = customer.principal
    values = {
        "cluster": customer.cluster,
        "clientId": principal["client_id"],
        "clientSecret": principal["client_secret"],
        "principals": [principal["object_id"], customer.endpoints["rp_object_id"]],
    }
    return {name: {"value": value} for name, value in values.items()}


def test_a_cluster_in_a_template_is_previewed_deployed_used_and_deleted(
    azure: LocalAzure, signed_in: Path, tmp_path: Path
) -> None:
    """The template makes network, roles and cluster at once, and a second deployment changes only what it says."""
    terminal = _terminal(azure, signed_in, "template", tmp_path)
    az, customer = terminal.az, terminal.customer
    deployment = f"{DEPLOYMENT} --template-file {TEMPLATE}"
    assert az("deployment group validate", deployment)["properties"]["provisioningState"] == "Succeeded"
    preview = az("deployment group what-if --no-pretty-print", deployment)
    assert _changes(preview)[customer.cluster_id] == "Create"
    assert set(_changes(preview).values()) == {"Create"}

    deployed = az("deployment group create --name first", deployment)["properties"]
    outputs = {name: output["value"] for name, output in deployed["outputs"].items()}
    assert outputs["apiServer"].startswith(f"https://api.{customer.cluster}.")
    assert outputs["console"].startswith("https://console-openshift-console.apps.")
    assert deployed["parameters"]["clientSecret"] == {"type": "SecureString"}
    shown = az("resource show", THIS)
    assert (shown["id"], shown["properties"]["provisioningState"]) == (customer.cluster_id, "Succeeded")
    older = az("resource show", THIS, "--api-version 2020-04-30")
    assert "encryptionAtHost" not in older["properties"]["masterProfile"]
    listed = az(f"resource list --resource-group {{group}} --resource-type {TYPE}")
    assert [each["id"] for each in listed] == [customer.cluster_id]
    url = f"{customer.cluster_id}/listCredentials?api-version=2025-07-25"
    assert az(f"rest --method post --url {url}")["kubeadminUsername"] == "kubeadmin"

    preview = az("deployment group what-if --no-pretty-print", deployment, '--parameters tags=\'{{"team":"red"}}\'')
    changes = _changes(preview)
    assert changes.pop(customer.cluster_id) == "Modify"
    assert set(changes.values()) == {"NoChange"}
    az("deployment group create --name second", deployment, '--parameters tags=\'{{"team":"red"}}\'')
    again = az("resource show", THIS)
    assert (again["tags"], again["properties"]) == ({"team": "red"}, shown["properties"])
    assert az("resource update", THIS, "--set tags.team=blue")["tags"] == {"team": "blue"}
    assert az("resource tag", THIS, "--tags cost=none")["tags"] == {"cost": "none"}
    body = json.dumps({"tags": {"by": "rest"}}).replace("{", "{{").replace("}", "}}")
    az(f"rest --method patch --url {customer.cluster_id}?api-version=2025-07-25 --body '{body}'")
    az("resource wait", THIS, "--updated --interval 1")
    assert az("resource show", THIS)["tags"] == {"by": "rest"}

    az("resource delete", THIS)
    assert az(f"resource list --resource-group {{group}} --resource-type {TYPE}") == []
    az("group delete --name {group} --yes")


def _changes(preview: Json) -> dict[str, str]:
    """Return what a preview says of each resource."""
    return {change["resourceId"]: change["changeType"] for change in preview["changes"]}


def test_a_template_that_the_service_would_refuse_deploys_nothing(
    azure: LocalAzure, signed_in: Path, tmp_path: Path
) -> None:
    """Validation, preview and deployment all say why, with the member of the cluster, before the network is made."""
    terminal = _terminal(azure, signed_in, "refused", tmp_path)
    template = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    template["resources"][-1]["properties"]["masterProfile"]["vmSize"] = "Standard_D1"
    template["resources"][-1]["properties"]["workerProfiles"][0]["count"] = 1
    (tmp_path / "wrong.json").write_text(json.dumps(template))
    for command in ("validate", "what-if", "create"):
        message = terminal.refused(f"deployment group {command}", DEPLOYMENT, "--template-file {home}/wrong.json")
        for told in ("InvalidTemplateDeployment", "InvalidParameter", "masterProfile.vmSize", "['worker'].count"):
            assert told in message, message
    assert terminal.az("resource list --resource-group {group}") == []
