"""The serial console of a machine: often the only evidence about a machine that did not boot."""

from datetime import timedelta

from azure.core.exceptions import AzureError
from azure.mgmt.compute import ComputeManagementClient
from azure.storage.blob import BlobClient

from activities.azure import storage
from activities.runtime.step import Step
from shared import answer_framing, cloud, durations, tracing
from shared.azure.azure_errors import clean

_LINES = 10
# A serial log grows to megabytes; the last few screens contain what matters.
_TAIL_BYTES = 16 * 1024
_SHOWN_CHARACTERS = 900


def last_lines(step: Step, vm_name: str, lines: int = _LINES) -> str:
    """Return the last lines of a machine's serial log, or "" if it has none or Azure cannot be asked.

    The result helps to explain a failure and must not hide it, so no answer of Azure is an error here. Signatures are
    removed, because a machine that cannot fetch its ignition writes the address that it tried.

    Args:
        step: the step that failed.
        vm_name: name of the machine.
        lines: how many lines to return.

    Raises:
        FenceMoved: if this attempt was superseded, because asking Azure takes a POST.
    """
    try:
        text = _tail(step, vm_name)
    except AzureError:
        return ""
    # The console's colours and carriage returns would otherwise reach people's terminals.
    readable = "".join(character for character in text if character == "\n" or character.isprintable())
    return _shortened(clean("\n".join([line for line in readable.splitlines() if line.strip()][-lines:])))


def _shortened(text: str) -> str:
    """Return the last whole lines that fit; if not even one fits, its end."""
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    end = text[-_SHOWN_CHARACTERS:]
    return end.partition("\n")[2] or end


def _tail(step: Step, vm_name: str) -> str:
    machines = step.customer(ComputeManagementClient).virtual_machines
    links = machines.retrieve_boot_diagnostics_data(
        step.resource_group, vm_name, sas_uri_expiration_time_in_minutes=durations.CONSOLE_LINK // timedelta(minutes=1)
    )
    if not links.serial_console_log_blob_uri:
        return ""
    with BlobClient.from_blob_url(
        links.serial_console_log_blob_uri,
        transport=cloud.short_transport(),
        # Its first retry would come after 15 seconds, which is too long for a mere explanation.
        retry_total=0,
        raw_request_hook=tracing.add_headers,
        raw_response_hook=answer_framing.expect_whole,
    ) as blob:
        size = blob.get_blob_properties().size
        if not size:
            return ""
        return storage.read(blob, max(0, size - _TAIL_BYTES), _TAIL_BYTES).decode(errors="replace")
