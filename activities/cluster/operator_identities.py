"""Brings identities of operators into the cluster: their Secrets, and what its cloud-credential operator is told.

Each step compares the cluster with the current request and changes what differs. So a second run, or the update after a
failed one, continues where the last one ended. Operators follow their Secrets by themselves.

Source: ARO-RP `pkg/cluster/workloadidentityresources.go`, `deployPlatformWorkloadIdentitySecrets`;
`pkg/operator/deploy/deploy.go`, `EnsureUpgradeAnnotation`. openshift/library-go
`pkg/operator/csi/csidrivercontrollerservicecontroller`, `WithSecretHashAnnotationHook`, for how drivers follow.
"""

import base64
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial

from kubernetes.client import ApiClient

from activities.cluster import cluster_api, identity_refusals
from activities.cluster.identity_refusals import reporter
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.arm.names import normal_location
from shared.clusters.identities import operator_secrets
from shared.clusters.identities.operator_secrets import OperatorSecret
from shared.json_object import Json
from shared.openshift import client, workload_identity_objects, writes
from shared.openshift.client import Read
from shared.openshift.conditions import OPERATORS, SETTLED, WELL, operator_missing
from shared.openshift.workload_identity_objects import Place

_CLOUD_CREDENTIAL = Read("CloudCredential", "cluster")
_UPGRADEABLE_TO = "cloudcredential.openshift.io/upgradeable-to"
# On a Secret whose identity an update has changed: when that was, RFC 3339.
_CHANGED = "aro.openshift.io/identity-changed"
# The share of the row's time in which operators meet a changed Secret and report what comes of it: two minutes of
# thirty. Until then they still report about the former identity.
_NOTICE = 1 / 15


def _secrets_of(step: Step) -> list[OperatorSecret]:
    credential = step.identities
    return operator_secrets.wanted(credential, step.operator_roles(credential))


def _update_secrets(step: Step) -> Outcome | None:
    """Write the Secret of each operator whose identity differs from the one that the cluster has.

    An operator that only the next minor version has gets its Secret, and the namespace for it, before its first start.
    """

    def work(api: ApiClient) -> None:
        for each in _secrets_of(step):
            namespace = Read("Namespace", each.namespace)
            if client.read(api, namespace) is None:
                if not each.is_of_release:
                    continue
                writes.create_or_update(api, _namespace(each.namespace))
            _write(api, _wanted(step, each))

    return cluster_api.write(step, work)


def _write(api: ApiClient, secret: Json) -> None:
    if not writes.has(client.read(api, writes.identity(secret)), secret):
        change = {"metadata": {"annotations": {_CHANGED: datetime.now(UTC).isoformat()}}}
        writes.create_or_update(api, writes.merged(secret, change))


def _wanted(step: Step, each: OperatorSecret) -> Json:
    """Return a Secret as API servers show it: they encode its texts."""
    place = Place(step.tenant_id, step.subscription_id, normal_location(step.cluster["location"]))
    secret = workload_identity_objects.operator_secret(each.namespace, each.name, each.client_id, place)
    texts = secret.pop("stringData")
    return secret | {"data": {name: base64.b64encode(text.encode()).decode("ascii") for name, text in texts.items()}}


def _namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _operators_ready(step: Step) -> Outcome | None:
    """Tell whether every operator that acts in Azure is well, as the identity that it is to have."""
    return cluster_api.wait_while_missing(step, partial(_missing, step))


def _missing(step: Step, api: ApiClient) -> Iterator[str]:
    operators = {each["metadata"]["name"]: each for each in client.read(api, OPERATORS)}
    reports = identity_refusals.reports([OPERATORS], [list(operators.values())])
    yield from map(str, identity_refusals.refusals(step.credential, reports))
    wants, changes = dict[str, Mapping[str, str]](), list[datetime]()
    for each in _secrets_of(step):
        wanted = _wanted(step, each)
        found = client.read(api, writes.identity(wanted))
        if not writes.has(found, wanted):
            if each.is_of_release or found is not None:
                yield f"{writes.identity(wanted)} does not name the identity of the operator '{each.operator}' yet"
            continue
        # An operator that follows a changed Secret replaces its pods.
        changed, name = _changed_at(found), reporter(each.operator)
        if changed:
            changes.append(changed)
        wants[name] = SETTLED if changed else wants.get(name, WELL)
    # Operators of the next minor version do not exist yet.
    for name in sorted(wants.keys() & operators.keys()):
        yield operator_missing(name, operators[name], wants[name])
    notice = timedelta(seconds=_NOTICE * step.call["row"]["deadlineSeconds"])
    if changes and datetime.now(UTC) < max(changes) + notice:
        yield "operators have not had time to try the identities that have just changed"


def _changed_at(secret: Json) -> datetime | None:
    """Return when an update has changed a Secret. Administrators of the cluster can write the annotation, too."""
    try:
        changed = datetime.fromisoformat((secret["metadata"].get("annotations") or {}).get(_CHANGED) or "")
        return changed if changed <= datetime.now(UTC) else None
    except (TypeError, ValueError):
        return None


def _annotate(step: Step) -> Outcome | None:
    """Tell the cloud-credential operator up to which version every operator has its identity.

    Without that it holds back the upgrade to the next minor version.
    """
    version = step.identities.upgradeable_to
    if not version:
        return None
    wanted: Json = {"metadata": {"annotations": {_UPGRADEABLE_TO: version}}}
    return cluster_api.write(
        step,
        lambda api: writes.amend(api, _CLOUD_CREDENTIAL, lambda found: {} if writes.has(found, wanted) else wanted),
    )


update_operator_secrets = Executor(run=_update_secrets)
operator_identities_ready = Executor(status=_operators_ready)
annotate_upgradeable_to = Executor(run=_annotate)
