"""Moves the signer of admin credentials from the install graph into the vault, for clusters of earlier builds.

Requests cannot open the graph. Newer creates store the signer themselves.
"""

import logging

from azure.core.exceptions import ResourceNotFoundError

from activities.azure import cluster_secrets
from activities.machines import graph, graph_inputs
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared import tracing
from shared.arm.errors import CloudError
from shared.clusters.secrets import Purpose

_log = logging.getLogger("activities")


def _store(step: Step) -> None:
    """Store the graph's signer, unless the vault has one. A second run finds it.

    A graph that is gone, or that cannot be opened, fails no update: a revocation makes another signer without it, and
    requestAdminCredential says so.
    """
    if Purpose.ADMIN_SIGNER in graph_inputs.bundle_ids(step):
        return
    try:
        made = graph.load(step)
    except (ResourceNotFoundError, CloudError) as error:
        extra = tracing.current.get().extra()
        _log.warning("the signer of cluster %s stays out of the vault: %s", step.document["key"], error, extra=extra)
        return
    cluster_secrets.store(step, Purpose.ADMIN_SIGNER, graph.signer_of(made))


store_admin_signer = Executor(run=_store)
