"""The kubeconfig that administrators get: its client certificate is valid for a year, so it is made again in time.

Those that were handed out before stay valid until they end.

Source: ARO-RP `pkg/cluster/kubeconfig.go`, `pkg/cluster/fixuserkubeconfig.go`.
"""

from datetime import UTC, datetime

from activities.azure import cluster_secrets
from activities.machines import graph
from activities.renewals import tls_secrets
from activities.runtime.executor import Executor, Outcome, done
from activities.runtime.step import Step
from installer import pki
from installer.assets.install_certificates import CERTIFICATES
from shared import durations, kubernetes_yaml
from shared.cluster_conditions import calendar
from shared.cluster_conditions.expirations import kubeconfig_end
from shared.clusters.private_access import private_access
from shared.clusters.secrets import SERVICE_KUBECONFIG, USER_KUBECONFIG, Purpose
from shared.vault import get_vault

_RENEWED_DAYS = calendar.BY_NAME[calendar.USER_KUBECONFIG].renewed_days
_USER = next(row for row in CERTIFICATES if row.file == "user-admin")
_SIGNER = f"tls/{_USER.issuer}"


def _renew(step: Step) -> Outcome | None:
    """Make the administrators' kubeconfig again if it has 275 days or fewer left, or cannot be read.

    A second run finds the new one. If the operation dies before the document names it, the next makes another, and
    nobody gets the lost one.
    """
    secret_id = private_access(step.document).secret_id
    bundle = get_vault().get_secret(secret_id)
    ends = kubeconfig_end(bundle.get(USER_KUBECONFIG, ""))
    if ends is not None and (ends - datetime.now(UTC)).days > _RENEWED_DAYS:
        return done(f"The kubeconfig ends on {ends:%Y-%m-%d}. It is made again when it has {_RENEWED_DAYS} days left.")
    made = _kubeconfig(bundle[SERVICE_KUBECONFIG], _signer(step))
    cluster_secrets.store(step, Purpose.CREDENTIALS, bundle | {USER_KUBECONFIG: made}, instead_of=secret_id)
    return None


def _signer(step: Step) -> pki.Pair:
    """Return the signer of administrators' certificates; for clusters of earlier builds, that of the install graph.

    After a revocation no API server trusts the graph's.
    """
    versioned_id = step.document["secrets"].get(Purpose.ADMIN_SIGNER)
    if versioned_id:
        bundle = get_vault().get_secret(versioned_id)
        return pki.Pair(bundle["key"], bundle["certificate"])
    made = graph.load(step)
    return pki.Pair(made.file(f"{_SIGNER}.key"), made.file(f"{_SIGNER}.crt"))


def _kubeconfig(services: str, signer: pki.Pair) -> str:
    """Return a kubeconfig for the same API server as the service's own, with another user."""
    document = kubernetes_yaml.load(services)
    begins = datetime.now(UTC) - durations.CREDENTIAL_BACKDATED
    client = pki.issue(_USER, {}, begins.isoformat(), signer)
    name, (cluster,) = _USER.common_name, document["clusters"]
    user = tls_secrets.data_of(client.certificate, client.key)
    document["users"] = [
        {"name": name, "user": {"client-certificate-data": user["tls.crt"], "client-key-data": user["tls.key"]}}
    ]
    document["contexts"] = [{"name": name, "context": {"cluster": cluster["name"], "user": name}}]
    document["current-context"] = name
    return kubernetes_yaml.dump(document)


renew_user_kubeconfig = Executor(run=_renew)
