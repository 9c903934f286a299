"""The plan that stops a cluster: nothing in it is at work, its pods have left, and its machines cost nothing.

It changes nothing before its checks have passed. Workers are switched off first, so that they need not do without a
control plane. A stop that continues another one finds the cluster drained and its API servers away, and skips the rows
inside it. etcd is not backed up.

Source: openshift/hive `docs/hibernating-clusters.md`, and OpenShift's documentation of hibernation.
"""

from orchestrators.plans.rows import A_FEW_RESTARTS, action, begin_and_poll, check, section
from shared.arm.errors import Owner

_IN_SERVICE = "is_to_be_drained"

# fmt: off
STOP = section("validation",
    check("validate_stop_machines", 5, "Azure to show the cluster's virtual machines", when=_IN_SERVICE),
    check("validate_stop", 10, "nodes and operators to be at rest", owner=Owner.CUSTOMER, shortest=A_FEW_RESTARTS,
        when=_IN_SERVICE),
) + section("stop",
    begin_and_poll("pin_master_addresses", 15, "Azure to make the masters' private addresses static", shortest=A_FEW_RESTARTS,
        needs=("validate_stop_machines", "validate_stop")),
    action("note_stop", 5, "the beginning of the stop to be stored", needs=("pin_master_addresses",)),
    action("pause_health_checks", 10, "the machine health checks to be paused", when=_IN_SERVICE, needs=("note_stop",)),
    action("cordon_nodes", 10, "the nodes to be cordoned", when=_IN_SERVICE, needs=("note_stop",)),
    action("drain_workers", 10, "the pods of the workers to end", poll=5, when=_IN_SERVICE,
        needs=("pause_health_checks", "cordon_nodes")),
    begin_and_poll("stop_workers", 60, "Azure to deallocate the workers", usual=120, needs=("drain_workers",)),
    begin_and_poll("stop_masters", 60, "Azure to deallocate the masters", usual=120, needs=("stop_workers",)),
    action("note_stopped", 5, "the end of the stop to be stored", needs=("stop_masters",)),
) + section("finish",
    action("finish", 5, "the result to be stored", executor="finish_operation", needs=("note_stopped",)),
)
# fmt: on
