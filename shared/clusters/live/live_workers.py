"""Machine sets in the body of an update.

API versions up to 2023-07-01-preview show a cluster's machine sets as `workerProfiles`. A client of such a version
reads the cluster, changes something, and sends everything back, machine sets included. The document has one profile,
`worker`, which is what the customer sent at create; its count is the total of the machine sets `<infra id>-worker-...`.

* A body that names machine sets is compared with those that a GET shows now. If they are equal, it only repeats them.
* A difference is refused by name, because no update carries it out. The one exception are other counts in a version in
  which the count may change: the sum over those sets is the wanted total, and the service spreads it over the sets.
* A PATCH does not scale machine sets, because it may leave some out. It has to name the profile `worker`.
"""

from collections.abc import Mapping, Sequence

from shared.arm.errors import CloudError, ErrorCode, property_change_not_allowed, shown
from shared.clusters.api_versions import has_member
from shared.clusters.member_types import ApiVersion, Rule
from shared.clusters.shape import tree
from shared.clusters.worker_count import WORKER
from shared.documents import Cluster, WorkerProfile

PROFILES, STATUS = "properties.workerProfiles", "properties.workerProfilesStatus"


def are_named(sent: Cluster, version: ApiVersion) -> bool:
    """Tell whether the decoded body of an update names machine sets, and not only the profile `worker`."""
    shows_sets = not has_member(version, f"{STATUS}[]")
    return shows_sets and any(profile.get("name") != WORKER for profile in _profiles(sent))


def counts(
    before: Cluster, after: Cluster, infra_id: str, version: ApiVersion, *, patch: bool
) -> tuple[int, int] | None:
    """Return the number of workers before and after an update that scales machine sets, or None if it scales none.

    Args:
        before: the cluster with the machine sets that a GET shows now.
        after: the same, with those that the request wants.
        infra_id: the infra id of the cluster.
        version: the version of the request.
        patch: whether it is a PATCH.

    Raises:
        CloudError: 400 `InvalidParameter` for a PATCH, 400 `PropertyChangeNotAllowed` for a count that the service does
            not set.
    """
    old, new = _counts(before), _counts(after)
    differing = [name for name in new if new[name] != old.get(name)]
    if not differing or new.keys() != old.keys() or not _count_may_change(version):
        return None
    if patch:
        raise _unknown_total(list(new))
    ours = [name for name in old if name.startswith(f"{infra_id}-worker-")]
    foreign = [name for name in differing if name not in ours]
    totals = sum(old[name] for name in ours), sum(new[name] for name in ours)
    if foreign or totals[0] == totals[1]:
        raise _not_set((foreign or differing)[0], old, new, totals[0])
    return totals


def _counts(cluster: Cluster) -> Mapping[str, int]:
    return {str(profile.get("name")): profile.get("count") or 0 for profile in _profiles(cluster)}


def _profiles(cluster: Cluster) -> Sequence[WorkerProfile]:
    return (cluster.get("properties") or {}).get("workerProfiles") or []


def _count_may_change(version: ApiVersion) -> bool:
    profile = tree(version).children["properties"].children["workerProfiles"]
    return profile.children["count"].member.rule is Rule.MUTABLE


def _unknown_total(names: list[str]) -> CloudError:
    return CloudError(
        400,
        ErrorCode.INVALID_PARAMETER,
        f"The array '{PROFILES}' names machine sets of the cluster: {shown(', '.join(names))}. A PATCH scales workers "
        "by the profile 'worker', whose count is the total of all machine sets: send "
        f'[{{"name": "worker", "count": <total>}}], or leave \'{PROFILES}\' out. A machine set alone can be scaled '
        "inside the cluster.",
        PROFILES,
    )


def _not_set(name: str, old: Mapping[str, int], new: Mapping[str, int], total: int) -> CloudError:
    target = f"{PROFILES}['{shown(name)}'].count"
    return property_change_not_allowed(
        target,
        f"The member '{target}' is {old[name]}, and the request has {new[name]}. A PUT changes the total of the "
        f"machine sets that the service made, which is {total} and stays so, and the service spreads the total over "
        "them. Send another total, or scale this machine set inside the cluster.",
    )
