"""The conditions of a namespace that is being deleted, in the words of the namespace controller.

Source: kubernetes/kubernetes, pkg/controller/namespace/deletion/status_condition_utils.go.
"""

from collections import Counter
from collections.abc import Iterable

from emulator.openshift.kubernetes.kinds import Json, Kind

# The conditions that are always the same: type, reason, message.
FIXED = (
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
)


def conditions(namespace: Json, contents: Iterable[tuple[Kind, Json]], now: str) -> list[Json]:
    """Return the conditions of a namespace that waits for its last objects.

    Args:
        namespace: the namespace; conditions that it has keep their time.
        contents: the objects that are left, all with finalizers.
        now: the time of new conditions.
    """
    kinds, finalizers = Counter[str](), Counter[str]()
    for kind, obj in contents:
        kinds[f"{kind.plural}.{kind.group}"] += 1
        finalizers.update(obj["metadata"].get("finalizers") or ())
    remaining = ", ".join(f"{kind} has {count} resource instances" for kind, count in sorted(kinds.items()))
    waiting = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(finalizers.items()))
    rows = [
        *((name, "False", reason, message) for name, reason, message in FIXED),
        ("NamespaceContentRemaining", "True", "SomeResourcesRemain", f"Some resources are remaining: {remaining}"),
        (
            "NamespaceFinalizersRemaining",
            "True",
            "SomeFinalizersRemain",
            f"Some content in the namespace has finalizers remaining: {waiting}",
        ),
    ]
    before = {one["type"]: one for one in namespace["status"].get("conditions") or ()}
    return [
        {
            "type": name,
            "status": status,
            "lastTransitionTime": before.get(name, {}).get("lastTransitionTime", now),
            "reason": reason,
            "message": message,
        }
        for name, status, reason, message in rows
    ]
