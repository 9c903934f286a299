"""People with aroctl, and what they need in Azure."""

import os
from dataclasses import dataclass
from pathlib import Path

from emulator.run.exports import network_environment
from tests.e2e.client.terminals import Person
from tests.entra_azure import ARM, Caller, EntraAzure
from tests.local_azure import wait_for
from tests.product.integration.own.stage import PULL_SECRET, Tenant, network_role, tenant


@dataclass(frozen=True)
class Owner:
    """Somebody who may have a cluster: the network is there, and the service may use it.

    Args:
        azure: the platform.
        tenant: the network, the cluster's principal, and who calls.
        person: their terminals.
    """

    azure: EntraAzure
    tenant: Tenant
    person: Person

    @property
    def flags(self) -> tuple[str, ...]:
        """What they type to create their cluster."""
        return (
            *("--domain", self.tenant.domain, "--vnet", self.tenant.vnet_id.rpartition("/")[2]),
            *("--client-id", self.tenant.principal["client_id"], "--pull-secret", "pull-secret.txt"),
        )

    def grant(self) -> None:
        """Give the cluster's principal its role on the network."""
        principal = self.tenant.principal["object_id"]
        self.azure.assign(principal, "Network Contributor", self.tenant.vnet_id, kind="ServicePrincipal")

    def make_zone(self) -> None:
        """Make the zone of their domains."""
        zone = f"{ARM}{self.tenant.group_id}/providers/Microsoft.Network/dnsZones/{self.tenant.zone}"
        self.azure.administrate("PUT", f"{zone}?api-version=2018-05-01", {"location": "global"})


def newcomer(azure: EntraAzure, folder: Path, name: str) -> tuple[Caller, Person]:
    """Return somebody who has signed in as programs do, and has no rights yet.

    Args:
        azure: the platform.
        folder: holds their home.
        name: their name.
    """
    caller, home = azure.application(name), folder / name
    home.mkdir()
    (home / "pull-secret.txt").write_text(PULL_SECRET, encoding="utf-8")
    environment = network_environment(azure.endpoints["proxy"], azure.endpoints["ca_bundle"]) | {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AZURE_TENANT_ID": azure.endpoints["tenant_id"],
        "AZURE_CLIENT_ID": caller.sign_in["client_id"],
        "AZURE_CLIENT_SECRET": caller.sign_in["client_secret"],
    }
    return caller, Person(environment, home)


def owner(azure: EntraAzure, folder: Path, name: str) -> Owner:
    """Return somebody with a network in a group of their own, who has not configured aroctl yet.

    Args:
        azure: the platform.
        folder: holds their home.
        name: their name, and their cluster's.
    """
    caller, person = newcomer(azure, folder, name)
    found = tenant(azure, name, caller)
    azure.assign(azure.endpoints["rp_object_id"], network_role(azure), found.vnet_id, kind="ServicePrincipal")
    azure.assign(caller.object_id, "Contributor", found.group_id, kind="ServicePrincipal")
    secret = {"CLIENT_SECRET": found.principal["client_secret"]}
    return Owner(azure, found, Person({**person.environment, **secret}, person.home))


def configuration(azure: EntraAzure, group: str) -> tuple[str, ...]:
    """Return the words that configure aroctl. The platform has two subscriptions; the address says the rest."""
    return ("configure", azure.endpoints["service"], "--subscription", azure.endpoints["subscription_id"], "-g", group)


def configure(azure: EntraAzure, person: Person, group: str) -> None:
    """Let somebody configure aroctl."""
    done = person.pipe(*configuration(azure, group))
    assert done.code == 0, done.err
    assert f"api://{azure.endpoints['api_client_id']}/.default" in done.out


def sees(person: Person, cluster_id: str) -> None:
    """Wait until a new role has spread."""
    wait_for(lambda: person.pipe("show", cluster_id).code == 0 or None, "a new role to spread")
