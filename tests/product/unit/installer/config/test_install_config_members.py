"""An install-config that people wrote is completed, or refused with all its problems."""

import copy
import datetime as dt
import secrets
from random import Random
from typing import Any

import pytest

from installer.command import install_config_draft
from installer.config import install_config_members
from shared.release import release_rules
from tests.product.unit.installer import example

VERSION = "4.3.18"
Place = tuple[str | int, ...]
DEEP: list[Any] = []
for _ in range(50):
    DEEP = [DEEP]
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 31, 1 << 70, 1 << 20_000, 1.5, float("inf"), float("nan")),
    *("", " ", "\n", "\0", "\ud800", "ä", "a/b", "x" * 5_000, "1", "Disabled", "Internal"),
    *("0.0.0.0/0", "10.0.0.0/32", "10.0.0.0", "10.0.0.0/255.0.0.0", "fd00::/48", "10.128.0.0/14", "127.0.0.0/8"),
    *("{}", '{"auths": [["a", {}]]}', '{"auths": {"a": {"auth": 1}}}', '{"auths": {"a": {"auth": "\ud800"}}}'),
    *("[" * 20_000, '{"auths": ' * 20_000, '{"auths": {"\\ud800": {"auth": "eDp5"}}}'),
    *(b"\0", dt.date(2026, 1, 1), [], [[]], {}, [None], {None: 1}, {1 << 20_000: 1}, {("a",): 1}, DEEP),
)


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    """Return an install-config with every possible member."""
    completed, found = install_config_members.complete(install_config_draft.draft().config, VERSION)
    assert found == []
    encryption_set = {"subscriptionId": example.SUBSCRIPTION, "resourceGroup": "keys", "name": "set"}
    for pool in (completed["controlPlane"], completed["compute"][0]):
        pool["platform"]["azure"] |= {"encryptionAtHost": True}
        pool["platform"]["azure"]["osDisk"]["diskEncryptionSet"] = encryption_set
    return completed | {"fips": True, "additionalTrustBundle": example.made().file("tls/root-ca.crt")}


def _places(value: Any, place: Place = ()) -> list[Place]:
    """Return all paths below a value, including its own."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place] + [each for key, item in inner for each in _places(item, (*place, key))]


def _spoilt(document: Any, random: Random) -> Any:
    """Return a document with one place changed, duplicated or removed."""
    document = copy.deepcopy(document)
    place = random.choice(_places(document))
    if not place:
        return random.choice(ODD)
    holder = document
    for key in place[:-1]:
        holder = holder[key]
    act = random.choice(("other", "other", "other", "none", "more"))
    if act == "other":
        holder[place[-1]] = random.choice(ODD)
    elif act == "none":
        del holder[place[-1]]
    elif isinstance(holder, list):
        holder.append(copy.deepcopy(holder[0]))
    else:
        holder[random.choice(("strange", "a\nb", 1, None, True, 1 << 20_000))] = random.choice(ODD)
    return document


def test_no_install_config_is_too_wrong_to_be_told_so(whole: dict[str, Any]) -> None:
    """Any input is either refused, with fields and sentences that can be printed, or completed."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")  # noqa: T201 - to run it again
    random = Random(seed)  # noqa: S311 - it chooses mistakes
    made = 0
    for _ in range(500):
        document = whole
        for _ in range(random.choice((1, 1, 1, 2, 5))):
            document = _spoilt(document, random)
        config, found = install_config_members.complete(document, VERSION)
        for field, sentence in found:
            assert field, (seed, sentence)
            assert field.isprintable(), (seed, field)
            assert sentence, (seed, field)
        if not found and made < 8:
            example.remade(example.given() | {"install-config": config})
            made += 1
    assert made, seed


def _complete(whole: dict[str, Any], path: str, value: Any) -> list[str]:
    """Return the fields that are reported if one member is changed; numbers index arrays."""
    document: Any = copy.deepcopy(whole)
    holder = document
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for parent in parents:
        holder = holder[parent]
    holder[last] = value
    return [field for field, _ in install_config_members.complete(document, VERSION)[1]]


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        ("networking.serviceNetwork", ["10.0.0.0/32"], ["networking.serviceNetwork[0]"]),
        ("networking.serviceNetwork", ["10.0.0.0"], ["networking.serviceNetwork[0]"]),
        (
            "networking.serviceNetwork",
            ["nothing", "172.30.0.0/16"],
            ["networking.serviceNetwork[1]", "networking.serviceNetwork[0]"],
        ),
        ("networking.serviceNetwork", [], ["networking.serviceNetwork"]),
        ("networking.machineNetwork", [], ["networking.machineNetwork"]),
        ("networking.machineNetwork", [{"cidr": "x"}], ["networking.machineNetwork[0].cidr"]),
        (
            "networking.machineNetwork",
            [{"cidr": "10.0.0.0/16"}, {"cidr": "10.0.1.0/24"}, {"cidr": "172.30.1.0/24"}],
            ["networking.machineNetwork[2].cidr", "networking.machineNetwork[1].cidr"],
        ),
        ("controlPlane.name", "worker", ["controlPlane.name"]),
        ("compute", [{"replicas": 1}, {}], ["compute[1]", "compute[0].replicas"]),
        ("compute.0.replicas", 1 << 64, ["compute[0].replicas"]),
        ("imageContentSources.0.source", "", ["imageContentSources[0].source"]),
        ("platform.azure.region", "east\nus", ["platform.azure.region"]),
        ("platform.azure.resourceGroupName", "a\tb", ["platform.azure.resourceGroupName"]),
        ("platform.azure.computeSubnet", "a/b", ["platform.azure.computeSubnet"]),
        ("sshKey", "\ud800", ["sshKey"]),
        ("strange", {}, ["strange"]),
    ],
)
def test_what_openshifts_installer_would_refuse_is_told_by_its_field(
    whole: dict[str, Any], path: str, value: Any, want: list[str]
) -> None:
    """Once, with the index in a list."""
    assert sorted(_complete(whole, path, value)) == sorted(want)


@pytest.mark.parametrize(("pool", "machine_sets"), [("controlPlane", 3), ("compute", 1)])
def test_an_empty_list_of_zones_is_a_region_without_zones(whole: dict[str, Any], pool: str, machine_sets: int) -> None:
    """It stands for a missing one. Machines are made all the same."""
    document = copy.deepcopy(whole)
    pools = [document[pool]] if pool == "controlPlane" else document[pool]
    pools[0]["platform"]["azure"]["zones"] = []
    config, found = install_config_members.complete(document, VERSION)
    assert found == []
    made = example.remade(example.given() | {"install-config": config}).contents
    names = [name for content in made.values() for name in content]
    assert sum("api_master-machines-" in name for name in names) == release_rules.MASTERS
    assert sum("api_worker-machineset-" in name for name in names) == machine_sets


def test_a_member_whose_name_is_no_text_is_told_by_what_it_is(whole: dict[str, Any]) -> None:
    """`on:` is true in YAML; a name may also be a number of any length, or contain a line end."""
    _, found = install_config_members.complete(whole | {True: 1, 1 << 20_000: 1, "a\nb": 1}, VERSION)
    assert [field for field, _ in found] == ["(true or false)", "(a number)", r"'a\nb'"]
