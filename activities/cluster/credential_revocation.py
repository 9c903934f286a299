"""Ends all admin credentials of a cluster that were ever given: its API servers get another signer to trust.

The order lets nobody lock the service out: the new signer is trusted beside the former ones; credentials that it has
signed are accepted by each API server; from then on the service uses these; only then are the former signers removed.
Keys are in the vault, and in memory while a step runs. Each step compares before it writes, so a second run changes
nothing that is right.

Source: openshift/cluster-kube-apiserver-operator `pkg/operator/targetconfigcontroller`, `manageClientCABundle`: the
ConfigMap goes into the bundle of client authorities, which API servers read again without a restart.
"""

from datetime import UTC, datetime

from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared import durations
from shared.clusters import secrets
from shared.clusters.credentials import admin_signer, revocation
from shared.clusters.private_access import private_access
from shared.clusters.secrets import SERVICE_KUBECONFIG, USER_KUBECONFIG, Purpose
from shared.documents import Revocation
from shared.json_object import Json
from shared.openshift import api_servers, client, writes
from shared.openshift.client import Endpoint, Read
from shared.store import get_store
from shared.vault import get_vault

_TRUSTED = Read("ConfigMap", "admin-kubeconfig-client-ca", "openshift-config")
_BUNDLE = "ca-bundle.crt"
_NEW, _FORMER = "new credentials", "former credentials"


def _prepare(step: Step) -> None:
    """Make a signer, and credentials that it has signed, and store both beside those in use.

    The vault gets new versions of the two bundles, whose ids the document notes under the revocation. A second run
    finds them; versions of a run that has died are never read, and the last row disables them.
    """
    operation_id = step.call["operationId"]
    if revocation.current(step.document, operation_id):
        return
    now, vault, ids = datetime.now(UTC), get_vault(), step.document["secrets"]
    bundle = admin_signer.new(now)
    signer, credentials = admin_signer.load(bundle), vault.get_secret(ids[Purpose.CREDENTIALS])
    for member, subject, life in (
        (SERVICE_KUBECONFIG, admin_signer.SERVICE, durations.SERVICE_KUBECONFIG),
        (USER_KUBECONFIG, admin_signer.USER, durations.USER_KUBECONFIG),
    ):
        credentials[member] = admin_signer.remade(credentials[member], signer, subject, now, life)
    stored = [
        vault.put_secret(secrets.secret_name(step.document["id"], purpose), content, step.document["id"])
        for purpose, content in ((Purpose.ADMIN_SIGNER, bundle), (Purpose.CREDENTIALS, credentials))
    ]
    step.decide(lambda document: revocation.begin(document, operation_id, *stored))


def _trust(step: Step) -> Outcome | None:
    """Let API servers trust the new signer, too. All that they trust already stays."""
    wanted = _signer_pem(step)

    def patch(found: Json) -> Json:
        bundle = (found.get("data") or {}).get(_BUNDLE, "")
        return {} if wanted in bundle else {"data": {_BUNDLE: f"{bundle.rstrip()}\n{wanted}".lstrip()}}

    return cluster_api.write(step, lambda api: writes.amend(api, _TRUSTED, patch))


def _accepted(step: Step) -> Outcome | None:
    """Tell whether the API server of each master accepts the new credentials."""

    def missing(api: ApiClient) -> list[str]:
        new = _endpoint(step, _revocation(step)["credentials"])
        return [api_servers.not_accepted(_masters(api), api_servers.ask(new), _NEW)]

    return cluster_api.wait_while_missing(step, missing)


def _switch(step: Step) -> None:
    """Let the service, and its customers, use the new credentials from now on."""
    step.decide(revocation.switch)


def _distrust(step: Step) -> Outcome | None:
    """Let API servers trust the new signer and no other."""
    wanted: Json = {"data": {_BUNDLE: _signer_pem(step)}}
    return cluster_api.write(
        step, lambda api: writes.amend(api, _TRUSTED, lambda found: {} if writes.has(found, wanted) else wanted)
    )


def _refused(step: Step) -> Outcome | None:
    """Tell whether the API server of each master refuses the former credentials, and accepts those of now."""

    def missing(api: ApiClient) -> list[str]:
        found = _revocation(step)
        if still := api_servers.not_refused(api_servers.ask(_endpoint(step, found["former"])), _FORMER):
            return [still]
        now = api_servers.ask(_endpoint(step, found["credentials"]))
        return [api_servers.not_accepted(_masters(api), now, _NEW)]

    return cluster_api.wait_while_missing(step, missing)


def _forget(step: Step) -> None:
    """Disable every version of both bundles that is not in use, and forget the certificates that they were for.

    Among them are versions whose ids never reached the document, because a call died or its answer was lost. A second
    run finds them disabled.
    """
    for purpose in (Purpose.ADMIN_SIGNER, Purpose.CREDENTIALS):
        get_vault().disable_all_but(step.document["secrets"][purpose])
    step.check_fence()
    get_store().admin_credentials.discard(step.document["id"])
    step.decide(revocation.end)


def _revocation(step: Step) -> Revocation:
    found = revocation.current(step.document, step.call["operationId"])
    if found is None:
        raise ValueError("the plan has not prepared the revocation")
    return found


def _signer_pem(step: Step) -> str:
    return admin_signer.load(get_vault().get_secret(_revocation(step)["signer"])).pem


def _endpoint(step: Step, credentials_id: str) -> Endpoint:
    address = private_access(step.document).address
    return client.endpoint(credentials_id, SERVICE_KUBECONFIG, address, get_vault().get_secret)


def _masters(api: ApiClient) -> frozenset[str]:
    return api_servers.addresses(client.read(api, api_servers.MASTERS))


prepare_revocation = Executor(run=_prepare)
trust_new_signer = Executor(run=_trust)
new_credentials_accepted = Executor(status=_accepted)
switch_credentials = Executor(run=_switch)
remove_former_signers = Executor(run=_distrust)
former_credentials_refused = Executor(status=_refused)
forget_former_credentials = Executor(run=_forget)
