"""The facts about kubeconfigs, manifests, machines, and the files beside them."""

import json
from typing import Any

import yaml

from tests.product.unit.installer import example
from tests.product.unit.installer.facts import facts
from tests.product.unit.installer.facts.certificate_facts import bundles
from tests.product.unit.installer.facts.comparisons import (
    ROOT,
    Fact,
    Section,
    all_paths,
    asset_path,
    boot_text,
    compare,
    decoded,
    document,
    made,
    place_of,
)
from tests.product.unit.installer.facts.facts import section


def kubeconfigs() -> Section:
    """Names, server, and the number of certificates that it trusts."""
    for fact in section("kubeconfigs"):
        holder, path = place_of(fact["path"])
        found = yaml.safe_load(boot_text(path) if holder == "bootstrap.ign" else made(asset_path(holder, path)))
        have = {
            "path": fact["path"],
            "apiVersion": found.get("apiVersion"),
            "kind": found.get("kind"),
            "current_context": found["current-context"],
            "top_keys": sorted(found),
            "clusters": [
                {
                    "name": each["name"],
                    "server": each["cluster"]["server"],
                    "fields": sorted(each["cluster"]),
                    "n_ca_certs": len(next(bundles(each["cluster"]["certificate-authority-data"]))),
                }
                for each in found["clusters"]
            ],
            "contexts": [{"name": each["name"], **each["context"]} for each in found["contexts"]],
            "users": [
                {
                    "name": each["name"],
                    "auth": "client-certificate" if "client-certificate-data" in each["user"] else "",
                    "fields": sorted(each["user"]),
                }
                for each in found["users"]
            ],
        }
        yield from compare(fact["path"], fact, have)


def manifests() -> Section:
    """API version, kind, name, namespace, labels, annotations, and all other facts about each."""
    wanted = set()
    for fact in section("manifests"):
        path = f"{fact['dir']}/{fact['file']}"
        wanted.add(path)
        yield from compare(path, fact, _object(path) | {"dir": fact["dir"], "file": fact["file"]})
    ours = {path for path in all_paths() if path.startswith(("manifests/", "openshift/"))}
    yield Fact("no object is one too many", wanted, ours)


def _object(path: str) -> dict[str, Any]:
    found = document(path)
    head = found["metadata"]
    return {
        **{name: found.get(name) for name in ("apiVersion", "kind", "spec", "status")},
        **{name: head.get(name) for name in ("name", "namespace", "labels", "annotations")},
        "secret_type": found.get("type"),
        "data_keys": sorted(found.get("data", {})),
        "top_keys": sorted(found),
    }


def machines() -> Section:
    """Name, labels, selector, replicas, and the provider's whole specification."""
    for fact in section("machines"):
        found = document(fact["file"].removeprefix(ROOT))
        spec = found["spec"]
        template = spec.get("template", found)
        have = _object(fact["file"].removeprefix(ROOT)) | {
            "file": fact["file"],
            "spec_keys": sorted(spec),
            "providerSpec": template["spec"]["providerSpec"]["value"],
            "replicas": spec.get("replicas"),
            "selector": spec.get("selector"),
            "template_labels": template["metadata"]["labels"],
        }
        yield from compare(fact["name"], fact, have)


def machine_configs() -> Section:
    """Who may log in to joined machines."""
    for fact in section("machineconfigs"):
        path = fact["file"].removeprefix(f"bootstrap.ign:{ROOT}")
        spec = document(path)["spec"]
        have = _object(path) | {
            "file": fact["file"],
            "spec_keys": sorted(spec),
            "ignition_version": spec["config"]["ignition"]["version"],
            "users": [user["name"] for user in spec["config"]["passwd"]["users"]],
            "files": spec["config"]["storage"].get("files", []),
            **{name: spec[name] for name in ("osImageURL", "fips", "kernelArguments")},
        }
        yield from compare(fact["name"], fact, have)


def user_data() -> Section:
    """Machines that are made later begin with the same configuration as the masters."""
    for fact in section("user_data_secrets"):
        path = fact["file"].removeprefix(f"bootstrap.ign:{ROOT}")
        data = document(path)["data"]
        pointer = made(f"{fact['name'].partition('-')[0]}.ign")
        have = _object(path) | {
            "file": fact["file"],
            "type": document(path)["type"],
            "disableTemplating": decoded(data["disableTemplating"]),
            "userData_equals_pointer_ign": decoded(data["userData"]) == pointer,
        }
        # Here the kind of the Secret is a fact; in nodes it is a name of the original's code.
        yield Fact(f"{fact['name']}: type", fact["type"], have["type"])
        yield from compare(fact["name"], fact, have)


def the_install_config() -> Section:
    """In the cluster it has no pull secret; the SSH key is the given one."""
    fact = facts.facts()["install_config"]
    found = yaml.safe_load(document("manifests/cluster-config.yaml")["data"]["install-config"])
    have = {"top_level_keys": sorted(found), "value": found}
    yield from compare("install-config", fact | {"value": fact["value"] | {"sshKey": example.SSH_KEY}}, have)


def cloud_provider() -> Section:
    """The settings, and their indentation."""
    config = document("manifests/cloud-provider-config.yaml")["data"]["config"]
    have = {"raw_indent": "tab" if config.startswith('{\n\t"cloud"') else "", "value": json.loads(config)}
    yield from compare("cloud-provider-config", facts.facts()["cloud_provider_config"], have)


def cloud_provider_secret() -> Section:
    """The principal's secret, separate from the settings."""
    data = document("manifests/aro-cloud-provider-secret.yaml")["data"]
    inner = {name: sorted(yaml.safe_load(decoded(text))) for name, text in data.items()}
    have = {"data_keys": sorted(data), "inner_keys": inner}
    yield from compare("azure-cloud-provider", facts.facts()["aro_cloud_provider_secret"], have)


def metadata() -> Section:
    """What somebody needs to find the cluster in Azure."""
    yield from compare("metadata.json", facts.facts()["metadata_json"], json.loads(made("metadata.json")))


def password() -> Section:
    """Four groups of five; the cluster holds its hash."""
    text = made("auth/kubeadmin-password")
    hashed = decoded(document("openshift/99_kubeadmin-password-secret.yaml")["data"]["kubeadmin"])
    groups = "-".join(str(len(group)) for group in text.split("-"))
    dashes = ",".join(str(place) for place, letter in enumerate(text) if letter == "-")
    have = {
        "length": len(text),
        "pattern": f"{groups} (dashes at {dashes})",
        "trailing_newline": text.endswith("\n"),
        "secret_hash_prefix": hashed[: len("$2a$10$")],
    }
    yield from compare("auth/kubeadmin-password", facts.facts()["kubeadmin_password"], have)
