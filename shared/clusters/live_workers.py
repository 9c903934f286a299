"""Worker profiles in requests of the API versions whose replies show a cluster's machine sets as `workerProfiles`.

A client of such a version reads the cluster, changes something, and sends everything back, machine sets included. The
document has one profile, `worker`, which is what the customer sent at create; its count is the total of the machine
sets `<infra id>-worker-...`.

* A list of machine sets in a PUT stands for that profile. In versions that fix the count it is ignored, because it
  changes by itself. In versions where the count may change, the sum over those sets is the wanted total; the service
  spreads it over the sets.
* A PATCH may leave machine sets out, so nobody knows the total that it wants. Where the count may change, it has to
  name the profile `worker`.
"""

import copy
from typing import Any

from shared.arm.errors import CloudError, ErrorCode, shown
from shared.clusters.api_versions import ApiVersion, has_member
from shared.clusters.members import Rule
from shared.clusters.shape import tree
from shared.documents import Cluster

_STATUS = "properties.workerProfilesStatus[]"
_PROFILES = "properties.workerProfiles"


def as_sent_at_create(sent: Cluster, stored: Cluster, version: ApiVersion, *, patch: bool) -> Cluster:
    """Return the body of an update with the profile `worker` in place of machine sets that a reply has shown.

    Args:
        sent: the decoded body, not modified.
        stored: the internal cluster before the request.
        version: the version of the request.
        patch: whether it is a PATCH.

    Raises:
        CloudError: 400 `InvalidParameter` for machine sets in a PATCH, if the version can change the count.
    """
    profiles, infra_id = (sent.get("properties") or {}).get("workerProfiles") or [], stored["properties"].get("infraId")
    names = [str(profile.get("name") or "") for profile in profiles]
    shows_sets = not has_member(version, _STATUS)
    if not (shows_sets and infra_id and any(name.startswith(f"{infra_id}-") for name in names)) or "worker" in names:
        return sent
    replaced: Any = copy.deepcopy(stored["properties"]["workerProfiles"])
    if _count_may_change(version):
        if patch:
            raise _unknown_total(names)
        prefix = f"{infra_id}-worker-"
        counts = zip(names, profiles, strict=True)
        replaced[0]["count"] = sum(each.get("count") or 0 for name, each in counts if name.startswith(prefix))
    result: Any = sent | {"properties": sent["properties"] | {"workerProfiles": replaced}}
    cluster: Cluster = result
    return cluster


def _count_may_change(version: ApiVersion) -> bool:
    profile = tree(version).children["properties"].children["workerProfiles"]
    return profile.children["count"].member.rule is Rule.MUTABLE


def _unknown_total(names: list[str]) -> CloudError:
    return CloudError(
        400,
        ErrorCode.INVALID_PARAMETER,
        f"The array '{_PROFILES}' names machine sets of the cluster: {shown(', '.join(names))}. A PATCH scales workers by "
        "the profile 'worker', whose count is the total of all machine sets: send "
        f'[{{"name": "worker", "count": <total>}}], or leave \'{_PROFILES}\' out. A machine set alone can be scaled '
        "inside the cluster.",
        _PROFILES,
    )
