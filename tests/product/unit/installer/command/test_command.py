"""The installer's command: what it reads and writes, and its error messages."""

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from installer import all_assets
from installer.command import command_inputs
from installer.command.command import FAILURE, SUCCESS, main
from shared.clusters import catalogue
from shared.release import machine_image
from tests.product.unit.installer import example

SECRET = "canary-client-secret"  # noqa: S105 - to be found where it must not be
GUID = "00000000-0000-0000-0000-00000000000{}"
ENVIRONMENT = {
    "AZURE_SUBSCRIPTION_ID": GUID.format(1),
    "AZURE_TENANT_ID": GUID.format(2),
    "AZURE_CLIENT_ID": GUID.format(3),
    "AZURE_CLIENT_SECRET": SECRET,
}
CREATE = ("create", "ignition-configs", "--dir")


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a folder with the example's install-config."""
    assert main(["create", "install-config", "--dir", str(tmp_path), "--example"], {}) == SUCCESS
    capsys.readouterr()
    return tmp_path


def edit(folder: Path, **members: Any) -> None:
    """Change members of the install-config; None removes one."""
    file = folder / "install-config.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8")) | members
    file.write_text(yaml.safe_dump({name: value for name, value in config.items() if value is not None}))


def ignition(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


@pytest.mark.usefixtures("quick_keys")
def test_the_files_of_openshift_install_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is reported by its name but never by its content, and only their owner can read them."""
    assert main([*CREATE, str(folder), "--infra-id", "example-abcde"], ENVIRONMENT) == SUCCESS
    told = capsys.readouterr()
    assert told.out.splitlines() == [f"written: {folder / name}" for name in all_assets.IGNITION_CONFIGS]
    assert stat.S_IMODE((folder / "auth/kubeadmin-password").stat().st_mode) == 0o600
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in all_assets.IGNITION_CONFIGS} == {0o600}
    assert json.loads((folder / "metadata.json").read_text())["infraID"] == "example-abcde"
    kubeconfig = yaml.safe_load((folder / "auth/kubeconfig").read_text())
    assert kubeconfig["clusters"][0]["cluster"]["server"] == "https://api.example.eastus.example.com:6443"
    for secret in (SECRET, "PRIVATE KEY", (folder / "auth/kubeadmin-password").read_text()):
        assert secret not in told.out + told.err


@pytest.mark.usefixtures("quick_keys")
@pytest.mark.parametrize(
    ("options", "want"),
    [
        (("--spec", "2.2"), "2.2.0"),
        (("--spec", "3.1"), "3.1.0"),
        (("--spec", "3.2"), "3.2.0"),
        ((), "2.2.0"),
        (("--version", "4.6.1"), "3.1.0"),
        (("--version", "4.7.4"), "3.2.0"),
    ],
)
def test_the_spec_is_the_one_asked_for_or_the_releases(folder: Path, options: tuple[str, ...], want: str) -> None:
    """In all three files."""
    assert main([*CREATE, str(folder), *options], ENVIRONMENT) == SUCCESS
    assert {ignition(folder, f"{name}.ign")["ignition"]["version"] for name in ("bootstrap", "master", "worker")} == {
        want
    }


@pytest.mark.usefixtures("quick_keys")
def test_the_principal_is_read_from_its_file_before_the_environment(folder: Path) -> None:
    """As in openshift-install, and the cluster gets that principal."""
    principal = {
        "subscriptionId": GUID.format(4),
        "tenantId": GUID.format(5),
        "clientId": GUID.format(6),
        "clientSecret": "of the file",
    }
    (folder / "osServicePrincipal.json").write_text(json.dumps(principal))
    assert main(["create", "manifests", "--dir", str(folder)], ENVIRONMENT) == SUCCESS
    found = yaml.safe_load((folder / "openshift/99_cloud-creds-secret.yaml").read_text())["data"]
    assert base64.b64decode(found["azure_client_secret"]) == b"of the file"
    assert base64.b64decode(found["azure_tenant_id"]).decode() == GUID.format(5)


@pytest.mark.usefixtures("quick_keys")
def test_the_manifests_are_those_that_the_bootstrap_machine_gets(folder: Path) -> None:
    """All of them, and nothing else."""
    assert main(["create", "manifests", "--dir", str(folder)], ENVIRONMENT) == SUCCESS
    written = {
        str(file.relative_to(folder)) for name in ("manifests", "openshift") for file in (folder / name).iterdir()
    }
    ours = {path for content in example.made().contents.values() for path in content if isinstance(path, str)}
    assert written == {path for path in ours if path.startswith(("manifests/", "openshift/"))}


def test_everything_that_is_wrong_is_told_at_once_by_its_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the install-config, the principal, and the options; nothing is written, and no secret is shown."""
    edit(
        folder,
        baseDomain=None,
        fips="yes",
        strange=1,
        compute=[{"replicas": 1, "platform": {"azure": {"osDisk": {"diskSizeGB": True}, "zones": [1]}}}],
        networking={"clusterNetwork": [{"cidr": "10.0.0.0/99", "hostPrefix": 1_000_000_000}], "serviceNetwork": []},
        pullSecret='{"auths": {"quay.io": {"auth": "Y2FuYXJ5"}}}',
        sshKey="canary",
    )
    (folder / "osServicePrincipal.json").write_text(json.dumps({"clientId": "canary", "clientSecret": SECRET}))
    (folder / "master.ign").write_text("mine")
    assert main([*CREATE, str(folder), "--infra-id", "A"], ENVIRONMENT) == FAILURE
    told = capsys.readouterr()
    fields = [line.strip().partition(": It")[0].partition(": The")[0] for line in told.err.splitlines()[1:]]
    principal = folder / "osServicePrincipal.json"
    assert sorted(field.split(": '")[0].split(": ")[0] if "/" not in field else field for field in fields) == sorted(
        [
            "baseDomain",
            "fips",
            "strange",
            "compute[0].platform.azure.osDisk.diskSizeGB",
            "compute[0].platform.azure.zones[0]",
            "compute[0].replicas",
            "networking.clusterNetwork[0].cidr",
            "networking.clusterNetwork[0].hostPrefix",
            "networking.serviceNetwork",
            "pullSecret.auths['quay.io']",
            "sshKey",
            *(f"{principal}: {name}" for name in ("subscriptionId", "tenantId", "clientId")),
            "--infra-id",
            str(folder / "master.ign"),
        ]
    )
    assert "16 problems" in told.err
    assert not any(secret in told.err + told.out for secret in (SECRET, "canary", "Y2FuYXJ5", "open a support request"))
    assert (folder / "master.ign").read_text() == "mine"
    assert not (folder / "bootstrap.ign").exists()


@pytest.mark.parametrize(
    "text",
    [
        *("", "- 1\n", "null\n", "pullSecret: {canary\n  : :", "a: canary\n\tb: 1\n", "[" * 20_000),
        *("!!timestamp canary", '!!int ""', '!!float ""', "!!bool canary", "!!python/name:canary", "2026-99-99"),
        *("9" * 5_000, "0:" * 200 + "0.", "2026-01-01 00:00:00+99:00", "9999-12-31 00:00:00-23:00", "? [canary]"),
    ],
    ids=lambda text: text[:20],
)
def test_a_file_that_is_no_install_config_is_refused_without_repeating_it(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """The parser's own message would quote the line."""
    (folder / "install-config.yaml").write_text(text)
    assert main([*CREATE, str(folder)], ENVIRONMENT) == FAILURE
    told = capsys.readouterr().err
    assert "1 problem" in told
    assert "canary" not in told


def test_each_problem_is_told_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Even if the quoted value contains line ends or terminal control characters."""
    edit(folder, publish="In\nternal\x1b[2J")
    (folder / "osServicePrincipal.json").write_text(
        json.dumps(
            dict.fromkeys(("subscriptionId", "tenantId", "clientId"), GUID.format(1)) | {"clientSecret": "\ud800"}
        )
    )
    assert main([*CREATE, str(folder)], ENVIRONMENT) == FAILURE
    _, published, secret = capsys.readouterr().err.splitlines()
    assert r"'In\nternal\x1b[2J' is neither" in published
    assert secret.endswith("clientSecret: It is not text.")


def test_a_folder_without_an_install_config_says_how_to_get_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message also lists the missing variables."""
    assert main([*CREATE, str(tmp_path)], {}) == FAILURE
    told = capsys.readouterr().err
    assert "`create install-config` writes one" in told
    assert all(variable in told for variable in ENVIRONMENT)


@pytest.mark.usefixtures("quick_keys")
def test_files_are_written_over_only_when_asked_and_are_named_then(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run makes other keys, and the first ones may belong to somebody's cluster."""
    assert main([*CREATE, str(folder)], ENVIRONMENT) == SUCCESS
    before = (folder / "bootstrap.ign").read_text()
    capsys.readouterr()
    assert main([*CREATE, str(folder)], ENVIRONMENT) == FAILURE
    assert "bootstrap.ign: It is there already. Move it away, or give --overwrite." in capsys.readouterr().err
    assert (folder / "bootstrap.ign").read_text() == before
    assert main([*CREATE, str(folder), "--overwrite"], ENVIRONMENT) == SUCCESS
    assert f"overwritten: {folder / 'bootstrap.ign'}" in capsys.readouterr().out
    assert (folder / "bootstrap.ign").read_text() != before


@pytest.mark.parametrize(
    "wrap",
    [lambda cluster: cluster, lambda cluster: {"id": "x", "openShiftCluster": cluster}],
    ids=["a cluster", "a document"],
)
def test_an_install_config_is_made_of_a_clusters_document(tmp_path: Path, wrap: Any) -> None:
    """It is the one that the service would make, with the given key and pull secret."""
    cluster = example.cluster(clusterProfile=example.CLUSTER["properties"]["clusterProfile"] | {"domain": "cluster"})
    for name, text in (
        ("c.json", json.dumps(wrap(cluster))),
        ("k", example.SSH_KEY),
        ("p", '{"auths":{"quay.io":{}}}'),
    ):
        (tmp_path / name).write_text(text)
    files = [
        "--cluster",
        str(tmp_path / "c.json"),
        "--ssh-key",
        str(tmp_path / "k"),
        "--pull-secret",
        str(tmp_path / "p"),
    ]
    arguments = ["create", "install-config", "--dir", str(tmp_path), *files, "--base-domain", "eastus.aroapp.test"]
    assert main(arguments, {}) == SUCCESS
    made = yaml.safe_load((tmp_path / "install-config.yaml").read_text())
    assert made == example.given()["install-config"] | {"pullSecret": '{"auths":{"quay.io":{}}}'}
    assert not (tmp_path / "ssh-key").exists()


@pytest.mark.parametrize(
    ("image", "want"), [((), "419.94.1"), (("--image", "p:o:s:419.94.2"), "419.94.2")], ids=["decided", "asked for"]
)
def test_the_machines_image_is_the_one_asked_for_or_the_documents(
    tmp_path: Path, image: tuple[str, ...], want: str
) -> None:
    """The service decides it once for a cluster."""
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"domain": "cluster.example.com"}
    decided = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.94.1"}
    (tmp_path / "c.json").write_text(json.dumps(example.cluster(clusterProfile=profile, rhcosImage=decided)))
    arguments = ["--dir", str(tmp_path), "--cluster", str(tmp_path / "c.json"), "--version", "4.19.24", *image]
    assert main(["create", "install-config", *arguments], {}) == SUCCESS
    made = yaml.safe_load((tmp_path / "install-config.yaml").read_text())
    assert made["platform"]["azure"]["image"]["version"] == want
    assert made["networking"]["networkType"] == "OVNKubernetes"


@pytest.mark.parametrize("version", ["4.3.18", "4.4.0", "4.5.9", "4.6.0", "4.7.4", "4.8.1", "4.19.24"])
def test_a_version_boots_as_the_catalogue_has_it(version: str) -> None:
    """Ignition spec and flavour are those of a catalogue entry that does not set them."""
    ours = command_inputs.release(version, "", "")
    image = dict.fromkeys(machine_image.MEMBERS, "x")
    entry = catalogue.parse_entry({"version": version, "openShiftPullspec": "x", "rhcosImage": image})
    assert (ours["ignitionVersion"], ours["flavour"]) == (entry.ignition_version, entry.flavour)


def test_a_document_that_says_too_little_is_refused_with_all_that_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By path in the document, with the options that would help."""
    (tmp_path / "c.json").write_text('{"location": "eastus", "properties": {"clusterProfile": {"domain": "c"}}}')
    arguments = ["create", "install-config", "--dir", str(tmp_path), "--cluster", str(tmp_path / "c.json")]
    assert main([*arguments, "--version", "4.7.4", "--pull-secret", str(tmp_path / "none")], {}) == FAILURE
    told = capsys.readouterr().err
    for part in ("properties.workerProfiles.0.vmSize: It is missing", "--base-domain", "--image", "none: It cannot"):
        assert part in told


@pytest.mark.parametrize("version", ["4.3.18", "4.4.33", "4.7.4", "4.12.0", "4.19.24"])
def test_the_example_is_one_of_any_version(tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str) -> None:
    """If no other image is known, its machines boot the newest of the SKU; later commands need the version."""
    arguments = ["create", "install-config", "--dir", str(tmp_path), "--example", "--version", version]
    assert main(arguments, {}) == SUCCESS
    image = yaml.safe_load((tmp_path / "install-config.yaml").read_text())["platform"]["azure"]["image"]
    assert image["sku"] == f"aro_{''.join(version.split('.')[:2])}"
    assert (f"continue with --version {version}" in capsys.readouterr().out) == (
        version != command_inputs.DEFAULT_VERSION
    )


def test_a_version_that_is_not_given_is_the_images(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Machines of one release cannot boot from another's ignition, and nobody would see why."""
    arguments = ["create", "install-config", "--dir", str(folder), "--example", "--overwrite", "--version", "4.19.24"]
    assert main(arguments, {}) == SUCCESS
    for what in ("manifests", "ignition-configs"):
        assert main(["create", what, "--dir", str(folder)], ENVIRONMENT) == FAILURE
        told = capsys.readouterr().err
        assert "--version: It is not given, and the machines' image 'aro_419' is of OpenShift 4.19, not 4.3.18" in told
    assert not (folder / "manifests").exists()


def test_the_image_follows_from_the_releases_metadata(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the catalogue's rule; metadata that names no image is reported."""
    (tmp_path / "rhcos.json").write_text('{"azure": {"image": "rhcos-47.83.202102090044-0-azure.x86_64.vhd"}}')
    (tmp_path / "other.json").write_text('{"aws": {}}')
    arguments = ["create", "install-config", "--dir", str(tmp_path), "--example", "--version", "4.7.4"]
    assert main([*arguments, "--release-metadata", str(tmp_path / "other.json")], {}) == FAILURE
    assert "other.json: No image follows from it" in capsys.readouterr().err
    assert main([*arguments, "--release-metadata", str(tmp_path / "rhcos.json")], {}) == SUCCESS
    image = yaml.safe_load((tmp_path / "install-config.yaml").read_text())["platform"]["azure"]["image"]
    assert (image["sku"], image["version"]) == ("aro_47", "47.83.20210209")


def test_a_document_says_which_version_it_is_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has to repeat it; text that is not a version is refused."""
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"domain": "cluster.example.com"}
    image = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.94.1"}
    arguments = ["create", "install-config", "--dir", str(tmp_path), "--cluster", str(tmp_path / "c.json")]
    for version, want in (("4.19", FAILURE), ("4.19.24", SUCCESS)):
        changed = example.cluster(clusterProfile=profile | {"version": version}, rhcosImage=image)
        (tmp_path / "c.json").write_text(json.dumps(changed))
        assert main(arguments, {}) == want
    told = capsys.readouterr()
    assert "properties.clusterProfile.version: '4.19' is not a version" in told.err
    assert "--version 4.19.24" in told.out


@pytest.mark.parametrize(
    ("part", "value", "want"),
    [
        ("masterProfile", {"vmSize": "x", "subnetId": "masters"}, "not a cluster as the service's documents have it"),
        ("clusterProfile", ["domain"], "properties.clusterProfile.domain: It is missing"),
        ("networkProfile", "x", "properties.networkProfile.podCidr: It is missing"),
        ("workerProfiles", {"0": {}}, "properties.workerProfiles.0.vmSize: It is missing"),
    ],
    ids=["an id that is none", "a list for an object", "a text for an object", "an object for a list"],
)
def test_a_document_that_is_not_the_services_is_refused_and_not_traced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], part: str, value: Any, want: str
) -> None:
    """Whatever it contains where the service would have something else."""
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"domain": "cluster.example.com"}
    (tmp_path / "c.json").write_text(json.dumps(example.cluster(**{"clusterProfile": profile, part: value})))
    arguments = ["create", "install-config", "--dir", str(tmp_path), "--cluster", str(tmp_path / "c.json")]
    assert main(arguments, {}) == FAILURE
    assert want in capsys.readouterr().err


def test_the_graph_is_shown_as_text_and_as_dot(capsys: pytest.CaptureFixture[str]) -> None:
    """Each asset with its inputs, inputs first; or only those that one file needs."""
    assert main(["graph"], {}) == SUCCESS
    whole = capsys.readouterr().out
    assert [line.split()[0] for line in whole.splitlines() if not line.startswith(" ")]
    assert {line.split()[0] for line in whole.splitlines() if not line.startswith(" ")} == set(all_assets.ASSETS)
    assert "further-manifests  (given, or nothing)\n    holds manifests/*\n" in whole
    assert main(["graph", "--dot", "tls/etcd-client.crt"], {}) == SUCCESS
    dot = capsys.readouterr().out.splitlines()
    assert (dot[0], dot[-1]) == ("digraph install {", "}")
    assert '  "tls/etcd-signer" -> "tls/etcd-client";' in dot
    assert '  "clock" [style=dashed];' in dot
    assert not any("bootstrap.ign" in line for line in dot)


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("manifests/etcd-client-secret.yaml", "manifests/etcd-client-secret.yaml"),
        ("/opt/openshift/manifests/etcd-client-secret.yaml", "manifests/etcd-client-secret.yaml"),
        ("/opt/openshift/tls/etcd-client.key", "tls/etcd-client"),
        ("/usr/local/bin/bootkube.sh", "/usr/local/bin/bootkube.sh"),
        ("kubelet.service", "/etc/systemd/system/kubelet.service"),
        ("systemd-journal-gatewayd.service", "/etc/systemd/system/systemd-journal-gatewayd.service"),
        ("systemd-journal-gatewayd.service.d/certs.conf", "/etc/systemd/system/systemd-journal-gatewayd.service"),
        ("further-manifests", "further-manifests"),
    ],
)
def test_an_asset_is_found_by_its_files_name_on_the_machine_and_by_its_unit(
    capsys: pytest.CaptureFixture[str], name: str, want: str
) -> None:
    """A person on a bootstrap machine knows only these names. The requested asset comes last, after its inputs."""
    assert main(["graph", name], {}) == SUCCESS
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert shown[-1] == want


@pytest.mark.parametrize("name", ["nothing.txt", "manifests/typo.yaml", "/opt/openshift/openshift/typo.yaml"])
def test_a_name_that_is_no_asset_is_refused(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """The message says where to find the names, even where people may add files of their own."""
    assert main(["graph", name], {}) == FAILURE
    told = capsys.readouterr().err
    assert told.startswith("error: nothing was shown")
    assert f"{name}: No asset has this name" in told


def test_help_teaches_with_files_and_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who has read it can begin."""
    with pytest.raises(SystemExit):
        main(["--help"], {})
    told = capsys.readouterr().out
    for part in ("osServicePrincipal.json", "AZURE_CLIENT_SECRET", "--example", "ignition-configs"):
        assert part in told
