"""The action that certifies a caller's public key for some hours. No private key is sent, made or answered."""

import base64
import logging
from datetime import timedelta
from urllib.parse import quote

from frontend.clusters.begun_by import begun_by
from frontend.clusters.cluster_lookup import bundle_of, cluster_document
from frontend.clusters.openshift_cluster_credentials import NO_STORE, admin_kubeconfig
from frontend.messages import Call, Reply
from shared import kubernetes_yaml, tracing
from shared.arm.errors import conflict, forbidden
from shared.arm.times import arm_time
from shared.clusters import states
from shared.clusters.credentials import admin_signer, requested_key
from shared.clusters.credentials.admin_signer import Signer, Subject
from shared.clusters.secrets import Purpose
from shared.documents import AdminCredential, ClusterDocument
from shared.store.admin_credentials import MOST, TooMany

_log = logging.getLogger("frontend.access")


def request_admin_credential(call: Call) -> Reply:
    """Answer POST of requestAdminCredential: return a kubeconfig without a key, for the key that the caller keeps.

    The certificate's user has the caller's object id in its name, and its group has the rights of an administrator. It
    lasts for some hours and cannot be renewed. Only its serial number, caller and end are stored.

    A cluster that is stopped or being updated gives one, too: the service signs it, and the cluster is not asked. What
    is given while the credentials are being revoked may end with the others.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `InvalidParameter` for another name, key or life; 400
            `RequestNotAllowed` if the cluster has no credentials; 403 `Forbidden` if nobody is known to ask; 409
            `Conflict` if the signer is not in the vault or has ended, or too many certificates are valid.
    """
    document, services = cluster_document(call), call.services
    states.require_credentials(document["openShiftCluster"])
    who = begun_by(call)
    if not who:
        raise forbidden("A certificate names who has asked for it, and this request does not say whose it is.")
    subject = admin_signer.administrator(who["objectId"])
    wanted = requested_key.parse(call.content, subject)
    signer, now = _signer(call, document), services.now()
    certificate = admin_signer.issue(signer, subject, wanted.key, now, wanted.life)
    serial, end = format(certificate.serial_number, "x"), certificate.not_valid_after_utc.isoformat()
    kubeconfig = _kubeconfig(admin_kubeconfig(services, document), subject, admin_signer.pem(certificate))
    _note(call, document, {"serialNumber": serial, "end": end, **who})
    _log.info(
        "%s %s gets the certificate %s for %s, until %s",
        who["kind"],
        who["objectId"],
        serial,
        quote(call.key),
        end,
        extra=tracing.current.get().extra(),
    )
    return Reply(
        200,
        {
            "kubeconfig": base64.b64encode(kubeconfig.encode()).decode(),
            "user": subject.user,
            "serialNumber": serial,
            "expirationTime": arm_time(end),
        },
        NO_STORE,
    )


def _signer(call: Call, document: ClusterDocument) -> Signer:
    """Return the signer of the cluster's admin credentials."""
    none = conflict(
        f"The cluster '{document['openShiftCluster']['id']}' was created before this action existed, and requests "
        "cannot reach its signer yet. Any update changes that, also a PATCH of {}: send one, and repeat this request "
        "when it has ended. If that does not help, 'revokeCredentials' makes another signer."
    )
    signer = admin_signer.load(bundle_of(call.services, document, Purpose.ADMIN_SIGNER, none))
    ends = signer.certificate.not_valid_after_utc
    if ends <= call.services.now() + timedelta(seconds=1):
        raise conflict(f"The signer of the cluster's credentials ended on {ends:%Y-%m-%d}: send 'revokeCredentials'.")
    return signer


def _kubeconfig(admin: str, subject: Subject, certificate: str) -> str:
    """Return a kubeconfig for a user whose key is elsewhere: `kubectl config set-credentials` adds it."""
    clusters = kubernetes_yaml.load(admin)["clusters"]
    context = {"cluster": clusters[0].get("name", "cluster"), "user": subject.user}
    return kubernetes_yaml.dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": context["cluster"], **clusters[0]}],
            "users": [{"name": subject.user, "user": {"client-certificate-data": admin_signer.encoded(certificate)}}],
            "contexts": [{"name": subject.user, "context": context}],
            "current-context": subject.user,
            "preferences": {},
        }
    )


def _note(call: Call, document: ClusterDocument, credential: AdminCredential) -> None:
    try:
        call.services.store.admin_credentials.note(document["id"], credential, call.services.now())
    except TooMany as error:
        raise conflict(
            f"{MOST} certificates of this cluster are valid, and there may not be more. Use one that you have, wait "
            "until some have ended, or end all of them with 'revokeCredentials'."
        ) from error
