"""The plan that renews what ends in a living cluster, and what neither OpenShift nor Azure renew there by themselves.

The service runs it by a timer, and whoever may write the cluster on request. Most rows find nothing to do. They are
independent of each other, so a failure of one lets the others go on: that is why all of them are `together`.

Only one row can make the API servers roll out again, and it begins when no other roll-out is going on.
"""

from orchestrators.plans.rows import A_FEW_RESTARTS, action, condition, section
from shared.remedies import RENEWAL, RENEWAL_INSIDE

# fmt: off
# What is outside of the cluster comes first: it is renewed even if the cluster does not answer.
_OUTSIDE = section("outside",
    action("ensure_identity_certificate", 15, "Azure to issue the certificate of the cluster identity",
        when="has_identity_certificate", together=True, remedy=RENEWAL),
    action("renew_acr_password", 10, "the container registry to make another password before the cluster's own ends",
        poll=5, shortest=A_FEW_RESTARTS, when="has_registry", together=True, remedy=RENEWAL),
    action("renew_user_kubeconfig", 10, "the administrators' kubeconfig to have at least nine months left",
        shortest=A_FEW_RESTARTS, together=True, remedy=RENEWAL),
)
_INSIDE = section("inside",
    condition("api_servers_available", 30, "the API servers to be available on every master",
        together=True, remedy=RENEWAL_INSIDE),
    action("update_pull_secret", 10, "the cluster's pull secret to have the password of the service's registry",
        when="has_registry", needs=("renew_acr_password", "api_servers_available"), together=True, remedy=RENEWAL_INSIDE),
    action("configure_api_server_certificate", 10, "the API server to take the certificate of its public name",
        when="gets_certificates", needs=("api_servers_available",), together=True, remedy=RENEWAL_INSIDE),
    condition("api_server_certificate_served", 20, "the API servers to present the newest certificate", poll=30,
        shortest=A_FEW_RESTARTS, when="gets_certificates", needs=("configure_api_server_certificate",), together=True,
        remedy=RENEWAL_INSIDE),
    condition("api_servers_ready", 45, "the API servers to be rolled out on every master", poll=30,
        when="gets_certificates", needs=("api_server_certificate_served",), together=True, remedy=RENEWAL_INSIDE),
    action("configure_ingress_certificate", 10, "the router to take the certificate of the cluster's applications",
        when="gets_certificates", needs=("api_servers_available",), together=True, remedy=RENEWAL_INSIDE),
    action("renew_default_ingress_certificate", 10, "the router's own certificate, and its authority, to be renewed",
        shortest=A_FEW_RESTARTS, needs=("configure_ingress_certificate",), together=True, remedy=RENEWAL_INSIDE),
    condition("ingress_certificate_served", 20, "the router to present its certificate", poll=30,
        shortest=A_FEW_RESTARTS, needs=("renew_default_ingress_certificate",), together=True, remedy=RENEWAL_INSIDE),
    action("renew_machine_config_server_certificate", 10,
        "the machine-config server to have a certificate for its names", shortest=A_FEW_RESTARTS,
        needs=("api_servers_available",), together=True, remedy=RENEWAL_INSIDE),
)
_FINISH = section("finish",
    action("finish", 5, "the result to be stored", executor="finish_operation",
        needs=("ensure_identity_certificate", "renew_acr_password", "renew_user_kubeconfig", "update_pull_secret",
               "api_servers_ready", "ingress_certificate_served", "renew_machine_config_server_certificate")),
)
# fmt: on

RENEW = _OUTSIDE + _INSIDE + _FINISH
