"""The plan that starts a stopped cluster, up to the point where all of its operators are available.

Kubelets whose certificates have ended during the stop ask for others, and nobody in the cluster approves these. The
rows that wait for nodes do it, for the machines that this start has started.

The cluster's credential in Azure is checked only when the nodes are ready. If it has ended during the stop, the cluster
can then get another one by an update, which needs its API servers, and the start is repeated.

Source: openshift/hive `pkg/controller/hibernation/hibernation_controller.go`.
"""

from dataclasses import replace

from orchestrators.plans.create import IDENTITIES, PRINCIPALS
from orchestrators.plans.rows import action, begin_and_poll, condition, section
from shared.remedies import START_CREDENTIAL, START_INSIDE

# Azure may have no room for a machine for hours.
_HOURS_OF_PATIENCE = 6 * 60
_CREDENTIALS = tuple(
    replace(row, section="start", needs=("uncordon_nodes",), message=START_CREDENTIAL)
    for row in (*PRINCIPALS, *IDENTITIES)
    if row.name in ("validate_service_principal", "ensure_identity_certificate")
)

# fmt: off
START = section("start",
    action("note_start", 5, "the beginning of the start to be stored"),
    begin_and_poll("start_masters", _HOURS_OF_PATIENCE, "Azure to start the masters", poll=30, usual=120,
        needs=("note_start",)),
    begin_and_poll("start_workers", _HOURS_OF_PATIENCE, "Azure to start the workers", poll=30, usual=120,
        needs=("note_start",)),
    condition("api_server_ready", 45, "an API server to be ready", needs=("start_masters",), remedy=START_INSIDE),
    condition("masters_ready", 45, "the masters' nodes to be ready", poll=30, needs=("api_server_ready",),
        remedy=START_INSIDE),
    condition("other_nodes_ready", 45, "the workers' nodes to be ready", poll=30, needs=("masters_ready", "start_workers"),
        remedy=START_INSIDE),
    action("uncordon_nodes", 10, "the nodes to take pods again", needs=("other_nodes_ready",)),
) + _CREDENTIALS + section("start",
    condition("operators_settled", 60, "every operator to be available and at rest", poll=30, usual=600,
        needs=("validate_service_principal", "ensure_identity_certificate"), remedy=START_INSIDE),
    action("unpause_health_checks", 10, "the machine health checks to go on", needs=("operators_settled",)),
    action("note_running", 5, "the end of the start to be stored", needs=("unpause_health_checks",)),
) + section("finish",
    action("finish", 5, "the result to be stored", executor="finish_operation", needs=("note_running",)),
)
# fmt: on
