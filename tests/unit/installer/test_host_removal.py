"""What the emulated machine says when a file or a unit of its own system is missing or wrong; each in turn."""

import copy
import json
from typing import Any

import pytest

from emulator.openshift import host_system, units
from emulator.openshift.installation import Installation, InstallationError
from shared.installer import host_files
from shared.installer.units import ROWS as UNITS
from tests.unit.installer import bootstrap_machine, example
from tests.unit.installer.bootstrap_machine import IDS

# Which stage of the cluster does not come without it stands in `emulator/openshift/bootstrap.py`.
_NEEDED_UNITS = (
    "release-image.service",
    "kubelet.service",
    "bootkube.service",
    "approve-csr.service",
    "progress.service",
)
_WITHOUT_CONSEQUENCE = {
    "/etc/ignition-machine-config-encapsulated.json": "without it the first boot asks for nothing",
    "/etc/motd": "people read it when they log in",
    "/etc/pki/ca-trust/source/anchors/ca.crt": "it is empty: the customer has no authorities",
    "/etc/profile.d/proxy.sh": "it is empty: there is no proxy",
    "/etc/systemd/system.conf.d/10-default-env.conf": "it sets nothing: there is no proxy",
    "/etc/systemd/system.conf.d/10-default-env-godebug.conf": "the certificates here have alternative names",
    "/usr/local/bin/installer-gather.sh": "people run it when an install has come to nothing",
    "/usr/local/bin/installer-masters-gather.sh": "the one above sends it to the masters",
    "chown-gatewayd-key.service": "only the journal's gateway needs it, which nothing at boot asks",
    "systemd-journal-gatewayd.service": "idem",
    "systemd-journal-gatewayd.socket": "idem",
}


def boot(ignition: Any) -> str:
    """Return why a machine's own system does not get as far as a cluster needs it, "" when it does."""
    try:
        installation = Installation([json.dumps(ignition)], "")
        host_system.has_validated_modules(installation.text(host_system.FIRST_BOOT))
        host_system.pull(installation)
    except InstallationError as error:
        return str(error)
    reasons = (units.failure(name, installation.units, installation.files) for name in _NEEDED_UNITS)
    return next((reason for reason in reasons if reason), "")


def mirrored(flavour: str) -> Any:
    """Return a bootstrap ignition whose images come from the service's registry alone."""
    made = copy.deepcopy(bootstrap_machine.ignition(flavour))
    registry = next(file for file in made["storage"]["files"] if file["path"] == host_system.CREDENTIALS)
    registry["contents"] = {"source": 'data:,{"auths":{"arosvc.azurecr.io":{"auth":"eA=="}}}'}
    return made


def without(ignition: Any, name: str) -> Any:
    """Return an ignition without a file or a unit."""
    made = copy.deepcopy(ignition)
    made["storage"]["files"] = [file for file in made["storage"]["files"] if file["path"] != name]
    made["systemd"]["units"] = [unit for unit in made["systemd"]["units"] if unit["name"] != name]
    return made


@pytest.mark.parametrize("flavour", IDS)
def test_a_machine_boots_from_the_ignition_as_it_is(flavour: str) -> None:
    """Its system runs all that the cluster needs of it."""
    assert boot(mirrored(flavour)) == ""


@pytest.mark.parametrize("flavour", IDS)
def test_each_file_and_unit_is_missed_by_name_or_not_needed_for_a_reason(flavour: str) -> None:
    """Those of the machine's own system, each taken away in turn."""
    whole = mirrored(flavour)
    present = {*bootstrap_machine.modes(flavour), *bootstrap_machine.units(flavour)}
    for name in {row.path for row in host_files.ROWS} | {row.name for row in UNITS}:
        if name in present:
            reason = boot(without(whole, name))
            assert bool(reason) != (name in _WITHOUT_CONSEQUENCE), name
            if reason and name not in {host_system.REGISTRIES, "crio-configure.service"}:
                assert name in reason


def test_without_mirrors_the_registry_is_named_that_refuses() -> None:
    """The pull secret holds a credential for the mirror, and not for the registry that is left."""
    assert "docker://quay.io: unauthorized" in boot(without(mirrored("A"), host_system.REGISTRIES))


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (host_system.FIRST_BOOT, "{}", "has no spec.fips"),
        (host_system.FIRST_BOOT, '{"spec":{"fips":"yes"}}', 'spec.fips is "yes", not true or false'),
        (host_system.REGISTRIES, "[[registry]", "loading registries configuration"),
        (host_system.CREDENTIALS, "{}", "no credentials of registries"),
    ],
)
def test_a_file_that_is_wrong_is_named(path: str, text: str, reason: str) -> None:
    """With what is wrong about it."""
    made = mirrored("A")
    next(file for file in made["storage"]["files"] if file["path"] == path)["contents"] = {"source": f"data:,{text}"}
    said = boot(made)
    assert path in said
    assert reason in said


def test_a_machine_with_validated_modules_boots_again() -> None:
    """Where the customer asked for them."""
    profile = example.CLUSTER["properties"]["clusterProfile"] | {"fipsValidatedModules": "Enabled"}
    made = example.remade(example.given(example.cluster(clusterProfile=profile)))
    assert host_system.has_validated_modules(made.file(host_system.FIRST_BOOT))
    assert not host_system.has_validated_modules(example.made().file(host_system.FIRST_BOOT))
