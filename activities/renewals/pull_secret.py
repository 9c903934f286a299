"""The cluster's pull secret follows the password of its token for the service's registry."""

import base64
import binascii
import json

from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.machines import registry
from activities.runtime.executor import Executor, Outcome, done
from activities.runtime.step import Step
from shared.json_object import Json
from shared.openshift import writes
from shared.openshift.client import NotDone, Read
from shared.release import pull_secret

_PULL_SECRET = Read("Secret", "pull-secret", "openshift-config")
_DATA = ".dockerconfigjson"


def _update(step: Step) -> Outcome | None:
    """Put the token's current password into the pull secret; the entries of other registries stay as they are.

    Source: ARO-RP `pkg/cluster/fixpullsecret.go`.
    """
    server, login = registry.login(step)
    entry = {"auth": base64.b64encode(login.encode()).decode("ascii")}
    changes: list[bool] = []

    def work(api: ApiClient) -> None:
        changes.append(writes.amend(api, _PULL_SECRET, lambda found: _patch(found, server, entry)))

    outcome = cluster_api.write(step, work)
    return outcome if outcome or any(changes) else done(f"The pull secret has the current password of '{server}'.")


def _patch(secret: Json, server: str, entry: Json) -> Json:
    try:
        text = base64.b64decode((secret.get("data") or {}).get(_DATA) or "e30=", validate=True).decode()
        auths = pull_secret.entries(text)
    except (ValueError, binascii.Error) as error:
        raise NotDone(f"'{_DATA}' of {_PULL_SECRET} cannot be read: correct it, or take it from a backup") from error
    if auths.get(server) == entry:
        return {}
    changed = json.loads(text) | {"auths": auths | {server: entry}}
    return {"data": {_DATA: base64.b64encode(json.dumps(changed).encode()).decode("ascii")}}


update_pull_secret = Executor(run=_update)
