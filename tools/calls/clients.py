"""Finds out who made a call in a journal, by the caller's name, the step that it calls for, and the run."""

from http import HTTPStatus

from emulator.core.journal import Entry
from emulator.core.platform import Platform
from emulator.entra import EntraModel

PRODUCT, DEMO, STORIES, PHASES = "product", "demo", "stories", "phases"
RUNS = (PRODUCT, DEMO, STORIES, PHASES)
MACHINES, UNSIGNED = "machines", "unsigned"
# The columns of the page, in this order.
CLIENTS = (*RUNS, MACHINES, UNSIGNED)

CLUSTERS = "kubernetes"
# The journal's names for the local Azure's own service, and for hosts that nothing emulates.
NOT_AZURE = ("control", "unsupported")
# The common name of the product's client certificate for clusters.
CLUSTER_USER = "system:aro-service"
ADMINISTRATOR = "system:admin"
# The bootstrap machine has the administrator's kubeconfig; these are the paths that it asks for
# (`emulator/openshift/cluster/bootstrap.py`).
ASKED_BY_BOOTSTRAP = ("/api", "/apis/config.openshift.io/v1", "/api/v1/namespaces/kube-system")
# Prefixes of the names of callers that are always emulated machines: those that download ignition, and kubelets.
OF_MACHINES = ("SAS of ", "system:serviceaccount:", "system:node:")


class Clients:
    """Tells the clients apart.

    Args:
        platform: a seeded local Azure, which has the names and ids of the product's identities.
    """

    def __init__(self, platform: Platform) -> None:
        world, entra = platform.world, platform.model(EntraModel)
        names = {CLUSTER_USER}
        tenants, client_id = (world.tenant_id, world.rp_tenant_id), world.first_party_client_id
        principals = [entra.service_principal(tenant_id, client_id) for tenant_id in tenants]
        names |= {client_id, entra.application(client_id)["displayName"]}
        names |= {principal["objectId"] for principal in principals if principal is not None}
        # The app's identity has the name of the service. Its ids are other ones in each run.
        names.add(world.service)
        self._product = frozenset(names)

    def of(self, entry: Entry, run: str) -> str | None:
        """Return who made a call, or None if the call does not count.

        Only the product names the step that it calls for. So a step also distinguishes the product's calls as a
        cluster's principal, or with a SAS, from those of others.

        Args:
            entry: the call.
            run: the run that the journal is from. In the product's, the customers are tests and do not count; in those
                of phases, only what is asked of clusters counts, because tests make the clusters.
        """
        if entry.service in NOT_AZURE or entry.status == HTTPStatus.UNAUTHORIZED:
            return None
        if entry.step or entry.caller in self._product:
            return PRODUCT
        by_bootstrap = entry.caller == ADMINISTRATOR and entry.path in ASKED_BY_BOOTSTRAP
        if entry.caller.startswith(OF_MACHINES) or by_bootstrap:
            return MACHINES
        if not entry.caller:
            # An injected failure is answered before the service learns who calls.
            return None if entry.fault else UNSIGNED
        if run == PHASES:
            return PHASES if entry.service == CLUSTERS else None
        return None if run == PRODUCT else run
