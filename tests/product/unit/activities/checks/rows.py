"""Checks that are called alone, whatever plan has them."""

from typing import Any

from activities.runtime.wrapper import perform
from tests.product.unit.activities.calls import as_json, payload


def check(target: str) -> dict[str, Any]:
    """Run a check of the validation phase once, by `module:attribute` below `activities.checks`."""
    row = {
        "name": target.split(":")[1],
        "phase": "validation",
        "kind": "action",
        "message": "Correct it.",
        "waitsFor": "",
        "deadlineSeconds": 60,
    }
    return as_json(perform(f"activities.checks.{target}", payload(row, "run")))


def problems(outcome: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return code, target and message of each problem, without the entries that every failed step adds."""
    assert outcome["outcome"] == "failed"
    details = outcome["error"]["details"]
    entries = details[: [detail["code"] for detail in details].index("Step")]
    return [(entry["code"], entry.get("target", ""), entry["message"]) for entry in entries]
