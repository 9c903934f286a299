"""Preflight of templates: as Azure Resource Manager asks for it, and as people who deploy templates see it."""

import copy
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.deployments.models import (
    Deployment,
    DeploymentProperties,
    DeploymentWhatIf,
    DeploymentWhatIfProperties,
)
from azure.mgmt.resource.resources import ResourceManagementClient

from demo.customer import Customer, register_provider
from shared.json_object import Json
from tests.examples import example
from tests.local_azure import LocalAzure, wait_for
from tests.product.integration.contract.provider import NEW, OLD, PROVIDER, SECRET, VERSION, Provider

TYPE = f"{PROVIDER.removeprefix('/providers/')}/openShiftClusters"
SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
VNET = "resourceId('Microsoft.Network/virtualNetworks', 'vnet')"
PASSED = {"status": "Succeeded"}


def ask(provider: Provider, content: Any, version: str = NEW, **more: Any) -> Any:
    """Ask for a preflight as Azure Resource Manager; return the answer's body."""
    path = f"{provider.subscription}/resourceGroups/Group{PROVIDER}/deployments/d1/preflight"
    answer = provider.send("POST", path, version=version, **({"json": content} if content is not None else {}), **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def in_template(body: Json, name: str = "c1", version: str = NEW) -> Json:
    """Return a cluster as a template has it."""
    return {"type": TYPE, "apiVersion": version, "name": name} | copy.deepcopy(body)


def test_a_template_of_several_versions_passes_or_fails_as_its_puts_would(provider: Provider) -> None:
    """Each cluster counts with its own api-version, and each one that would be refused is named."""
    good = provider.body("preflight")
    old = example(
        f"{OLD}/create.json",
        SUBSCRIPTION_ID=provider.subscription_id,
        LOCATION=provider.azure.endpoints["location"],
        RESOURCE_GROUP="network",
        VNET="vnet",
        CLUSTER="older",
        CLIENT_ID=str(uuid.uuid4()),
        CLIENT_SECRET=SECRET,
        OPENSHIFT_VERSION=VERSION,
    )
    assert ask(provider, {"resources": [in_template(good), in_template(old, "older", OLD)]}) == PASSED
    wrong = in_template(good)
    wrong["properties"]["masterProfile"]["vmSize"] = "Standard_D1"
    told = ask(provider, {"resources": [in_template(old, "older", OLD), wrong, in_template(good, "c2", "2031-01-01")]})
    assert told["status"] == "Failed"
    assert [(detail["target"], detail["code"]) for detail in told["error"]["details"]] == [
        (provider.cluster("c1"), "InvalidParameter"),
        (provider.cluster("c2"), "InvalidResourceType"),
    ]
    assert provider.send("GET", provider.list_path).json()["value"] == []


@pytest.mark.parametrize("raw", [b"{", b"\xff\xfe", b"[1]", b'{"resources": [1]}', b" " * 1_048_577])
def test_any_body_is_answered_with_200(provider: Provider, raw: bytes) -> None:
    """Also one that cannot be read."""
    told = ask(provider, None, data=raw, headers={"Content-Type": "application/json"})
    assert (told["status"], told["error"]["code"].startswith("Invalid")) == ("Failed", True)


def test_a_hundred_clusters_are_checked_at_once(provider: Provider) -> None:
    """Within the time of one request."""
    resources = [in_template(provider.body("many"), f"c{number}") for number in range(100)]
    assert ask(provider, {"resources": resources}) == PASSED
    for resource in resources:
        resource["properties"]["networkProfile"]["podCidr"] = "x"
    assert len(ask(provider, {"resources": resources})["error"]["details"]) == 100


def test_a_cluster_that_exists_is_compared(provider: Provider) -> None:
    """While it is created, and after its creation has failed."""
    body = provider.body("existing")
    assert provider.send("PUT", provider.cluster("existing"), json=body).status_code == 201
    other = copy.deepcopy(body)
    other["properties"]["clusterProfile"]["domain"] = "other"
    assert ask(provider, {"resources": [in_template(body, "existing")]}) == PASSED
    assert ask(provider, {"resources": [in_template(other, "existing")]})["status"] == "Failed"

    def state() -> str:
        found = provider.send("GET", provider.cluster("existing")).json()["properties"]["provisioningState"]
        return str(found)

    wait_for(lambda: state() == "Failed", "the failure of the creation")
    assert ask(provider, {"resources": [in_template(body, "existing")]}) == PASSED
    assert ask(provider, {"resources": [in_template(other, "existing")]})["error"]["code"] == "RequestNotAllowed"
    assert provider.send("DELETE", provider.cluster("existing")).status_code == 202


@pytest.mark.parametrize("certificate", ["admin_client", "wrong_client"])
def test_only_azure_resource_manager_asks(provider: Provider, certificate: str) -> None:
    """Whoever the others are."""
    path = f"{provider.subscription}/resourceGroups/Group{PROVIDER}/deployments/d1/preflight"
    assert provider.send("POST", path, certificate=certificate, json={}).status_code == 403


@dataclass(frozen=True)
class Templates:
    """A group of the customer, and the SDK's operations on its deployments."""

    customer: Customer

    @property
    def operations(self) -> Any:
        """The SDK's operations."""
        return self.customer.client(DeploymentsMgmtClient).deployments

    def cluster(self, **profile: str) -> Json:
        """Return a cluster for a template, with members of its cluster profile; its subnets are known to ARM alone."""
        body: Json = example(
            f"{NEW}/create.json",
            SUBSCRIPTION_ID=self.customer.subscription_id,
            LOCATION=self.customer.endpoints["location"],
            RESOURCE_GROUP=self.customer.group,
            VNET="vnet",
            CLUSTER=self.customer.cluster,
            CLIENT_ID=str(uuid.uuid4()),
            CLIENT_SECRET=SECRET,
            OPENSHIFT_VERSION=VERSION,
        )
        body["properties"]["clusterProfile"] |= profile
        body["properties"]["masterProfile"]["subnetId"] = f"[reference({VNET}, '2022-01-01').subnets[0].id]"
        return in_template(body, "[parameters('cluster')]") | {"location": "[resourceGroup().location]"}

    def template(self, *resources: Json) -> Json:
        """Return a template."""
        default = {"type": "string", "defaultValue": self.customer.cluster}
        return {
            "$schema": SCHEMA,
            "contentVersion": "1.0.0.0",
            "parameters": {"cluster": default},
            "resources": [*resources],
        }

    def ways(self, template: Json) -> Iterator[Callable[[], Any]]:
        """Yield validate, what-if and create of a template."""
        group, properties = self.customer.group, {"mode": "Incremental", "template": template}
        body = Deployment(properties=DeploymentProperties(**cast("Any", properties)))
        preview = DeploymentWhatIf(properties=DeploymentWhatIfProperties(**cast("Any", properties)))
        yield lambda: self.operations.begin_validate(group, "d", body).result()
        yield lambda: self.operations.begin_what_if(group, "d", preview).result()
        yield lambda: self.operations.begin_create_or_update(group, "d", body).result()


@pytest.fixture(scope="module")
def templates(azure: LocalAzure) -> Templates:
    """Give a group in the customer's subscription."""
    name = f"preflight{uuid.uuid4().hex[:8]}"
    customer = Customer(azure.endpoints, group=f"group-{name}", cluster=name, options=azure.client_options)
    registered = customer.client(ResourceManagementClient)
    register_provider(customer, lambda: None)
    registered.resource_groups.create_or_update(customer.group, {"location": azure.endpoints["location"]})
    return Templates(customer)


def refusal(way: Callable[[], Any]) -> Json:
    """Return the error of a call, or of the operation that it began."""
    try:
        told = way().as_dict()
    except HttpResponseError as refused:
        told = json.loads(cast("Any", refused.response).text())
    error: Json = told["error"]
    return error


@pytest.mark.parametrize("nested", [False, True], ids=["in the template", "in a nested one"])
def test_a_wrong_cluster_stops_a_template_before_anything_is_deployed(templates: Templates, nested: bool) -> None:
    """Validate, what-if and create tell the resource provider's error, in Azure Resource Manager's words."""
    wrong = templates.cluster(version="4.1.1", domain="-")
    nsg = {"type": "Microsoft.Network/networkSecurityGroups", "apiVersion": "2022-01-01", "name": "nsg"}
    if nested:
        child = {"mode": "Incremental", "template": templates.template(wrong)}
        wrong = {"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "child"}
        wrong |= {"properties": child}
    template = templates.template(nsg | {"location": "[resourceGroup().location]"}, wrong)
    for way in templates.ways(template):
        error = refusal(way)
        assert error["code"] == "InvalidTemplateDeployment"
        assert "'d' is not valid according to the validation procedure" in error["message"]
        (inner,) = error["details"]
        assert {failure["target"] for failure in inner["details"]} == {
            "properties.clusterProfile.domain",
            "properties.clusterProfile.version",
        }
    group = templates.customer.group
    assert list(templates.operations.list_by_resource_group(group)) == []
    assert list(templates.customer.client(ResourceManagementClient).resources.list_by_resource_group(group)) == []


def test_a_cluster_with_values_that_only_the_deployment_knows_is_valid(templates: Templates) -> None:
    """What the subnets are is not known before their network exists."""
    validate, what_if, _ = templates.ways(templates.template(templates.cluster()))
    assert validate().properties.provisioning_state == "Succeeded"
    assert [change.change_type for change in what_if().changes] == ["Create"]
