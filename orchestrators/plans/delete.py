"""Delete a cluster, whatever state it was left in: each row takes away what is ours and is content where nothing is."""

from datetime import timedelta

from orchestrators.plans.rows import Row

# fmt: off
DELETE = (
    # A request of the old operation is waited for as long as its sender would have waited, which no scale shortens.
    Row(name="cancel_superseded", phase="cancel", kind="begin-and-poll",
        executor="cancel_superseded", owner="azure", poll=timedelta(seconds=2), when="supersedes_an_operation",
        deadline=timedelta(minutes=30), shortest=timedelta(minutes=2),
        waits_for="the deployments of the superseded create to end"),
    Row(name="delete_dns", phase="delete", kind="action",
        executor="delete_dns", when="uses_managed_domain",
        needs=("cancel_superseded",),
        waits_for="the cluster's records to leave the managed zone"),
    Row(name="detach_nsgs", phase="delete", kind="action",
        executor="detach_nsgs", owner="azure", poll=timedelta(seconds=2), deadline=timedelta(minutes=15),
        needs=("cancel_superseded",),
        waits_for="the subnets to let go of the cluster's network security groups",
        message="Remove locks on the virtual network, grant the resource provider Network Contributor on it, then repeat the DELETE."),
    # Before the group: Azure deletes no private link service that somebody is connected to.
    Row(name="delete_private_endpoint", phase="delete", kind="begin-and-poll",
        executor="delete_private_endpoint", owner="azure", poll=timedelta(seconds=5), deadline=timedelta(minutes=20),
        needs=("cancel_superseded",),
        waits_for="the service's private endpoint to be deleted"),
    Row(name="delete_resource_group", phase="delete", kind="begin-and-poll",
        executor="delete_resource_group", owner="azure", poll=timedelta(seconds=5), deadline=timedelta(hours=1),
        needs=("detach_nsgs", "delete_private_endpoint"),
        waits_for="Azure to delete the cluster's resource group",
        message="Remove locks on the cluster's resource group and whatever else uses its resources, then repeat the DELETE."),
    Row(name="delete_acr_token", phase="delete", kind="action",
        executor="delete_acr_token", deadline=timedelta(minutes=10),
        needs=("cancel_superseded",),
        waits_for="the container registry to delete the cluster's token"),
    Row(name="delete_certificates", phase="delete", kind="action",
        executor="delete_certificates", when="uses_managed_domain",
        needs=("delete_resource_group",),
        waits_for="Key Vault to delete the certificates of API server and ingress"),
    # Last of what is taken away: while anything above may still fail, a person may need them to look inside.
    Row(name="delete_secrets", phase="delete", kind="action",
        executor="delete_secrets",
        needs=("delete_resource_group", "delete_acr_token"),
        waits_for="Key Vault to delete the cluster's keys"),
    Row(name="end_billing", phase="delete", kind="action",
        executor="end_billing",
        needs=("delete_resource_group",),
        waits_for="the end of billing to be recorded"),
    Row(name="finish", phase="finish", kind="action",
        executor="finish_delete",
        needs=("delete_dns", "delete_certificates", "delete_secrets", "end_billing"),
        waits_for="the result to be stored"),
)
# fmt: on
