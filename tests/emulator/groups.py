"""Resource groups that exist before a test begins."""

from emulator.arm.models import ArmModel


def ensure_group(arm: ArmModel, subscription_id: str, name: str, location: str) -> str:
    """Create a resource group if it is missing; return its id."""
    found = arm.groups.find(subscription_id, name)
    if found is None:
        found, _ = arm.groups.put(subscription_id, name, {"location": location})
    return str(found["id"])
