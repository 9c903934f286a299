"""A machine in a local Azure that runs in its own processes: it survives a kill, and its serial log can be read."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.storage import StorageManagementClient

from demo.customer import Customer, create_network
from emulator.json_object import Json
from tests import local_azure
from tests.local_azure import LocalAzure, wait_for

# A plain Linux boots in a minute of emulated time: at this scale, long enough to kill the services meanwhile.
TIME_SCALE = 10
ACCOUNT = "clusterdiagnostics"


@pytest.fixture(scope="module")
def own_azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    """Run a local Azure that the tests may kill."""
    with local_azure.running(tmp_path_factory.mktemp("state"), TIME_SCALE) as azure:
        yield azure


def _machine(customer: Customer) -> Json:
    """Create the network, interface and storage account that a plain Linux needs; return the machine's body."""
    create_network(customer)
    network, storage = customer.client(NetworkManagementClient), customer.client(StorageManagementClient)
    subnet = {"id": f"{customer.vnet_id}/subnets/worker"}
    interface: Any = {
        "location": "eastus",
        "properties": {"ipConfigurations": [{"name": "ip", "properties": {"subnet": subnet}}]},
    }
    made = network.network_interfaces.begin_create_or_update(customer.group, "nic", interface).result()
    account: Any = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"}
    storage.storage_accounts.begin_create(customer.group, ACCOUNT, account).result()
    diagnostics = {"enabled": True, "storageUri": f"https://{ACCOUNT}.blob.core.windows.net/"}
    return {
        "location": "eastus",
        "properties": {
            "hardwareProfile": {"vmSize": "Standard_D2s_v5"},
            "storageProfile": {
                "imageReference": {
                    "publisher": "Canonical",
                    "offer": "ubuntu-24_04-lts",
                    "sku": "server",
                    "version": "latest",
                },
                "osDisk": {"createOption": "FromImage"},
            },
            "osProfile": {"adminUsername": "azureuser", "adminPassword": "NotActuallyApplied!"},
            "networkProfile": {"networkInterfaces": [{"id": made.id}]},
            "diagnosticsProfile": {"bootDiagnostics": diagnostics},
        },
    }


def _kill_and_start_again(azure: LocalAzure) -> None:
    """Kill the process of the services, which supervises the others, and start it again as a user would."""
    pid = azure.pid("azure")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    azure.command("up", "--detach", "--time-scale", str(TIME_SCALE))


def test_a_machine_that_boots_survives_a_kill_of_the_local_azure(own_azure: LocalAzure) -> None:
    """An operation begun before the kill ends after it, and the serial log can be read with the SAS alone."""
    customer = own_azure.customer("machines")
    compute: Any = customer.client(ComputeManagementClient)
    body = _machine(customer)
    begun = compute.virtual_machines.begin_create_or_update(customer.group, "vm", body, polling=False).result()
    assert begun.properties.provisioning_state == "Creating"

    def state() -> str:
        return str(compute.virtual_machines.get(customer.group, "vm").properties.provisioning_state)

    _kill_and_start_again(own_azure)
    # The restart takes as long as this computer needs, so the VM may have booted by the time the services are back.
    assert wait_for(lambda: (found := state()) != "Creating" and found, "the machine") == "Succeeded"
    uri = compute.virtual_machines.retrieve_boot_diagnostics_data(customer.group, "vm").serial_console_log_blob_uri
    options = own_azure.client_options
    with requests.Session() as session:
        session.trust_env = False
        log = session.get(uri, proxies=options["proxies"], verify=options["connection_verify"], timeout=60)
        unsigned = uri.partition("?")[0]
        refused = session.get(unsigned, proxies=options["proxies"], verify=options["connection_verify"], timeout=60)
    assert log.status_code == 200
    assert log.text
    assert refused.status_code in {401, 403, 404, 409}
