"""Every path that this service answers, on one screen: verbs, callers, checks, and needs of each verb.

The host takes the first template that fits, in the order of function names. So no two templates may fit one path
(tested), and the functions of unknown paths sort last: one below `/sre`, one for all others. The names of its
parameters decide which checks a path gets, see `middleware/path.py`.
"""

from frontend import readiness_checks
from frontend.actions import power, renewal
from frontend.admin import sre_clusters, sre_openshift_versions, sre_operation_get, sre_role_sets
from frontend.bodies import Body
from frontend.callers import rights
from frontend.callers.caller import Caller
from frontend.callers.rights import Open, Role
from frontend.clusters import (
    expirations_get,
    openshift_cluster_credentials,
    openshift_cluster_delete,
    openshift_cluster_get,
    openshift_cluster_list,
    openshift_cluster_put_or_patch,
    openshift_version_get,
    role_set_get,
    subscription_put,
)
from frontend.dry_runs import dry_run, openshift_cluster_preflight
from frontend.messages import Route, Verb
from frontend.middleware.body import MAX_BYTES
from frontend.operations import async_operation_get, cluster_operations, operations_list
from frontend.portal import files, subscriptions_list
from shared.bundles.archive import MOST_BYTES_PACKED
from shared.clusters.api_versions import (
    CREDENTIALS,
    DRY_RUN,
    EXPIRATIONS,
    LIST_ADMIN_CREDENTIALS,
    LIST_CREDENTIALS,
    OPEN_SHIFT_VERSION,
    OPEN_SHIFT_VERSIONS,
    OPERATIONS,
    PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS,
    POWER,
    RENEW,
    REQUEST_ADMIN_CREDENTIAL,
    REVOKE_CREDENTIALS,
)
from shared.clusters.subscriptions import MAY_WRITE
from shared.settings import Callers

_S = "subscriptions/{subscriptionId}"
_RG = _S + "/resourceGroups/{resourceGroupName}"
_P = "providers/{resourceProviderNamespace}"
_CLUSTERS = _P + "/{resourceType}"
_C = _RG + "/" + _CLUSTERS + "/{resourceName}"
_SITE = "sre/" + _P + "/sites/{siteName}"
_L = _S + "/" + _P + "/locations/{location}"

# fmt: off
ROUTES = (
    Route("http_cluster", _C, {
        "PUT": Verb(openshift_cluster_put_or_patch.put, MAY_WRITE, begins=True, conditional=True, needs=rights.WRITE,
                    answers={200: Body.CLUSTER, 201: Body.CLUSTER}, takes=Body.CLUSTER),
        "PATCH": Verb(openshift_cluster_put_or_patch.patch, MAY_WRITE, begins=True, conditional=True, needs=rights.WRITE,
                      answers={200: Body.CLUSTER}, takes=Body.CLUSTER_UPDATE),
        "GET": Verb(openshift_cluster_get.get, conditional=True, needs=rights.READ,
                    answers={200: Body.CLUSTER, 304: Body.NONE}),
        # The subscription's state matters only if there is a cluster, so the handler checks it.
        "DELETE": Verb(openshift_cluster_delete.delete, begins=True, conditional=True, needs=rights.DELETE,
                       answers={202: Body.NONE, 204: Body.NONE}),
    }, durable=True),
    Route("http_cluster_admin_credentials", _C + "/listAdminCredentials",
          {"POST": Verb(openshift_cluster_credentials.list_admin_credentials, MAY_WRITE,
                        needs=rights.LIST_ADMIN_CREDENTIALS, answers={200: Body.KUBECONFIG})}, feature=LIST_ADMIN_CREDENTIALS),
    Route("http_cluster_credentials", _C + "/listCredentials",
          {"POST": Verb(openshift_cluster_credentials.list_credentials, MAY_WRITE, needs=rights.LIST_CREDENTIALS,
                        answers={200: Body.CREDENTIALS})},
          feature=LIST_CREDENTIALS),
    Route("http_cluster_credentials_alias", _C + "/credentials",
          {"POST": Verb(openshift_cluster_credentials.list_credentials, MAY_WRITE, needs=rights.LIST_CREDENTIALS,
                        answers={200: Body.CREDENTIALS})}, feature=CREDENTIALS),
    Route("http_cluster_admin_credential", _C + "/requestAdminCredential",
          {"POST": Verb("frontend.credentials.admin_credential:request_admin_credential", MAY_WRITE,
                        needs=rights.LIST_ADMIN_CREDENTIALS, takes=Body.CREDENTIAL_REQUEST,
                        answers={200: Body.CREDENTIAL})}, feature=REQUEST_ADMIN_CREDENTIAL),
    Route("http_cluster_dry_run", _C + "/dryRun",
          {"POST": Verb(dry_run.begin_put, MAY_WRITE, needs=rights.WRITE, takes=Body.CLUSTER,
                        answers={200: Body.DRY_RUN, 202: Body.DRY_RUN_STATUS})}, feature=DRY_RUN, durable=True),
    Route("http_cluster_dry_run_result", _C + "/dryRuns/{dryRunId}",
          {"GET": Verb(dry_run.get_put, needs=rights.WRITE, answers={200: Body.DRY_RUN, 202: Body.DRY_RUN_STATUS})},
          feature=DRY_RUN, durable=True),
    Route("http_cluster_expirations", _C + "/expirations",
          {"GET": Verb(expirations_get.list_all, needs=rights.READ, answers={200: Body.EXPIRATIONS})}, feature=EXPIRATIONS),
    Route("http_cluster_operation", _C + "/operations/{operationId}",
          {"GET": Verb(cluster_operations.get, needs=rights.READ, answers={200: Body.CLUSTER_OPERATION})}, feature=OPERATIONS),
    Route("http_cluster_operation_cancel", _C + "/operations/{operationId}/cancel",
          {"POST": Verb(cluster_operations.cancel, MAY_WRITE, needs=rights.WRITE, answers={202: Body.CLUSTER_OPERATION})},
          feature=OPERATIONS),
    Route("http_cluster_operations", _C + "/operations",
          {"GET": Verb(cluster_operations.list_all, needs=rights.READ, answers={200: Body.CLUSTER_OPERATIONS})}, feature=OPERATIONS),
    Route("http_cluster_renewal", _C + "/renew",
          {"POST": Verb(renewal.renew, MAY_WRITE, begins=True, conditional=True, needs=rights.WRITE,
                        answers={202: Body.NONE})}, feature=RENEW, durable=True),
    Route("http_cluster_start", _C + "/start",
          {"POST": Verb(power.start, MAY_WRITE, begins=True, conditional=True, needs=rights.WRITE,
                        answers={202: Body.NONE})}, feature=POWER, durable=True),
    Route("http_cluster_stop", _C + "/stop",
          {"POST": Verb(power.stop, MAY_WRITE, begins=True, conditional=True, needs=rights.WRITE,
                        answers={202: Body.NONE})}, feature=POWER, durable=True),
    Route("http_cluster_revocation", _C + "/revokeCredentials",
          {"POST": Verb("frontend.credentials.revocation:revoke_credentials", MAY_WRITE, begins=True, conditional=True,
                        needs=rights.REVOKE_CREDENTIALS, answers={202: Body.REVOCATION})},
          feature=REVOKE_CREDENTIALS, durable=True),
    Route("http_clusters_of_resource_group", _RG + "/" + _CLUSTERS,
          {"GET": Verb(openshift_cluster_list.list_in_resource_group, needs=rights.READ, answers={200: Body.CLUSTERS})}),
    Route("http_clusters_of_subscription", _S + "/" + _CLUSTERS,
          {"GET": Verb(openshift_cluster_list.list_in_subscription, needs=rights.READ_EACH, answers={200: Body.CLUSTERS})}),
    Route("http_health", "healthz", {"GET": Verb(readiness_checks.alive, needs=Open.ANYBODY)}, Caller.ANY, versioned=False),
    Route("http_health_ready", "healthz/ready",
          {"GET": Verb(readiness_checks.ready, needs=Open.ANYBODY)}, Caller.ANY, versioned=False),
    Route("http_openshift_version", _L + "/openShiftVersions/{openShiftVersion}",
          {"GET": Verb(openshift_version_get.get, needs=rights.READ_VERSIONS, answers={200: Body.VERSION})}, feature=OPEN_SHIFT_VERSION),
    Route("http_openshift_versions", _L + "/openShiftVersions",
          {"GET": Verb(openshift_version_get.list_all, needs=rights.READ_VERSIONS, answers={200: Body.VERSIONS})}, feature=OPEN_SHIFT_VERSIONS),
    Route("http_operation_result", _L + "/operationresults/{operationId}",
          {"GET": Verb(async_operation_get.get_result, needs=rights.READ_OPERATION,
                      answers={200: Body.CLUSTER, 202: Body.NONE, 204: Body.NONE})}),
    Route("http_operation_status", _L + "/operationsstatus/{operationId}",
          {"GET": Verb(async_operation_get.get_status, needs=rights.READ_OPERATION, answers={200: Body.STATUS})}),
    Route("http_operations", _P + "/operations",
          {"GET": Verb(operations_list.list_all, needs=Open.SIGNED_IN, answers={200: Body.OPERATIONS})}, versioned=False),
    # The page for people has no data. What it shows, it asks for like every other caller.
    Route("http_portal", "portal", {"GET": Verb(files.index, needs=Open.ANYBODY)}, Caller.ANY, versioned=False),
    Route("http_portal_file", "portal/{portalFile}",
          {"GET": Verb(files.get, needs=Open.ANYBODY)}, Caller.ANY, versioned=False),
    # Each resource of the body names its own api-version.
    Route("http_preflight", _RG + "/" + _P + "/deployments/{deploymentName}/preflight",
          {"POST": Verb(openshift_cluster_preflight.preflight, takes=Body.DOCUMENT,
                        unreadable=openshift_cluster_preflight.failed)},
          versioned=False, durable=True, only=Callers.ARM),
    Route("http_role_set", _L + "/platformWorkloadIdentityRoleSets/{openShiftMinorVersion}",
          {"GET": Verb(role_set_get.get, needs=rights.READ_ROLE_SETS, answers={200: Body.ROLE_SET})}, feature=PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS),
    Route("http_role_sets", _L + "/platformWorkloadIdentityRoleSets",
          {"GET": Verb(role_set_get.list_all, needs=rights.READ_ROLE_SETS, answers={200: Body.ROLE_SETS})},
          feature=PLATFORM_WORKLOAD_IDENTITY_ROLE_SETS),
    Route("http_sre_bundle", "sre/" + _P + "/bundles/{digest}", {
        "PUT": Verb("frontend.admin.sre_bundles:put", needs=Role.OPERATOR, takes=Body.ARCHIVE, most_bytes=MOST_BYTES_PACKED),
        "DELETE": Verb("frontend.admin.sre_bundles:delete", needs=Role.OPERATOR),
    }, Caller.ADMIN, versioned=False),
    Route("http_sre_cluster_expirations", "sre/" + _C + "/expirations",
          {"GET": Verb(expirations_get.list_all, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_cluster_renewal", "sre/" + _C + "/renew",
          {"POST": Verb(renewal.renew, begins=True, conditional=True, needs=Role.OPERATOR)},
          Caller.ADMIN, versioned=False, durable=True),
    # It ends what the cluster's owner has given out, too.
    Route("http_sre_cluster_revocation", "sre/" + _C + "/revokeCredentials",
          {"POST": Verb("frontend.credentials.revocation:revoke_credentials", begins=True, conditional=True,
                        needs=Role.OPERATOR_ADMIN)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_cluster_ssh_key", "sre/" + _C + "/getSshKey",
          {"POST": Verb("frontend.admin.sre_ssh_key:get", needs=Role.OPERATOR_ADMIN)}, Caller.ADMIN, versioned=False),
    Route("http_sre_cluster_start", "sre/" + _C + "/start",
          {"POST": Verb(power.start, begins=True, conditional=True, needs=Role.OPERATOR)},
          Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_cluster_stop", "sre/" + _C + "/stop",
          {"POST": Verb(power.stop, begins=True, conditional=True, needs=Role.OPERATOR)},
          Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_clusters", "sre/" + _P + "/openShiftClusters",
          {"GET": Verb(sre_clusters.list_all, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_health_ready", "sre/healthz/ready",
          {"GET": Verb(readiness_checks.ready_for_operators, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_openshift_version", "sre/" + _P + "/openShiftVersions/{openShiftVersion}", {
        "GET": Verb(sre_openshift_versions.get, needs=Role.OPERATOR),
        "PUT": Verb(sre_openshift_versions.put, needs=Role.OPERATOR, takes=Body.DOCUMENT),
        "DELETE": Verb(sre_openshift_versions.delete, needs=Role.OPERATOR),
    }, Caller.ADMIN, versioned=False),
    Route("http_sre_openshift_versions", "sre/" + _P + "/openShiftVersions",
          {"GET": Verb(sre_openshift_versions.list_all, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_operation", "sre/" + _C + "/operations/{operationId}",
          {"GET": Verb(sre_operation_get.get, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_operation_cancel", "sre/" + _C + "/operations/{operationId}/cancel",
          {"POST": Verb(cluster_operations.cancel, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_operation_durable", "sre/" + _C + "/operations/{operationId}/durable",
          # These addresses contain a key that controls every orchestration.
          {"GET": Verb(sre_operation_get.get_durable, needs=Role.OPERATOR_ADMIN)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_operations", "sre/" + _C + "/operations",
          {"GET": Verb(cluster_operations.list_all, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_plan_dry_run", "sre/" + _C + "/plans/{planName}/dryRun",
          {"POST": Verb(dry_run.begin, MAY_WRITE, needs=Role.OPERATOR, takes=Body.CLUSTER)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_plan_dry_run_result", "sre/" + _C + "/plans/{planName}/dryRuns/{operationId}",
          {"GET": Verb(dry_run.get, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_plan_row_render", "sre/" + _C + "/plans/{planName}/rows/{rowName}/render",
          {"POST": Verb(dry_run.render, MAY_WRITE, needs=Role.OPERATOR, takes=Body.CLUSTER)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_role_set", "sre/" + _P + "/platformWorkloadIdentityRoleSets/{openShiftMinorVersion}", {
        "GET": Verb(sre_role_sets.get, needs=Role.OPERATOR),
        "PUT": Verb(sre_role_sets.put, needs=Role.OPERATOR, takes=Body.DOCUMENT),
        "DELETE": Verb(sre_role_sets.delete, needs=Role.OPERATOR),
    }, Caller.ADMIN, versioned=False),
    Route("http_sre_role_sets", "sre/" + _P + "/platformWorkloadIdentityRoleSets",
          {"GET": Verb(sre_role_sets.list_all, needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site", _SITE, {
        "GET": Verb("frontend.sites.sites:get", needs=Role.OPERATOR),
        "PUT": Verb("frontend.sites.sites:put", needs=Role.OPERATOR, takes=Body.DOCUMENT),
        "DELETE": Verb("frontend.sites.sites:delete", needs=Role.OPERATOR),
    }, Caller.ADMIN, versioned=False),
    Route("http_sre_site_cluster_kubeconfig", _SITE + "/clusters/{clusterName}/getKubeconfig",
          {"POST": Verb("frontend.sites.kubeconfig:get_kubeconfig", needs=Role.OPERATOR_ADMIN)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_cluster_status", _SITE + "/clusters/{clusterName}/status",
          {"POST": Verb("frontend.sites.runs:cluster_status", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_site_clusters", _SITE + "/clusters",
          {"GET": Verb("frontend.sites.contents:list_clusters", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_operation", _SITE + "/operations/{operationId}",
          {"GET": Verb("frontend.sites.runs:get", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_operation_cancel", _SITE + "/operations/{operationId}/cancel",
          {"POST": Verb("frontend.sites.runs:cancel", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_phase_dry_run", _SITE + "/phases/{phaseName}/dryRun",
          {"POST": Verb("frontend.sites.runs:try_phase", needs=Role.OPERATOR, takes=Body.OPTIONS)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_site_phase_render", _SITE + "/phases/{phaseName}/render",
          {"POST": Verb("frontend.sites.contents:render", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_phase_run", _SITE + "/phases/{phaseName}/run",
          {"POST": Verb("frontend.sites.runs:run_phase", needs=Role.OPERATOR, takes=Body.OPTIONS)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_site_phase_status", _SITE + "/phases/{phaseName}/status",
          {"POST": Verb("frontend.sites.runs:phase_status", needs=Role.OPERATOR, takes=Body.OPTIONS)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_site_phase_tree", _SITE + "/phases/{phaseName}/tree",
          {"POST": Verb("frontend.sites.contents:tree", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_phase_validate", _SITE + "/phases/{phaseName}/validate",
          {"POST": Verb("frontend.sites.contents:validate_phase", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_phases", _SITE + "/phases",
          {"GET": Verb("frontend.sites.contents:list_phases", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_plan_run", _SITE + "/plans/{planName}/run",
          {"POST": Verb("frontend.sites.runs:run_plan", needs=Role.OPERATOR, takes=Body.OPTIONS)}, Caller.ADMIN, versioned=False, durable=True),
    Route("http_sre_site_plan_status", _SITE + "/plans/{planName}/status",
          {"GET": Verb("frontend.sites.runs:last_run", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_plan_validate", _SITE + "/plans/{planName}/validate",
          {"POST": Verb("frontend.sites.contents:validate_plan", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_site_plans", _SITE + "/plans",
          {"GET": Verb("frontend.sites.contents:list_plans", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_sites", "sre/" + _P + "/sites",
          {"GET": Verb("frontend.sites.sites:list_all", needs=Role.OPERATOR)}, Caller.ADMIN, versioned=False),
    Route("http_sre_zz_not_found", "sre/{*path}", caller=Caller.ADMIN, versioned=False),
    Route("http_subscription", _S, {"PUT": Verb(subscription_put.put, takes=Body.DOCUMENT)}, versioned=False, only=Callers.ARM),
    Route("http_subscriptions", "subscriptions",
          {"GET": Verb(subscriptions_list.list_all, needs=Open.SIGNED_IN)}, versioned=False, only=Callers.ENTRA),
    Route("zz_not_found", "{*path}", versioned=False),
)
# fmt: on
# The largest body of any verb. The host refuses longer ones before it passes them on, and so before it is known who calls.
MOST_BODY_BYTES = max(verb.most_bytes or MAX_BYTES for route in ROUTES for verb in route.verbs.values())
