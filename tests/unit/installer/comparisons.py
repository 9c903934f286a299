"""The facts against the example's graph, section by section: what is wanted, and what is there.

A fact is one member of one row. What is not compared stands in `LEFT_OUT`, with the reason.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from shared.installer import assets, cluster_id, graph
from shared.installer.certificates import BUNDLES, CERTIFICATES
from shared.installer.graph import Asset
from tests.unit.installer import example, facts
from tests.unit.installer.facts import section

ROOT = "/opt/openshift/"
# Certificates that are not of 2020: handed out to administrators since the service no longer shows the installer's.
NEWER = {"user-admin"}
_BASE64 = re.compile(r"[A-Za-z0-9+/\n]{100,}=*\s*")
_PLACE = re.compile(r"(?P<holder>[^:/]+)[:/](?P<path>.+?)(#\d+)?(\.(users|clusters|data)[.\[].*)?")
_DATA_URL = "data:text/plain;charset=utf-8;base64,"

LEFT_OUT = {
    "size": "ours are written by ourselves",
    "contents_size": "ours are written by ourselves",
    "media": "follows from the name",
    "fields": "told by `top_keys` and its like",
    "found_in": "says where the fact was measured",
    "pullSecret_value_kind": "the fact's own words; the value is compared",
    "sshKey_present": "the value is compared",
    "note": "the fact's own words",
    "type": "a name of the original's code",
    "writable": "a property of the original's store",
    "preset": "a property of the original's store",
    "template_meta_keys": "the labels are compared",
    "n_occurrences": "`occurrences` is compared",
}


class Fact(NamedTuple):
    """One member of one row of the facts."""

    name: str
    want: Any
    have: Any


Section = Iterator[Fact]


def compare(row: str, want: dict[str, Any], have: dict[str, Any]) -> Section:
    """Yield the facts of a row; a member that nobody compares is a miss."""
    for name, value in want.items():
        if name not in LEFT_OUT:
            yield Fact(f"{row}: {name}", value, have.get(name, "not compared"))


def made(path: str) -> str:
    """Return a file of the example."""
    return example.made().file(path)


def document(path: str) -> Any:
    """Return a file of the example as the object that it is."""
    return yaml.safe_load(made(path))


def decoded(text: str) -> str:
    """Return a value of a Secret."""
    return base64.b64decode(text).decode()


def all_paths() -> set[str]:
    """Return the paths of everything that is made."""
    given = {asset.name for asset in assets.GIVEN}
    return {path for name, content in example.made().contents.items() if name not in given for path in content}


@cache
def boot() -> Any:
    """Return the bootstrap ignition."""
    return json.loads(made("bootstrap.ign"))


def boot_files() -> dict[str, dict[str, Any]]:
    """Return its files by path."""
    return {file["path"]: file for file in boot()["storage"]["files"]}


def boot_text(path: str) -> str:
    """Return the text of one of them."""
    return decoded(boot_files()[path]["contents"]["source"].removeprefix(_DATA_URL))


# Certificates.


def chain(file: str) -> list[x509.Certificate]:
    """Return the certificates of a file."""
    return x509.load_pem_x509_certificates(made(f"tls/{file}.crt").encode())


def private_key(file: str) -> rsa.RSAPrivateKey:
    """Return a key, checked."""
    key = serialization.load_pem_private_key(made(f"tls/{file}.key").encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def file_of(fact: dict[str, Any]) -> str:
    """Return our file of a certificate of the facts, by where it occurs there."""
    for place in fact["occurrences"]:
        if found := re.fullmatch(r"tls\.\w+/tls/([\w-]+)(?<!-bundle)\.crt", place):
            return found[1]
    assert any(place.startswith("ARO-service-kubeconfig/") for place in fact["occurrences"])
    return "aro-service"


def certificates() -> Section:
    """Subject, issuer, usages, names, validity, criticality, identifiers, serial, and where each occurs."""
    for fact in section("unique_certs"):
        certificate = chain(file_of(fact))[0]
        issuers = [row.issuer for row in CERTIFICATES if row.file == file_of(fact)]
        signer = chain(issuers[0])[0] if issuers[0] else certificate
        have = properties(certificate) | {
            "issuer_found": certificate.issuer == signer.subject,
            "notBefore_equals_issuer_notBefore": certificate.not_valid_before_utc == signer.not_valid_before_utc,
            "occurrences": [place for place in fact["occurrences"] if certificate in certificates_at(place)],
        }
        yield from compare(file_of(fact), fact, have)
    ours = {row.file for row in CERTIFICATES} - NEWER
    yield Fact("no certificate is one too many", {file_of(fact) for fact in section("unique_certs")}, ours)


def properties(certificate: x509.Certificate) -> dict[str, Any]:
    """Return what the facts say of a certificate."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    constraints = extension(certificate, x509.BasicConstraints)
    usage = extension(certificate, x509.KeyUsage)
    extended = extension(certificate, x509.ExtendedKeyUsage)
    names = extension(certificate, x509.SubjectAlternativeName)
    purposes = {ExtendedKeyUsageOID.SERVER_AUTH: "serverAuth", ExtendedKeyUsageOID.CLIENT_AUTH: "clientAuth"}
    key = certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    assert begins == datetime.fromisoformat(example.NOW).astimezone(UTC)
    return {
        "subject": {
            "CN": values(certificate.subject, NameOID.COMMON_NAME)[0],
            "O": values(certificate.subject, NameOID.ORGANIZATION_NAME),
            "OU": values(certificate.subject, NameOID.ORGANIZATIONAL_UNIT_NAME),
        },
        "issuer_CN": values(certificate.issuer, NameOID.COMMON_NAME)[0],
        "issuer_OU": values(certificate.issuer, NameOID.ORGANIZATIONAL_UNIT_NAME),
        "self_signed": certificate.issuer == certificate.subject,
        "isCA": constraints.value.ca,
        "path_length": constraints.value.path_length,
        "basicConstraints_present": constraints is not None,
        "basicConstraints_critical": constraints.critical,
        "key": f"RSA-{key.key_size}",
        "sig_alg": certificate.signature_algorithm_oid._name,
        "validity_days": (ends - begins) / timedelta(days=1),
        "keyUsage": [
            name
            for name in ("digital_signature", "key_encipherment", "key_cert_sign", "crl_sign", "data_encipherment")
            if usage and getattr(usage.value, name)
        ],
        "keyUsage_critical": bool(usage and usage.critical),
        "extKeyUsage": [purposes[oid] for oid in extended.value] if extended else [],
        "extKeyUsage_critical": bool(extended and extended.critical),
        "SAN_dns": names.value.get_values_for_type(x509.DNSName) if names else [],
        "SAN_ip": [str(ip) for ip in names.value.get_values_for_type(x509.IPAddress)] if names else [],
        "SAN_critical": bool(names and names.critical),
        "has_SKI": extension(certificate, x509.SubjectKeyIdentifier) is not None,
        "has_AKI": extension(certificate, x509.AuthorityKeyIdentifier) is not None,
        "x509_version": certificate.version.name,
        "serial_bits_le_63": certificate.serial_number.bit_length() <= 63,
    }


def extension(certificate: x509.Certificate, kind: Any) -> Any:
    """Return an extension, or None."""
    try:
        return certificate.extensions.get_extension_for_class(kind)
    except x509.ExtensionNotFound:
        return None


def values(name: x509.Name, oid: x509.ObjectIdentifier) -> list[str]:
    """Return the values of a part of a name."""
    return [str(attribute.value) for attribute in name.get_attributes_for_oid(oid)]


def bundles(value: Any) -> Iterator[list[x509.Certificate]]:
    """Yield the certificates that stand together, wherever they are in an object."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from bundles(item)
    elif not isinstance(value, str):
        return
    elif value.startswith("-----BEGIN CERTIFICATE"):
        yield x509.load_pem_x509_certificates(value.encode())
    elif value.startswith("{"):
        yield from bundles(json.loads(value))
    elif value.startswith(_DATA_URL):
        yield from bundles(decoded(value.removeprefix(_DATA_URL)))
    elif _BASE64.fullmatch(value):
        yield from bundles(decoded(value))


def bundles_of(text: str) -> list[list[x509.Certificate]]:
    """Return those of a file."""
    return list(bundles(text if text.startswith("-----") else yaml.safe_load(text)))


def certificates_at(place: str) -> list[x509.Certificate]:
    """Return all certificates of a place: a file in an ignition, or an asset's."""
    holder, path = _place(place)
    text = boot_text(path) if holder == "bootstrap.ign" else made(asset_path(holder, path))
    return [certificate for found in bundles_of(text) for certificate in found]


def _place(place: str) -> tuple[str, str]:
    """Return ignition or asset, and the path in it, of `holder:path`, `holder/path#number` or `holder/path.member`."""
    found = _PLACE.fullmatch(place)
    assert found, place
    return found["holder"], found["path"]


def asset_path(asset: str, path: str) -> str:
    """Return our path of an asset's file. The original has several kubeconfigs of one name, each in its own place."""
    if asset in ("master.ign", "worker.ign"):
        return asset
    return "auth/external/kubeconfig" if (asset, path) == ("kubeconfig.AdminClient", "auth/kubeconfig") else path


def certificates_by_file() -> Section:
    """Bundles and chains, in their order, wherever the bootstrap ignition and the pointers have them."""
    wanted: dict[str, list[list[str]]] = {}
    for place, names in facts.facts()["certificates_by_file"].items():
        wanted.setdefault(place.split(" ")[0], []).append(names)
    for path, lists in wanted.items():
        text = boot_text(path) if path.startswith("/") else made(path.partition(":")[0])
        found = [[values(one.subject, NameOID.COMMON_NAME)[0] for one in bundle] for bundle in bundles_of(text)]
        yield Fact(path, sorted(lists), sorted(found))


def keys() -> Section:
    """How many there are, without those that are newer than the facts."""
    paths = {path for path in all_paths() if path.endswith(".key")} - {f"tls/{file}.key" for file in NEWER}
    distinct = len({made(path) for path in paths})
    # The service's own is made in this graph, and was made after that one.
    have = {"distinct_private_keys_seen": distinct, "generated_in_graph_counted": distinct - 1}
    yield from compare("rsa", facts.facts()["rsa"], have)


def public_keys() -> Section:
    """In the ignition and in the graph."""
    for place, _, kind in section("public_keys"):
        text = boot_text(place.partition(":")[2]) if ":" in place else made(place.partition("/")[2])
        yield Fact(place, kind, text.partition("-----BEGIN ")[2].partition("-----")[0])


# Ignition.


def ignition_files() -> Section:
    """Path, mode, whether it is added to what is there, which members it has, whether it is empty."""
    files, wanted = boot_files(), facts.facts()["ignition"]["bootstrap.ign"]["files"]
    for fact in wanted:
        file = files.get(fact["path"], {})
        empty = not decoded(file.get("contents", {}).get("source", "").removeprefix(_DATA_URL)) if file else None
        have = {
            "path": file.get("path"),
            "mode": f"{file.get('mode', 0):04o}",
            "append": file.get("append", False),
            "empty": empty,
            "json_keys": sorted(file.keys() - ({"append"} - set(fact["json_keys"]))),
        }
        yield from compare(fact["path"], {"empty": False} | fact, have)
    yield Fact("no file is one too many", set(), files.keys() - {fact["path"] for fact in wanted})


def ignition_units() -> Section:
    """Name, whether it is enabled or masked, its additions, its members."""
    units = {unit["name"]: unit for unit in boot()["systemd"].get("units", [])}
    wanted = facts.facts()["ignition"]["bootstrap.ign"]["units"]
    for fact in wanted:
        unit = units.get(fact["name"], {})
        have = {name: unit.get(name) for name in ("name", "enabled", "enable", "mask")} | {
            "dropins": [dropin["name"] for dropin in unit.get("dropins", [])],
            "has_contents": bool(unit.get("contents")),
            "keys": sorted(unit),
        }
        yield from compare(fact["name"], fact | {"dropins": [each["name"] for each in fact["dropins"]]}, have)
    yield Fact("no unit is one too many", set(), units.keys() - {fact["name"] for fact in wanted})


def ignition_heads() -> Section:
    """What stands above files and units in all three, and who may log in."""
    for name, fact in facts.facts()["ignition"].items():
        found = json.loads(made(name))
        users = found["passwd"].get("users", [])
        said = fact["ignition"]
        authorities = found["ignition"]["security"]["tls"].get("certificateAuthorities", [])
        yield Fact(f"{name}: version", said["version"], found["ignition"]["version"])
        yield Fact(f"{name}: timeouts", said["timeouts"], found["ignition"]["timeouts"])
        yield Fact(f"{name}: replace", said["replace"], found["ignition"]["config"].get("replace"))
        sources = [each["source"] for each in found["ignition"]["config"].get("append", [])]
        yield Fact(f"{name}: sources", said["append_sources"], sources)
        told = [
            {"source_prefix": each["source"].partition(",")[0], "verification": each["verification"]}
            for each in authorities
        ]
        yield Fact(f"{name}: authorities", said["tls_cas"], told)
        yield Fact(
            f"{name}: members", fact["top_level_keys"], {member: sorted(value) for member, value in found.items()}
        )
        have = [
            {"name": user["name"], "n_ssh_keys": len(user["sshAuthorizedKeys"]), "keys": sorted(user)} for user in users
        ]
        yield Fact(f"{name}: users", fact["users"], have)


# Kubeconfigs, objects, machines.


def kubeconfigs() -> Section:
    """Names, server, how many certificates it trusts."""
    for fact in section("kubeconfigs"):
        holder, path = _place(fact["path"])
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
    """API version, kind, name, namespace, labels, annotations, and whatever else the facts say of each."""
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
    """Who may log in to machines that joined."""
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
    """What a machine made later begins with is what the masters began with."""
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
        # Here the kind of the Secret is a fact, which in nodes is a name of the original's code.
        yield Fact(f"{fact['name']}: type", fact["type"], have["type"])
        yield from compare(fact["name"], fact, have)


def the_install_config() -> Section:
    """In the cluster it has no pull secret; the SSH key is the one that was given."""
    fact = facts.facts()["install_config"]
    found = yaml.safe_load(document("manifests/cluster-config.yaml")["data"]["install-config"])
    have = {"top_level_keys": sorted(found), "value": found}
    yield from compare("install-config", fact | {"value": fact["value"] | {"sshKey": example.SSH_KEY}}, have)


def cloud_provider() -> Section:
    """The settings, and how they are indented."""
    config = document("manifests/cloud-provider-config.yaml")["data"]["config"]
    have = {"raw_indent": "tab" if config.startswith('{\n\t"cloud"') else "", "value": json.loads(config)}
    yield from compare("cloud-provider-config", facts.facts()["cloud_provider_config"], have)


def cloud_provider_secret() -> Section:
    """The principal's secret, apart from them."""
    data = document("manifests/aro-cloud-provider-secret.yaml")["data"]
    inner = {name: sorted(yaml.safe_load(decoded(text))) for name, text in data.items()}
    have = {"data_keys": sorted(data), "inner_keys": inner}
    yield from compare("azure-cloud-provider", facts.facts()["aro_cloud_provider_secret"], have)


def metadata() -> Section:
    """What somebody needs in order to find the cluster in Azure."""
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


# The graph itself.

_GIVEN = {
    "*installconfig.InstallConfig": "install-config",
    "*installconfig.PlatformCreds": "platform-credentials",
    "*installconfig.ClusterID": "cluster-id",
    "*releaseimage.Image": "release-image",
}
# What has no counterpart here, and why.
_TEMPLATES = "manifests are functions here: there are no templates to make first"
_TERRAFORM = "Azure is told what to make by templates of its own, not by Terraform"
_WITHOUT = {
    "*installconfig.PlatformCredsCheck": "the service has checked the principal before",
    "*rhcos.Image": "the image stands in the install-config",
    "*rhcos.BootstrapImage": "the image stands in the install-config",
    "*manifests.AdditionalTrustBundleConfig": "no proxy, so no bundle",
    "*cluster.TerraformVariables": _TERRAFORM,
}
_BUNDLES = {f"tls/{name}": signers for name, signers in BUNDLES.items()}
# Dependencies that change nothing in what is made.
_NOT_NEEDED = {
    ("*machines.Master", "*installconfig.PlatformCreds"): "the zones are given: Azure is not asked for them",
    ("*machines.Worker", "*installconfig.PlatformCreds"): "the zones are given: Azure is not asked for them",
    ("*manifests.DNS", "*installconfig.ClusterID"): "it finds the zones by the cluster's domain",
    ("*manifests.Proxy", "*installconfig.InstallConfig"): "without a proxy it is always the same",
    ("*manifests.Proxy", "*manifests.Networking"): "without a proxy it is always the same",
    ("*manifests.Scheduler", "*installconfig.InstallConfig"): "there are always workers, so it is always the same",
    ("*manifests.Infrastructure", "*manifests.CloudProviderConfig"): "it names the object, and does not read it",
}


def _is_without(path: str) -> bool:
    return path.startswith(("templates/", "terraform"))


def nodes() -> Section:
    """Every file of every node has its asset here, and every dependency leads from one asset to the other."""
    by_type = {node["type"]: node for node in section("asset_nodes")}
    for kind, node in by_type.items():
        ours = _assets(node)
        if kind in _GIVEN or kind in _WITHOUT or (not ours and all(_is_without(path) for path in node["files"])):
            continue
        yield Fact(f"{kind}: files", [path for path in node["files"] if not _is_without(path)], _made_by(kind, node))
        reached = set(graph.needed(assets.ASSETS, [asset.name for asset in ours]))
        for wanted in node["dependencies"]:
            if wanted in _WITHOUT or (kind, wanted) in _NOT_NEEDED:
                continue
            names = {_GIVEN[wanted]} if wanted in _GIVEN else {asset.name for asset in _assets(by_type.get(wanted))}
            if all(asset.name in _BUNDLES for asset in ours):
                # A bundle is made from signers here, and from bundles of one there.
                names = {f"tls/{_BUNDLES[name][0]}" if name in _BUNDLES else name for name in names}
            yield Fact(f"{kind} is made from {wanted}", set(), names - reached)


def _assets(node: dict[str, Any] | None) -> list[Asset]:
    if node is None:
        return []
    paths = [asset_path(node["type"].removeprefix("*"), path) for path in node["files"] if not _is_without(path)]
    return [assets.asset_of(path) for path in paths if path in all_paths()]


def _made_by(kind: str, node: dict[str, Any]) -> list[str]:
    return [path for path in node["files"] if asset_path(kind.removeprefix("*"), path) in all_paths()]


def outside_the_bootstrap() -> Section:
    """Files that the graph makes and the bootstrap machine does not get."""
    kept_back = {path.removeprefix(ROOT) for path in boot_files()}
    for fact in section("asset_files_not_in_bootstrap"):
        if _is_without(fact["file"]):
            continue
        path = fact["file"]
        yield Fact(path, (True, False), (path in all_paths(), path in kept_back))


def infra_id() -> Section:
    """The form of the name that everything in Azure begins with."""
    yield Fact("infraID_form", facts.facts()["infraID_form"], f"cluster-<5 of {cluster_id.ALPHABET}>")


SECTIONS: dict[str, Callable[[], Section]] = {
    "ignition, files": ignition_files,
    "ignition, units": ignition_units,
    "ignition, heads": ignition_heads,
    "unique_certs": certificates,
    "kubeconfigs": kubeconfigs,
    "manifests": manifests,
    "machines": machines,
    "machineconfigs": machine_configs,
    "user_data_secrets": user_data,
    "install_config": the_install_config,
    "cloud_provider_config": cloud_provider,
    "aro_cloud_provider_secret": cloud_provider_secret,
    "metadata_json": metadata,
    "kubeadmin_password": password,
    "rsa": keys,
    "infraID_form": infra_id,
    "asset_files_not_in_bootstrap": outside_the_bootstrap,
    "public_keys": public_keys,
    "asset_nodes": nodes,
    "certificates_by_file": certificates_by_file,
}
