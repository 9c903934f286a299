"""What a virtual machine's boot reports to Azure."""

from emulator.core.errors import ServiceError
from emulator.core.sources import documentation, said


@said(documentation("https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/error-messages"))
def provisioning_timed_out(name: str) -> ServiceError:
    """Return the error of a machine whose guest never reports."""
    return ServiceError(
        409,
        "OSProvisioningTimedOut",
        f"OS Provisioning for VM '{name}' did not finish in the allotted time. The VM may still finish provisioning "
        "successfully. Please check provisioning state later. Also, make sure the image has been properly prepared "
        "(generalized). Instructions for Linux: "
        "https://learn.microsoft.com/azure/virtual-machines/linux/capture-image",
    )
