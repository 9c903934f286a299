"""The plan that ends all admin credentials of a cluster, the installer's and the service's own included.

Both signers are trusted until every API server has accepted credentials of the new one, which the service then uses. So
it can sign in at each row. What a revocation that failed has left behind, the next one ends.
"""

from orchestrators.plans.rows import A_FEW_RESTARTS, action, condition, section
from shared.remedies import REVOKE

# fmt: off
_REVOKE = section("revoke",
    condition("api_servers_available", 15, "the API servers to be available on every master", remedy=REVOKE),
    action("prepare_revocation", 5, "a new signer, and credentials that it has signed, to be in Key Vault",
        needs=("api_servers_available",), remedy=REVOKE),
    action("trust_new_signer", 10, "the cluster to be told to trust the new signer, too",
        needs=("prepare_revocation",), remedy=REVOKE),
    condition("new_credentials_accepted", 30, "the API server of every master to accept the new credentials",
        shortest=A_FEW_RESTARTS, needs=("trust_new_signer",), remedy=REVOKE),
    action("switch_credentials", 5, "the service to use the new credentials",
        needs=("new_credentials_accepted",), remedy=REVOKE),
    action("remove_former_signers", 10, "the cluster to be told to trust the new signer alone",
        needs=("switch_credentials",), remedy=REVOKE),
    condition("former_credentials_refused", 30, "the API server of every master to refuse the former credentials",
        shortest=A_FEW_RESTARTS, needs=("remove_former_signers",), remedy=REVOKE),
    action("forget_former_credentials", 5, "Key Vault to disable the former signers and credentials",
        needs=("former_credentials_refused",), remedy=REVOKE),
)
_FINISH = section("finish",
    action("finish", 5, "the result to be stored", executor="finish_operation", needs=("forget_former_credentials",)),
)
# fmt: on

REVOKE_CREDENTIALS = _REVOKE + _FINISH
