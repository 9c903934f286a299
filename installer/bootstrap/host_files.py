"""Files of the bootstrap machine's own system: a row for each, with the releases that have it.

Scripts are in `scripts/`, see `host_script.py`. Units are in `units.py`.

Source: openshift/installer 4.3 to 4.10, `data/data/bootstrap/files` and `pkg/asset/ignition/bootstrap`: names and
modes. Those that bring the system of a release from 4.19 on: openshift/installer 7e30b7d6.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from installer import manifest_yaml
from installer.bootstrap import bootkube, host_script, kubelet
from installer.config import install_config
from installer.graph import Asset, Content, Inputs
from installer.ignition import ignition
from installer.release.releases import EVERY, WITH_NODE_IMAGE, WITH_PAUSE_IMAGE, WITH_RECORDS, Releases
from shared.release import release_rules

_INSTALL, _ID, _RELEASE = "install-config", "cluster-id", "release-image"
_GENERATOR = "node-image-overlay-generator"
_PROGRAM_MODE, _PUBLIC_MODE, _CLOSED_MODE = 0o555, 0o644, 0o600
# Go 1.15 would otherwise refuse certificates without alternative names; from 4.10 on there are none of these.
_WITH_COMMON_NAMES = Releases("BC", until=(4, 10))
# The command line client's name of the flag for its kubeconfig, which is `--kubeconfig` later.
_WITH_CONFIG_FLAG = Releases(until=(4, 5))


@dataclass(frozen=True)
class Row:
    """A file: its path, its content, the releases that have it."""

    path: str
    text: Callable[[Inputs], str]
    releases: Releases = EVERY
    inputs: tuple[str, ...] = ()

    @property
    def append(self) -> bool:
        """Whether it is appended to the image's file."""
        return self.path == "/etc/motd"

    @property
    def mode(self) -> int:
        """Everybody may run programs and read the greeting; the other files only root."""
        if "/bin/" in self.path or "/system-generators/" in self.path:
            return _PROGRAM_MODE
        return _PUBLIC_MODE if self.append else _CLOSED_MODE


def _script(
    name: str,
    values: Callable[[Inputs], dict[str, str | Iterable[str]]] = lambda _inputs: {},
    releases: Releases = EVERY,
    inputs: tuple[str, ...] = (),
) -> Row:
    def text(made: Inputs) -> str:
        return host_script.text(name, made[_RELEASE], **values(made))

    return Row(f"/usr/local/bin/{name}.sh", text, releases, inputs)


def _registries(inputs: Inputs) -> str:
    """Other locations of the release's images; used only by digest, so that no image is mistaken for another."""
    mirrors: dict[str, list[str]] = {}
    for source in inputs[_INSTALL].get("imageContentSources") or ():
        known = mirrors.setdefault(source["source"], [])
        known += [mirror for mirror in source["mirrors"] if mirror not in known]
    lines: list[str] = []
    for source, places in mirrors.items():
        lines += ["[[registry]]", f"location = {json.dumps(source)}", "insecure = false"]
        lines += ["mirror-by-digest-only = true", ""]
        for place in places:
            lines += ["[[registry.mirror]]", f"location = {json.dumps(place)}", "insecure = false", ""]
    return "\n".join(lines)


def _first_boot(inputs: Inputs) -> str:
    """What the machine reads about itself before its system starts: whether it must reboot with validated modules."""
    newer = inputs[_RELEASE]["ignitionVersion"].startswith("3.")
    document = {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {"name": "bootstrap-fips"},
        "spec": {
            "config": {"ignition": {"version": "3.1.0" if newer else "2.2.0"}},
            "kernelArguments": [],
            "fips": bool(inputs[_INSTALL].get("fips")),
        },
    }
    return manifest_yaml.to_json(document)


def _greeting(inputs: Inputs) -> str:
    services = ["release-image", "bootkube"] if inputs[_RELEASE] in WITH_PAUSE_IMAGE else ["bootkube"]
    units = " ".join(f"-u {name}.service" for name in services)
    return (
        "This is the bootstrap machine. It starts the cluster's control plane and is deleted afterwards.\n"
        f"To follow its work: journalctl -b -f {units}\n"
    )


def _members(inputs: Inputs) -> dict[str, str | Iterable[str]]:
    """The names of machines that may join: the masters', and those of the machine sets without their last part."""
    config, infra_id = inputs[_INSTALL], inputs[_ID]["infraId"]
    region = install_config.azure(config)["region"]
    return {
        "masters": [f"{infra_id}-master-{number}" for number in range(config["controlPlane"]["replicas"])],
        "machine_sets": [
            f"{infra_id}-{pool['name']}-{region}{zone}"
            for pool in config["compute"]
            for zone in pool["platform"]["azure"]["zones"]
        ],
    }


def _cli(inputs: Inputs) -> dict[str, str | Iterable[str]]:
    return {"kubeconfig_flag": "--config" if inputs[_RELEASE] in _WITH_CONFIG_FLAG else "--kubeconfig"}


def _flavour(inputs: Inputs) -> dict[str, str | Iterable[str]]:
    return {"flavour": inputs[_RELEASE]["flavour"]}


def _pullspec(inputs: Inputs) -> dict[str, str | Iterable[str]]:
    _, minor = release_rules.minor(inputs[_RELEASE]["version"])
    return {"pullspec": inputs[_RELEASE]["pullspec"], "minor": str(minor)}


def _always(text: str) -> Callable[[Inputs], str]:
    return lambda _inputs: text


# A cluster of this service has no proxy, so three files are empty; but without them the machine would differ from
# upstream's.
ROWS = (
    Row("/etc/containers/registries.conf", _registries, inputs=(_INSTALL,)),
    Row("/etc/ignition-machine-config-encapsulated.json", _first_boot, inputs=(_INSTALL,)),
    Row("/etc/motd", _greeting),
    Row(
        "/etc/pki/ca-trust/source/anchors/ca.crt",
        lambda inputs: str(inputs[_INSTALL].get("additionalTrustBundle", "")),
        inputs=(_INSTALL,),
    ),
    Row("/etc/profile.d/proxy.sh", _always("")),
    Row("/etc/systemd/system.conf.d/10-default-env.conf", _always("[Manager]\n")),
    Row(
        "/etc/systemd/system.conf.d/10-default-env-godebug.conf",
        _always("[Manager]\nDefaultEnvironment=GODEBUG=x509ignoreCN=0\n"),
        _WITH_COMMON_NAMES,
    ),
    Row(
        f"/etc/systemd/system-generators/{_GENERATOR}",
        lambda inputs: host_script.text(_GENERATOR, inputs[_RELEASE]),
        WITH_NODE_IMAGE,
    ),
    Row("/root/.docker/config.json", lambda inputs: str(inputs[_INSTALL]["pullSecret"]), inputs=(_INSTALL,)),
    _script("approve-csr", lambda inputs: _members(inputs) | _cli(inputs), inputs=(_INSTALL, _ID)),
    Row(
        "/usr/local/bin/bootkube.sh",
        lambda inputs: bootkube.text(inputs[_INSTALL], inputs[_RELEASE]),
        inputs=(_INSTALL,),
    ),
    _script("bootstrap-service-record", releases=WITH_RECORDS),
    _script("crio-configure", _flavour),
    _script("installer-gather", _cli),
    _script("installer-masters-gather"),
    _script("kubelet", lambda inputs: {"flags": kubelet.flags(inputs[_RELEASE])}, kubelet.WITH_SCRIPT),
    _script("kubelet-pause-image", releases=WITH_PAUSE_IMAGE),
    _script("node-image-overlay", releases=WITH_NODE_IMAGE),
    _script("node-image-pull", releases=WITH_NODE_IMAGE),
    _script("release-image", _pullspec),
    _script("release-image-download", _pullspec),
    _script("report-progress", _cli),
)


def _asset(row: Row) -> Asset:
    def make(inputs: Inputs) -> Content:
        return {row.path: row.text(inputs)} if inputs[_RELEASE] in row.releases else {}

    return Asset(row.path, (row.path,), (_RELEASE, *row.inputs), make)


def files(inputs: Inputs) -> list[ignition.File]:
    """Return the files that a release has, as entries of the ignition."""
    return [
        ignition.File(row.path, inputs[row.path][row.path], row.mode, row.append)
        for row in ROWS
        if row.path in inputs[row.path]
    ]


ASSETS = tuple(_asset(row) for row in ROWS)
