"""What a virtual machine's boot reports to Azure."""

from emulator.core.refusals import Refusal
from emulator.core.sources import documentation

# fmt: off
PROVISIONING_TIMED_OUT = Refusal(409, "OSProvisioningTimedOut",
    documentation("https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/error-messages"),
    "OS Provisioning for VM '{name}' did not finish in the allotted time. The VM may still finish provisioning "
    "successfully. Please check provisioning state later. Also, make sure the image has been properly prepared "
    "(generalized). Instructions for Linux: https://learn.microsoft.com/azure/virtual-machines/linux/capture-image")
# fmt: on
