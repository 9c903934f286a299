"""The role sets that a deployment begins with, as documents."""

import json
from pathlib import Path

from shared.documents import RoleSetDocument

_SEED = Path(__file__).parents[5] / "infra" / "platformWorkloadIdentityRoleSets"


def seeded() -> dict[str, RoleSetDocument]:
    """Return the role sets by minor version."""
    found: dict[str, RoleSetDocument] = {}
    for file in _SEED.glob("*.json"):
        entry: RoleSetDocument = json.loads(file.read_text(encoding="utf-8"))["properties"]
        found[file.stem] = entry | {"id": file.stem}
    return found
