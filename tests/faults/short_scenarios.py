"""The scenarios that `make test` runs: always the same ones, a few minutes on two cores."""

from tests.faults.scenarios import CALLS, KILLS, OUTAGES, RACES, RIGHTS, TWICE, Scenario
from tests.faults.services import TEN_MINUTES

SHORT = (
    Scenario(CALLS.name, "create", "Cosmos DB", "lost answers", "deploy_network_template", call=2),
    Scenario(OUTAGES.name, "create", "the cluster's API", "cut in the headers", "console_ready", TEN_MINUTES),
    Scenario(RIGHTS.name, "create", "Network Contributor of the cluster on vnet", "whole", ending="Explained"),
    Scenario(
        RIGHTS.name,
        "create",
        "OpenShift provider: cluster",
        "less Microsoft.Network/loadBalancers/write",
        ending="Explained",
    ),
    Scenario(TWICE.name, "create", "20 rows", "draw 1", "ensure_acr_token"),
    Scenario(RACES.name, "create", "DELETE", at="deploy_storage_template", ending="Canceled"),
    Scenario(OUTAGES.name, "delete", "Azure Resource Manager", "503", "delete_resource_group", TEN_MINUTES),
    Scenario(KILLS.name, "create", "the host", "once", "deploy_machines_template"),
    Scenario(KILLS.name, "create", "the worker", "every three seconds", 0.0, 20.0),
)
