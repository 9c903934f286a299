"""The plan that deletes a cluster in any state: each row removes what the service made, if there is anything left."""

from datetime import timedelta

from orchestrators.plans.rows import action, begin_and_poll, section
from shared.arm.errors import Owner

# fmt: off
_CANCEL = section("cancel",
    # A request that the old operation has sent may take effect for as long as its sender would wait, in real time.
    begin_and_poll("cancel_superseded", 30, "the deployments of the superseded create to end", poll=2,
        shortest=timedelta(minutes=2), when="supersedes_an_operation"),
)
_DELETE = section("delete",
    action("delete_dns", 5, "the cluster's records to be deleted from the managed zone", when="uses_managed_domain",
        needs=("cancel_superseded",)),
    action("detach_nsgs", 15, "the cluster's network security groups to be detached from the subnets", owner=Owner.AZURE,
        poll=2, needs=("cancel_superseded",)),
    # Before the group, because Azure does not delete a private link service that has connections.
    begin_and_poll("delete_private_endpoint", 20, "the service's private endpoint to be deleted",
        needs=("cancel_superseded",)),
    begin_and_poll("delete_resource_group", 60, "Azure to delete the cluster's resource group", usual=400,
        needs=("detach_nsgs", "delete_private_endpoint")),
    action("delete_issuer_documents", 5, "the public documents of the cluster's token issuer to be deleted",
        when="has_workload_identity", needs=("cancel_superseded",)),
    action("delete_federated_credentials", 15, "the operators' identities to lose what they have for the cluster",
        when="has_workload_identity", needs=("delete_resource_group",)),
    action("delete_acr_token", 10, "the container registry to delete the cluster's token", when="has_registry",
        needs=("cancel_superseded",)),
    action("delete_certificates", 5, "Key Vault to delete the certificates of API server and ingress",
        when="gets_certificates", needs=("delete_resource_group",)),
    # After the group and the token: while their deletion can fail, a person may need these keys to look into the cluster.
    action("delete_secrets", 5, "Key Vault to delete the cluster's keys",
        needs=("delete_resource_group", "delete_acr_token", "delete_federated_credentials")),
    action("end_billing", 5, "the end of billing to be recorded", needs=("delete_resource_group",)),
    action("copy_end_of_billing", 5, "the copy of the billing record", executor="copy_billing_record",
        when="copies_billing", needs=("end_billing",)),
)
_FINISH = section("finish",
    action("finish", 5, "the result to be stored", executor="finish_delete",
        needs=("delete_dns", "delete_issuer_documents", "delete_certificates", "delete_secrets", "copy_end_of_billing")),
)
# fmt: on

DELETE = _CANCEL + _DELETE + _FINISH
