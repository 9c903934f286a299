"""The fields that differ from what the program makes: these and no others, and in agreement with our templates."""

import base64
import copy
import json
from fnmatch import fnmatch
from typing import Any

import pytest
import yaml

from installer import manifest_yaml
from installer.back_end_errors import InstallerError
from installer.graph import Content
from installer.openshift_install import fields
from shared.azure import templates
from tests.product.unit.installer import example
from tools.openshift_install import cluster_objects

MACHINES = "openshift/99_openshift-cluster-api_"
MASTER_SET = "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml"
POINTER = '{"ignition":{"version":"3.2.0"}}'
INFRA_ID = "cluster-shf9t"
GROUP = f"/subscriptions/{example.SUBSCRIPTION}/resourceGroups/images"
IMAGE_PATH = "/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"


def given(version: str = "4.19.24", **properties: Any) -> dict[str, Content]:
    """Return the inputs of a graph for a cluster with other properties."""
    return example.given(example.cluster(**properties), version=version, spec="3.2.0", installer="openshift-install")


def programs_own(known: dict[str, Content]) -> dict[str, str]:
    """Return what the program makes, which reads Azure as somebody else, in another mode."""
    reader = known["platform-credentials"] | {"clientId": "", "clientSecret": ""}
    config = known["install-config"] | {"credentialsMode": "Manual"}
    theirs = known | {"platform-credentials": reader, "install-config": config}
    made = {path: str(text) for path, text in cluster_objects.make(theirs).items()}
    for role in ("master", "worker"):
        data = {"userData": POINTER, "disableTemplating": "true\n"}
        secret = manifest_yaml.secret(f"{role}-user-data", "openshift-machine-api", data)
        made[f"{MACHINES}{role}-user-data-secret.yaml"] = manifest_yaml.to_yaml(secret)
    return made


def changed(known: dict[str, Content]) -> dict[str, Any]:
    """Return the objects that the cluster gets, by path."""
    made = programs_own(known)
    return {
        path: yaml.safe_load(text) for path, text in (made | fields.added(known) | fields.change(made, known)).items()
    }


def described(objects: dict[str, Any]) -> list[Any]:
    """Return the description of each machine, the masters' first, then their set's, then the workers'."""
    found = []
    for pattern, path in fields._OF_ALL:
        for name in sorted(objects):
            if fnmatch(name, pattern):
                value = objects[name]
                for part in path.split("."):
                    value = value[part]
                found.append(value)
    return found


def without(document: Any, field: fields.Field) -> None:
    """Take a field out of a document."""
    *parents, last = field.path.split(".")
    for name in parents:
        document = document[name]
    if field.inside:
        inner = json.loads(document[last])
        inner.pop(field.inside, None)
        document[last] = json.dumps(inner)
    else:
        document.pop(last, None)


@pytest.mark.parametrize("version", ["4.16.40", "4.18.34", "4.19.24"])
def test_only_the_fields_of_the_rows_differ_from_what_the_program_makes(version: str) -> None:
    """Everything else in its documents is its own."""
    known = given(version)
    before = {path: yaml.safe_load(text) for path, text in programs_own(known).items()}
    after = changed(known)
    assert after.keys() - before.keys() == fields.added(known).keys()
    after = {path: document for path, document in after.items() if path in before}
    assert before != after
    for path, document in [*before.items(), *after.items()]:
        for field in fields.FIELDS:
            if fnmatch(path, field.files):
                without(document, field)
    assert before == after


def test_a_document_that_is_as_it_should_be_stays_as_it_was_written() -> None:
    """Byte for byte: nobody has to ask why its form has changed."""
    known = given()
    assert not [path for path in fields.change(programs_own(known), known) if "user-data" in path or "worker" in path]


@pytest.mark.parametrize("version", ["4.16.40", "4.19.24"])
@pytest.mark.parametrize("outbound", ["Loadbalancer", "UserDefinedRouting"])
@pytest.mark.parametrize("zones", [["1", "2", "3"], []], ids=["zones", "no zones"])
def test_the_set_of_the_masters_describes_the_masters(version: str, outbound: str, zones: list[str]) -> None:
    """Otherwise the cluster would replace them, one by one."""
    network = example.CLUSTER["properties"]["networkProfile"] | {"outboundType": outbound}
    objects = changed(given(version, networkProfile=network, zones=zones))
    *masters, of_set = described(objects)[:4]
    domains = objects[MASTER_SET]["spec"]["template"]["machines_v1beta1_machine_openshift_io"].get("failureDomains")
    assert [row["zone"] for row in (domains or {"azure": []})["azure"]] == zones
    for master in masters:
        assert {name: value for name, value in master.items() if name != "zone"} == of_set


def test_masters_are_described_as_our_templates_make_them() -> None:
    """Load balancers, network interface, disk, logs, and no identity."""
    variables = templates.load("network")["variables"]
    names = {
        name: variables[name].replace("[concat(variables('infraId'), '", INFRA_ID).removesuffix("')]")
        for name in ("internalLoadBalancer", "publicLoadBalancer")
    }
    machines = {each["name"]: each for each in templates.load("machines")["resources"]}
    template = next(machine for name, machine in machines.items() if "-master-" in name)["properties"]
    disk = template["storageProfile"]["osDisk"]
    interface = next(
        each for each in templates.load("network")["resources"] if "-master" in each["name"] and "-nic" in each["name"]
    )
    for master in described(changed(given("4.18.34")))[:4]:
        assert {name: master[name] for name in names} == names
        assert master.get("acceleratedNetworking", False) == interface["properties"].get(
            "enableAcceleratedNetworking", False
        )
        assert master["osDisk"]["diskSizeGB"] == disk["diskSizeGB"]
        assert master["osDisk"]["managedDisk"]["storageAccountType"] == "Premium_LRS"
        assert "storageUri" in template["diagnosticsProfile"]["bootDiagnostics"]
        boot = master["diagnostics"]["boot"]
        assert boot["storageAccountType"] == "CustomerManaged"
        assert boot["customerManaged"] == {"storageAccountURI": "https://clusterabcde.blob.core.windows.net/"}
        assert "managedIdentity" not in master
        assert master["apiVersion"] == "machine.openshift.io/v1beta1"


def test_machines_with_routes_of_their_own_have_no_public_load_balancer() -> None:
    """Neither has our template."""
    network = example.CLUSTER["properties"]["networkProfile"] | {"outboundType": "UserDefinedRouting"}
    assert not [
        machine for machine in described(changed(given(networkProfile=network))) if "publicLoadBalancer" in machine
    ]


def test_workers_keep_the_load_balancer_that_is_their_way_out() -> None:
    """It has the infra id as its name, by the program as by our template."""
    for worker in described(changed(given()))[4:]:
        assert worker["publicLoadBalancer"] == INFRA_ID
        assert "internalLoadBalancer" not in worker


def test_an_image_with_a_resource_id_is_laid_into_every_machine() -> None:
    """Without its subscription, which the machine API puts in front of it."""
    known = given()
    config = copy.deepcopy(known["install-config"])
    for pool in (config["controlPlane"], *config["compute"]):
        del pool["platform"]["azure"]["osImage"]
    release = known["release-image"] | {"machineImage": {"id": f"{GROUP}{IMAGE_PATH}"}}
    found = described(changed(known | {"install-config": config, "release-image": release}))
    want = {"offer": "", "publisher": "", "resourceID": f"/resourceGroups/images{IMAGE_PATH}", "sku": "", "version": ""}
    assert [machine["image"] for machine in found] == [want] * 7


def test_a_marketplace_image_stays_as_the_program_writes_it() -> None:
    """With the type that says whether it has a plan."""
    (image,) = {json.dumps(machine["image"], sort_keys=True) for machine in described(changed(given()))}
    assert json.loads(image) == example.IMAGE | {"resourceID": "", "type": "MarketplaceNoPlan"}


def test_the_cluster_acts_as_its_own_principal() -> None:
    """The program leaves its Secret out, because it read Azure without one."""
    assert "openshift/99_cloud-creds-secret.yaml" not in programs_own(given())
    data = changed(given())["openshift/99_cloud-creds-secret.yaml"]["data"]
    decoded = {name: base64.b64decode(value).decode() for name, value in data.items()}
    principal = given()["platform-credentials"]
    assert decoded["azure_client_id"] == principal["clientId"]
    assert decoded["azure_client_secret"] == principal["clientSecret"]
    assert decoded["azure_resourcegroup"] == "aro-cluster"
    config = changed(given())["manifests/cluster-config.yaml"]["data"]["install-config"]
    assert yaml.safe_load(config)["credentialsMode"] == "Passthrough"


def test_a_cluster_that_has_no_secret_gets_none() -> None:
    """Its operators act as identities of their own, whose files and whose issuer's the program does not know."""
    known = example.given_identities(installer="openshift-install")
    assert fields.added(known).keys() == {
        "tls/bound-service-account-signing-key.key",
        "tls/bound-service-account-signing-key.pub",
        "manifests/cluster-authentication-02-config.yaml",
        "manifests/azure-ad-pod-identity-webhook-config.yaml",
        *(f"manifests/{namespace}-{name}-credentials.yaml" for namespace, name, _ in example.SECRETS),
    }
    assert not fields.added(known).keys() & programs_own(known).keys()
    assert "manifests/cluster-config.yaml" not in fields.change(programs_own(known), known)


@pytest.mark.parametrize("version", ["4.18.34", "4.19.24"])
def test_the_clouds_settings_name_what_our_templates_make(version: str) -> None:
    """The security group of the workers, balancers of their own for masters, and no identity."""
    text = changed(given(version))["manifests/cloud-provider-config.yaml"]["data"]["config"]
    settings = json.loads(text)
    assert settings["securityGroupName"] == f"{INFRA_ID}-node-nsg"
    assert settings["excludeMasterFromStandardLB"] is True
    assert settings["useManagedIdentityExtension"] is False
    assert text.endswith("}\n")


def test_the_cluster_writes_no_public_records() -> None:
    """The private zone is named as the program names it."""
    spec = changed(given())["manifests/cluster-dns-02-config.yml"]["spec"]
    assert "publicZone" not in spec
    assert spec["privateZone"]["id"].endswith(
        f"/resourceGroups/aro-cluster/providers/Microsoft.Network/privateDnsZones/{example.DOMAIN}"
    )


def test_every_row_needs_its_document() -> None:
    """A program that has given a file another name would make a cluster that differs unnoticed."""
    known = given()
    for field in fields.FIELDS:
        made = {path: text for path, text in programs_own(known).items() if not fnmatch(path, field.files)}
        with pytest.raises(InstallerError) as caught:
            fields.change(made, known)
        assert caught.value.step == "adjust manifests"
        assert "openshift-install has made no" in caught.value.cause


@pytest.mark.parametrize("text", ["[]", "a: [", "kind: DNS\nspec: x\n"], ids=["a list", "no YAML", "no place"])
def test_a_document_of_another_form_is_named(text: str) -> None:
    """With the fields that it should have had."""
    known, path = given(), "manifests/cluster-dns-02-config.yml"
    with pytest.raises(InstallerError, match=r"has another form than expected: spec\.publicZone"):
        fields.change(programs_own(known) | {path: text}, known)
