"""The facts about the three ignition files."""

import json

from tests.product.unit.installer.facts import facts
from tests.product.unit.installer.facts.comparisons import (
    DATA_URL,
    Fact,
    Section,
    boot,
    boot_files,
    compare,
    decoded,
    made,
)


def ignition_files() -> Section:
    """Path, mode, whether it is appended, its members, whether it is empty."""
    files, wanted = boot_files(), facts.facts()["ignition"]["bootstrap.ign"]["files"]
    for fact in wanted:
        file = files.get(fact["path"], {})
        empty = not decoded(file.get("contents", {}).get("source", "").removeprefix(DATA_URL)) if file else None
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
    """The members above files and units in all three, and who may log in."""
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
