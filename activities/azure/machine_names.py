"""The names of the machines that the service makes, and of their network interfaces, as in the templates."""

from shared.release.release_rules import MASTERS


def bootstrap(infra_id: str) -> str:
    """Return the name of the bootstrap machine."""
    return f"{infra_id}-bootstrap"


def masters(infra_id: str) -> list[str]:
    """Return the names of the masters."""
    return [f"{infra_id}-master-{number}" for number in range(MASTERS)]


def is_master(infra_id: str, name: str) -> bool:
    """Tell whether a virtual machine of this name is a master. One that the cluster has replaced has another number."""
    return name.startswith(f"{infra_id}-master-")


def bootstrap_interface(infra_id: str) -> str:
    """Return the name of the bootstrap machine's network interface."""
    return f"{bootstrap(infra_id)}-nic"


def master_interfaces(infra_id: str) -> list[str]:
    """Return the names of the masters' network interfaces."""
    return [f"{infra_id}-master{number}-nic" for number in range(MASTERS)]
