"""The stand-in for `openshift-install`: it refuses what the program refuses, and is released as that is."""

import copy
import hashlib
import json
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.json_object import Json
from tests.product.unit.installer import example
from tools.openshift_install import archive, program, refusals

VERSION = "4.19.24"


def config(version: str = VERSION) -> Json:
    """Return what the product gives the program."""
    return copy.deepcopy(example.given(version=version, installer="openshift-install")["install-config"])


def put(path: str, value: Any) -> Callable[[Json], None]:
    """Return what sets a member; None takes it away."""

    def change(holder: Any) -> None:
        *parents, last = path.split(".")
        for name in parents:
            holder = holder[int(name)] if name.isdigit() else holder[name]
        if value is None:
            holder.pop(last, None)
        else:
            holder[last] = value

    return change


@pytest.mark.parametrize("version", ["4.16.40", "4.18.34", VERSION, "4.20.15"])
def test_what_the_product_makes_is_accepted_without_a_warning(version: str) -> None:
    """By every release that it is made for."""
    known, unknown = refusals.without_unknown(config(version), version)
    assert (list(refusals.problems(known, version)), unknown) == ([], [])
    assert known == config(version)


@pytest.mark.parametrize(
    ("change", "want"),
    [
        (
            put("platform.azure.baseDomainResourceGroupName", None),
            (
                "platform.azure.baseDomainResourceGroupName: Required value: baseDomainResourceGroupName is the "
                "resource group name where the azure dns zone is deployed"
            ),
        ),
        (
            put("platform.azure.region", None),
            "platform.azure.region: Required value: region should be set to one of the supported Azure regions",
        ),
        (
            put("platform.azure.computeSubnet", None),
            (
                "platform.azure.computeSubnet: Required value: must provide a compute subnet when a virtual network is "
                "specified"
            ),
        ),
        (
            put("platform.azure.controlPlaneSubnet", None),
            (
                "platform.azure.controlPlaneSubnet: Required value: must provide a control plane subnet when a virtual "
                "network is specified"
            ),
        ),
        (
            put("networking.networkType", "OpenShiftSDN"),
            (
                'networking.networkType: Invalid value: "OpenShiftSDN": networkType OpenShiftSDN is not supported, '
                "please "
                "use OVNKubernetes"
            ),
        ),
        (
            put("networking.machineNetwork", [{"cidr": "10.0.0.0/16"}, {"cidr": "10.0.2.0/23"}]),
            (
                'networking.machineNetwork[1]: Invalid value: "10.0.2.0/23": machine network must not overlap with '
                "machine "
                "network 0"
            ),
        ),
        (
            put("networking.machineNetwork", [{"cidr": "100.64.2.0/23"}]),
            (
                'networking.machineNetwork[0]: Invalid value: "100.64.2.0/23": must not overlap with OVNKubernetes '
                "default "
                "internal subnet 100.64.0.0/16"
            ),
        ),
        (
            put("controlPlane.platform.azure.osImage.sku", ""),
            "controlPlane.platform.azure.osImage.sku: Required value: must specify SKU for the OS image",
        ),
        (
            put("compute.0.platform.azure.osImage.plan", "Free"),
            (
                'compute[0].platform.azure.osImage.plan: Unsupported value: "Free": supported values: '
                '"NoPurchasePlan", "WithPurchasePlan"'
            ),
        ),
        (
            put("credentialsMode", "Mint"),
            'credentialsMode: Unsupported value: "Mint": supported values: "Manual", "Passthrough"',
        ),
        (
            put("publish", "Everywhere"),
            'publish: Unsupported value: "Everywhere": supported values: "External", "Internal", "Mixed"',
        ),
        (
            put("imageContentSources", [{"source": "a", "mirrors": ["b"]}]),
            (
                'imageContentSources: Invalid value: "External": cannot set imageContentSources and '
                "imageDigestSources at "
                "the same time"
            ),
        ),
        (
            put("fips", value=True),
            (
                "fips: Forbidden: target cluster is in FIPS mode, use the FIPS-capable installer binary "
                "for RHEL 9 on a host with FIPS enabled.\nTo obtain a suitable binary, download the "
                "openshift-install-rhel9 archive from the client mirror, or extract the "
                "openshift-install-fips command from the release payload."
            ),
        ),
    ],
)
def test_what_the_program_refuses_is_refused_in_its_words(change: Callable[[Json], None], want: str) -> None:
    """One member at a time."""
    changed = config()
    change(changed)
    assert list(refusals.problems(changed, VERSION)) == [want]


def test_two_rules_ask_for_the_group_of_the_network() -> None:
    """One for the network, one for its subnets."""
    changed = config()
    del changed["platform"]["azure"]["networkResourceGroupName"]
    words = [problem.rpartition(": ")[2] for problem in refusals.problems(changed, VERSION)]
    assert words == [
        "must provide a network resource group when a virtual network is specified",
        "must provide a network resource group when supplying subnets",
    ]


def test_a_private_cluster_needs_no_group_of_a_public_zone() -> None:
    """It has none."""
    changed = config() | {"publish": "Internal"}
    del changed["platform"]["azure"]["baseDomainResourceGroupName"]
    assert list(refusals.problems(changed, VERSION)) == []


@pytest.mark.parametrize(
    ("version", "want"),
    [
        (VERSION, ["platform.azure.aro", "platform.azure.image"]),
        (
            "4.18.34",
            ["platform.azure.aro", "platform.azure.defaultMachinePlatform.identity", "platform.azure.image"],
        ),
    ],
)
def test_unknown_members_are_dropped(version: str, want: list[str]) -> None:
    """Those of ARO's program of 2020, and those of later releases."""
    changed = config()
    changed["platform"]["azure"] |= {"aro": True, "image": {"sku": "x"}}
    known, unknown = refusals.without_unknown(changed, version)
    assert sorted(unknown) == want
    assert not {"aro", "image"} & known["platform"]["azure"].keys()


def test_networks_that_are_missing_get_the_programs_defaults() -> None:
    """It has one for each."""
    known, _unknown = refusals.without_unknown(config() | {"networking": {"machineNetwork": []}}, VERSION)
    assert known["networking"]["networkType"] == "OVNKubernetes"
    assert known["networking"]["machineNetwork"] == [{"cidr": "10.0.0.0/16"}]
    assert list(refusals.problems(known, VERSION)) == []


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Yield a mirror's folder."""
    folder = tmp_path_factory.mktemp("mirror")
    archive.pack(folder, [VERSION, "4.20.15"])
    return folder


def unpacked(released: Path, version: str, folder: Path) -> Path:
    """Unpack a version's archive; return the program."""
    with tarfile.open(released / version / archive.archive_name(version)) as packed:
        packed.extractall(folder, filter="data")
    return folder / "openshift-install"


def run(file: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a program like the product, without any of this process's variables."""
    environment = {"HOME": str(home), "OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE": "quay.io/x@sha256:1"}
    return subprocess.run([file, *words], env=environment, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a principal."""
    (tmp_path / ".azure").mkdir()
    principal = example.given(version=VERSION)["platform-credentials"]
    (tmp_path / ".azure" / "osServicePrincipal.json").write_text(json.dumps(principal), encoding="utf-8")
    return tmp_path


def test_an_archive_of_a_version_has_its_program_and_its_line_in_the_list(released: Path, home: Path) -> None:
    """As on the mirror; the same sources make the same archives."""
    for version in (VERSION, "4.20.15"):
        file = released / version / archive.archive_name(version)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        assert (released / version / "sha256sum.txt").read_text(encoding="ascii") == f"{digest}  {file.name}\n"
        said = run(unpacked(released, version, home), "version", home=home).stdout
        assert said.splitlines()[0] == f"openshift-install {version}"
    archive.pack(home / "again", [VERSION])
    again = home / "again" / VERSION / archive.archive_name(VERSION)
    assert again.read_bytes() == (released / VERSION / again.name).read_bytes()


def test_the_program_runs_without_this_checkout(released: Path, home: Path) -> None:
    """It makes the manifests, with scripts of the bootstrap machine from inside its zip."""
    file, folder = unpacked(released, VERSION, home), home / "assets"
    folder.mkdir()
    (folder / "install-config.yaml").write_text(yaml.dump(config()), encoding="utf-8")
    for target in ("manifests", "ignition-configs"):
        done = run(file, "create", target, "--dir", str(folder), "--log-level=info", home=home)
        assert (done.returncode, "level=" in done.stderr) == (0, False), done.stderr
    assert sorted(path.name for path in folder.glob("*.ign")) == ["bootstrap.ign", "master.ign", "worker.ign"]
    assert (folder / program.STATE).exists()
    assert not list((folder / "manifests").iterdir())


def test_a_refusal_ends_the_program_with_its_last_line(released: Path, home: Path) -> None:
    """All problems at once, in the program's form."""
    changed = config()
    changed["platform"]["azure"] |= {"aro": True, "region": ""}
    del changed["platform"]["azure"]["baseDomainResourceGroupName"]
    folder = home / "assets"
    folder.mkdir()
    (folder / "install-config.yaml").write_text(yaml.dump(changed), encoding="utf-8")
    done = run(unpacked(released, VERSION, home), "create", "manifests", "--dir", str(folder), home=home)
    warning, _info, error = done.stderr.splitlines()
    assert done.returncode
    assert warning.startswith("level=warning msg=failed to parse first occurrence of unknown field: ")
    assert warning.endswith('json: unknown field "aro"')
    assert error == (
        'level=error msg=failed to fetch Master Machines: failed to load asset "Install Config": failed to create '
        'install config: invalid "install-config.yaml" file: [platform.azure.region: Required value: region should be '
        "set to one of the supported Azure regions, platform.azure.baseDomainResourceGroupName: Required value: "
        "baseDomainResourceGroupName is the resource group name where the azure dns zone is deployed]"
    )
    (folder / "install-config.yaml").write_text("metadata: {}\n", encoding="utf-8")
    done = run(unpacked(released, VERSION, home), "create", "manifests", "--dir", str(folder), home=home)
    assert done.stderr.strip().endswith("upconvert install config: apiVersion: Required value: no version was provided")
