"""The emulated bootstrap machine's verdict on the product's ignition: unchanged, without each part, and broken."""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from emulator.openshift.boot import checks, host_system
from emulator.openshift.boot.checks import Problem, problems
from emulator.openshift.boot.ignition import File
from emulator.openshift.boot.installation import Installation
from installer import pki
from installer.assets import install_certificates
from tests.product.unit.installer import example
from tests.product.unit.installer.bootstrap import boot_reasons, bootstrap_machine
from tests.product.unit.installer.bootstrap.boot_reasons import reason, said_as
from tests.product.unit.installer.bootstrap.bootstrap_machine import IDS
from tests.product.unit.installer.bootstrap.machine import known

SKUS = {"A": "aro_43", "T": "aro_45", "B": "aro_47", "C": "aro_419"}
NOW = dt.datetime.fromisoformat(example.NOW) + dt.timedelta(minutes=5)
TLS = "/opt/openshift/tls/"


@cache
def whole(flavour: str) -> Installation:
    """Return the product's bootstrap machine of a flavour."""
    return Installation.read([json.dumps(bootstrap_machine.ignition(flavour))], SKUS[flavour])


def changed(machine: Installation, file: File) -> Installation:
    """Return a machine with another file."""
    return replace(machine, files={**machine.files, file.path: file})


def saying(machine: Installation, path: str, text: str, mode: int = 0o600) -> Installation:
    """Return a machine with another text in a file."""
    return changed(machine, File(path if path.startswith("/") else f"/opt/openshift/{path}", mode, text.encode()))


def replacing(machine: Installation, path: str, old: str, new: str) -> Installation:
    """Return a machine in one of whose files something is replaced."""
    text = machine.text(path)
    assert old in text
    return saying(machine, path, text.replace(old, new, 1))


def without(machine: Installation, name: str) -> Installation:
    """Return a machine without a file or a unit."""
    return replace(
        machine,
        files={path: file for path, file in machine.files.items() if path != name},
        units={unit: text for unit, text in machine.units.items() if unit != name},
    )


def said(machine: Installation, now: dt.datetime = NOW) -> str:
    """Return all problems that a machine would meet, a line for each."""
    return "\n".join(f"{stage}: {message}" for stage, message in problems(machine, now))


@pytest.mark.parametrize("flavour", IDS)
def test_a_machine_boots_from_the_ignition_as_it_is(flavour: str) -> None:
    """Nothing is missing, and nothing is wrong."""
    assert said(whole(flavour)) == ""


@pytest.mark.parametrize("minor", [8, 9, 10, 12, 13, 14, 15, 16, 18, 20, 21])
def test_a_machine_of_each_release_with_another_script_boots(minor: int) -> None:
    """Their programs differ in the arguments that they demand, and in what they write."""
    given = known("C", f"4.{minor}.1")
    given["release-image"]["ignitionVersion"] = "3.1.0" if minor < 9 else "3.2.0"
    given["release-image"]["pullspec"] = f"quay.io/openshift-release-dev/ocp-release:4.{minor}.1-x86_64"
    machine = Installation.read([example.remade(given).file("bootstrap.ign")], f"aro_4{minor}")
    assert machine.minor == minor
    assert said(machine) == ""


BOOTKUBE = "/usr/local/bin/bootkube.sh"
OPERAND = '        "--operand-kubernetes-version=${KUBERNETES_VERSION}"\n'
CONFIG_DONE = "    touch config-bootstrap.done\n"
COPY = "    copy config-bootstrap/manifests/* manifests/\n"


@pytest.mark.parametrize(
    ("old", "new", "want_stage", "want_message"),
    [
        (
            CONFIG_DONE,
            COPY + CONFIG_DONE,
            "config-bootstrap",
            "cp: cannot stat 'config-bootstrap/manifests/*': No such file or directory",
        ),
        (
            OPERAND,
            "",
            "kube-apiserver-bootstrap",
            "cluster-kube-apiserver-operator render: missing required flag: --operand-kubernetes-version",
        ),
    ],
    ids=["a copy of objects that the operator does not write", "an API server of an unknown version"],
)
def test_the_lines_that_4_19_does_not_take_are_named(old: str, new: str, want_stage: str, want_message: str) -> None:
    """The programs of that release stopped at both of them, and so did this script, before it was mended."""
    machine = replacing(whole("C"), BOOTKUBE, old, new)
    (found,) = problems(changed(machine, replace(machine.files[BOOTKUBE], mode=0o555)), NOW)
    assert found == (want_stage, f"{want_stage}: {want_message}")


@pytest.mark.parametrize("flavour", IDS)
def test_each_file_and_unit_is_missed_by_name_or_not_needed_for_a_reason(flavour: str) -> None:
    """Each is removed in turn; the test reports those that are in neither table, or in both."""
    machine = whole(flavour)
    wrong = []
    for name in (*machine.files, *machine.units):
        told, why = said(without(machine, name)), reason(boot_reasons.MAY_BE_MISSING, name, flavour)
        if why and told:
            wrong.append(f"{name} is needed, whatever is said of it: {told}")
        elif not why and said_as(name) not in told:
            wrong.append(f"{name} is not missed by name: {told or 'nothing is'}")
    assert wrong == []


def garbled(machine: Installation, file: File) -> File:
    """Return a file with other content of its kind, or with half of its content."""
    spare = f"{TLS}{'etcd-client' if 'journal-gatewayd' in file.path else 'journal-gatewayd'}"
    if file.path.endswith(".crt"):
        return replace(file, content=machine.files[f"{spare}.crt"].content)
    if file.path.endswith((".key", ".pub")):
        return replace(file, content=machine.files[f"{spare}.key"].content)
    if "/bin/" in file.path:
        return replace(file, content=b"")
    return replace(file, content=file.content[: len(file.content) // 2])


@pytest.mark.parametrize("flavour", IDS)
def test_each_file_that_is_wrong_is_named_or_does_not_matter_for_a_reason(flavour: str) -> None:
    """Certificates and keys of others, empty programs, and all other files cut in half."""
    machine = whole(flavour)
    wrong = []
    for path, file in machine.files.items():
        other = garbled(machine, file)
        if other == file:
            # An empty file stays as it is.
            continue
        told, why = said(changed(machine, other)), reason(boot_reasons.MAY_BE_WRONG, path, flavour)
        if why and told:
            wrong.append(f"{path} matters, whatever is said of it: {told}")
        elif not why and path.rpartition("/")[2] not in told:
            wrong.append(f"{path} is not named: {told or 'nothing is'}")
    assert wrong == []


def is_secret(path: str) -> bool:
    """Tell whether a file holds a key or a credential."""
    return path.endswith((".key", "/.docker/config.json")) or "/auth/" in path


@pytest.mark.parametrize("flavour", IDS)
def test_each_secret_that_others_may_read_and_each_program_that_cannot_run_is_named(flavour: str) -> None:
    """Except programs that people run, and files that are only sourced."""
    machine = whole(flavour)
    programs = "\n".join(file.text for path, file in machine.files.items() if "/bin/" in path)
    wrong = []
    for path, file in machine.files.items():
        is_program = "/bin/" in path and not path.endswith("gather.sh") and f". {path}" not in programs
        if is_secret(path) or is_program:
            told = said(changed(machine, replace(file, mode=0o644)))
            if path not in told or ("too open" if is_secret(path) else "Permission denied") not in told:
                wrong.append(path)
    assert wrong == []


@pytest.mark.parametrize("rows", [boot_reasons.MAY_BE_MISSING, boot_reasons.MAY_BE_WRONG], ids=["missing", "wrong"])
def test_every_reason_is_about_something(rows: tuple[boot_reasons.Reason, ...]) -> None:
    """For at least one of its flavours."""
    used = {
        reason(rows, name, flavour)
        for flavour in IDS
        for machine in (whole(flavour),)
        for name in (*machine.files, *machine.units)
    }
    assert [row.names for row in rows if row not in used] == []


def test_files_of_another_owner_are_named() -> None:
    """The machine's programs run as root."""
    machine = whole("B")
    assert "owned by core" in said(changed(machine, replace(machine.files[f"{TLS}root-ca.crt"], owner="core")))


# Certificates


EXPIRED_AFTER_A_DAY = (
    "aggregator-signer.crt",
    "kubelet-signer.crt",
    "auth/kubeconfig-kubelet",
    "kube-apiserver-lb-server.crt",
    "kube-apiserver-internal-lb-server.crt",
    "kube-apiserver-localhost-server.crt",
    "kube-apiserver-service-network-server.crt",
    "apiserver-proxy.crt",
)


@pytest.mark.parametrize("flavour", IDS)
def test_an_ignition_older_than_a_day_has_expired(flavour: str) -> None:
    """Those of its certificates that are valid for a day are named, with both times."""
    told = said(whole(flavour), NOW + dt.timedelta(hours=24)).splitlines()
    for file in EXPIRED_AFTER_A_DAY:
        lines = [line for line in told if file in line and "x509: certificate has expired" in line]
        assert lines, file
        assert "current time 2026-03-02T09:05:00Z is after 2026-03-02T09:00:00Z" in lines[0]
    assert not [line for line in told if "expired" not in line]


def test_an_ignition_of_tomorrow_is_not_yet_valid() -> None:
    """A machine whose clock is behind finds this."""
    assert "is before 2026-03-01T09:00:00Z" in said(whole("A"), NOW - dt.timedelta(hours=1))


# One wrong certificate or object among many.


def reissued(machine: Installation, name: str, *, chained: bool = True, **changes: Any) -> Installation:
    """Return a machine with another certificate and key of a name, from the same signer unless another is given."""
    row = replace(next(row for row in install_certificates.CERTIFICATES if row.file == name), **changes)
    signer = pki.Pair(*(example.made().file(f"tls/{row.issuer}.{kind}") for kind in ("key", "crt")))
    names = {"domain": example.DOMAIN, "service_ip": "172.30.0.1", "cluster_domain": example.DOMAIN}
    pair = pki.issue(row, names, example.NOW, signer)
    chain = pair.certificate + (signer.certificate if row.chained and chained else "")
    return saying(saying(machine, f"tls/{name}.crt", chain), f"tls/{name}.key", pair.key)


SERVER = "kube-apiserver-{}-server"
Change = Callable[[Installation], Installation]


@pytest.mark.usefixtures("quick_keys")
@pytest.mark.parametrize(
    ("change", "want_stage", "want_message"),
    [
        (
            lambda machine: reissued(machine, SERVER.format("internal-lb"), dns=("api-int.elsewhere",)),
            "bootstrap-complete",
            f"x509: certificate is valid for api-int.elsewhere, not api-int.{example.DOMAIN}",
        ),
        (
            lambda machine: reissued(machine, SERVER.format("lb"), dns=("api.elsewhere",)),
            "outside",
            f"x509: certificate is valid for api.elsewhere, not api.{example.DOMAIN}",
        ),
        (
            lambda machine: reissued(machine, SERVER.format("localhost"), ip=()),
            "manifests",
            "x509: certificate is valid for localhost, not 127.0.0.1",
        ),
        (
            lambda machine: reissued(machine, SERVER.format("service-network"), ip=("172.30.0.2",)),
            "masters",
            "172.30.0.2, not 172.30.0.1",
        ),
        (
            lambda machine: reissued(machine, SERVER.format("lb"), issuer="kube-apiserver-localhost-signer"),
            "outside",
            "x509: certificate signed by unknown authority (tls/kube-apiserver-lb-server.crt)",
        ),
        (
            lambda machine: reissued(machine, SERVER.format("lb"), chained=False),
            "outside",
            "tls/kube-apiserver-lb-server.crt: not its own certificate followed by tls/kube-apiserver-lb-signer.crt",
        ),
        (
            lambda machine: reissued(machine, "machine-config-server", dns=("api.elsewhere",)),
            "machine-config-server",
            f"certificate is valid for api.elsewhere, not api-int.{example.DOMAIN}",
        ),
        (
            lambda machine: reissued(machine, "machine-config-server", issuer="etcd-signer"),
            "machine-config-server",
            "tls/machine-config-server.crt: x509: certificate signed by unknown authority",
        ),
        (
            lambda machine: reissued(machine, "etcd-client", issuer="aggregator-signer"),
            "etcd",
            "tls/etcd-client.crt, tls/etcd-ca-bundle.crt: remote error: tls: bad certificate",
        ),
        (
            lambda machine: saying(machine, "tls/etcd-ca-bundle.crt", machine.text("tls/root-ca.crt")),
            "etcd-bootstrap",
            "tls/etcd-ca-bundle.crt does not hold tls/etcd-signer.crt",
        ),
        (
            lambda machine: replacing(machine, "auth/kubeconfig", "api-int.", "api."),
            "bootstrap-complete",
            f"server https://api.{example.DOMAIN}:6443 is not https://api-int.{example.DOMAIN}:6443",
        ),
        (
            lambda machine: replacing(machine, "auth/kubeconfig-loopback", "localhost:6443", "localhost:443"),
            "cvo-bootstrap",
            "server https://localhost:443 is not https://localhost:6443",
        ),
    ],
    ids=[
        "internal name",
        "public name",
        "loopback address",
        "service address",
        "signer of a server",
        "server without its signer",
        "name of the machine config server",
        "signer of the machine config server",
        "signer of etcd's client",
        "etcd's bundle",
        "server of the kubeconfig",
        "server of the loopback kubeconfig",
    ],
)
def test_a_wrong_certificate_or_kubeconfig_is_named(change: Change, want_stage: str, want_message: str) -> None:
    """At the stage whose program notices it."""
    found = list(problems(change(whole("B")), NOW))
    assert [one for one in found if one.stage == want_stage and want_message in one.message], found


@pytest.mark.usefixtures("quick_keys")
def test_the_proxy_s_client_may_be_of_another_signer() -> None:
    """The installer's own is not from its aggregator-signer."""
    assert said(reissued(whole("A"), "apiserver-proxy", issuer="etcd-signer")) == ""


def obj(kind: str, name: str, namespace: str = "", version: str = "v1") -> str:
    """Return an object."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return json.dumps({"apiVersion": version, "kind": kind, "metadata": metadata})


@pytest.mark.parametrize(
    ("path", "text", "want_stage", "want_message"),
    [
        ("manifests/9.yaml", "", "mco-bootstrap", "/opt/openshift/manifests/9.yaml: not an object"),
        ("manifests/9.txt", "[1]", "mco-bootstrap", "/opt/openshift/manifests/9.txt: not an object"),
        ("openshift/9.yaml", "a: [1", "mco-bootstrap", "error unmarshaling /opt/openshift/openshift/9.yaml: line 2"),
        ("openshift/9.yaml", "a: 1\n---\nb: 2\n", "mco-bootstrap", "error unmarshaling"),
        ("openshift/9.yaml", '{"kind": "Secret"}', "mco-bootstrap", "object without apiVersion, kind or metadata"),
        (
            "openshift/9.yaml",
            obj("Foo", "x", version="a/v1"),
            "manifests",
            'no matches for kind "Foo" in version "a/v1"',
        ),
        ("openshift/9.yaml", obj("Secret", "x", "mine"), "manifests", 'namespaces "mine" not found'),
        (
            "openshift/9.yaml",
            obj("Secret", "pull-secret", "openshift-config"),
            "manifests",
            'Failed to create "9.yaml": Secret "pull-secret" already exists, from "openshift-config-secret-pull-secret',
        ),
        (
            "openshift/9.yaml",
            obj("ConfigMap", "bootstrap", "kube-system"),
            "manifests",
            "kube-system/bootstrap says already that the bootstrap machine is done",
        ),
        (
            "openshift/9.yaml",
            obj("ControllerConfig", "machine-config-controller", version="machineconfiguration.openshift.io/v1"),
            "mco-bootstrap",
            "9.yaml: more than one ControllerConfig",
        ),
        (
            "openshift/9.yaml",
            obj("ConfigMap", "user-ca-bundle", "openshift-config"),
            "mco-bootstrap",
            "9.yaml: install-config has no additionalTrustBundle",
        ),
        (
            "manifests/openshift-config-secret-pull-secret.yaml",
            obj("Secret", "pull-secret", "openshift-config"),
            "mco-bootstrap",
            "pull secret is of type None",
        ),
        (
            "/etc/kubernetes/manifests/bootstrap-kube-apiserver-pod.yaml",
            "x",
            "temporary-api",
            "bootstrap-kube-apiserver-pod.yaml: file exists",
        ),
        (host_system.FIRST_BOOT, "{}", "ignition", f"{host_system.FIRST_BOOT} has no spec.fips"),
        (host_system.FIRST_BOOT, '{"spec":{"fips":"yes"}}', "ignition", 'spec.fips is "yes", not true or false'),
        (host_system.REGISTRIES, "[[registry]", "release-image", "loading registries configuration"),
        (host_system.CREDENTIALS, "{}", "release-image", "no credentials of registries"),
        (host_system.CREDENTIALS, '{"auths":{"docker.io":{}}}', "release-image", "quay.io: unauthorized"),
    ],
)
def test_a_wrong_object_or_file_is_named(path: str, text: str, want_stage: str, want_message: str) -> None:
    """At the stage whose program notices it."""
    found = list(problems(saying(whole("B"), path, text), NOW))
    assert [one for one in found if one.stage == want_stage and want_message in one.message], found


def test_a_kind_and_a_namespace_that_a_manifest_brings_are_there() -> None:
    """Whatever file comes first."""
    definition = json.loads(obj("CustomResourceDefinition", "foos.a", version="apiextensions.k8s.io/v1"))
    definition["spec"] = {"group": "a", "names": {"kind": "Foo", "plural": "foos"}}
    machine = saying(whole("B"), "openshift/1.yaml", obj("Foo", "x", "mine", "a/v1"))
    machine = saying(machine, "openshift/2.yaml", json.dumps(definition))
    assert said(saying(machine, "openshift/3.yaml", obj("Namespace", "mine"))) == ""


def test_a_mirror_alone_lets_a_machine_pull() -> None:
    """Without the list of mirrors it would not be there."""
    machine = saying(whole("A"), host_system.CREDENTIALS, '{"auths":{"arosvc.azurecr.io":{"auth":"eA=="}}}')
    assert said(machine) == ""
    assert "docker://quay.io: unauthorized" in said(without(machine, host_system.REGISTRIES))


def test_a_customer_s_authorities_have_to_be_everywhere() -> None:
    """On the machine, and among the objects."""
    bundle = "    additionalTrustBundle: customer's\n    baseDomain:"
    machine = replacing(whole("B"), "manifests/cluster-config.yaml", "    baseDomain:", bundle)
    assert [stage for stage, _ in problems(machine, NOW)] == ["release-image", "mco-bootstrap"]
    machine = saying(machine, host_system.AUTHORITIES, "customer's")
    machine = saying(machine, "manifests/user-ca-bundle.yaml", obj("ConfigMap", "user-ca-bundle", "openshift-config"))
    assert said(machine) == ""


def test_nothing_secret_is_said() -> None:
    """Whatever half of a file is left."""
    machine = whole("B")
    for path, file in machine.files.items():
        told = said(changed(machine, garbled(machine, file)))
        assert "PRIVATE KEY" not in told, path
        assert "canary" not in told, path
        assert "Y2FuYXJ5" not in told, path


def test_a_config_that_ignition_refuses_is_the_only_problem() -> None:
    """Nothing of it is written."""
    found = checks.boot_check(['{"ignition": {"version": "9.9.9"}}'], "aro_47", NOW)
    assert found == [Problem("ignition", "unsupported config version '9.9.9'")]


def test_a_machine_with_validated_modules_boots_again() -> None:
    """If the customer asked for them."""
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"fipsValidatedModules": "Enabled"}
    made = example.remade(example.given(example.cluster(clusterProfile=profile)))
    assert host_system.has_validated_modules(made.file(host_system.FIRST_BOOT))
    assert not host_system.has_validated_modules(example.made().file(host_system.FIRST_BOOT))


def test_a_private_cluster_has_one_file_more_which_nobody_at_boot_reads() -> None:
    """The program that creates all objects notices a broken one; only the ingress operator misses it, after boot."""
    made = example.remade(example.given(example.cluster(ingressProfiles=[{"visibility": "Private"}])))
    machine = Installation.read([made.file("bootstrap.ign")], SKUS["A"])
    (path,) = set(machine.files) - set(whole("A").files)
    assert said(machine) == said(without(machine, path)) == ""
    assert path.rpartition("/")[2] in said(changed(machine, garbled(machine, machine.files[path])))
