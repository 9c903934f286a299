"""The names of a cluster's resources, decided once."""

from random import SystemRandom

from activities.runtime.executor import Executor
from activities.runtime.step import Step
from installer.config import cluster_id
from shared.clusters import cluster_names
from shared.documents import ClusterDocument


def _decide_names(step: Step) -> None:
    """Choose infra id and storage suffix and store them, before any resource uses them.

    A second run finds them and changes nothing.

    Source: ARO-RP `pkg/cluster/ensureinfraid.go`, `pkg/cluster/install.go`.
    """

    def change(document: ClusterDocument) -> bool:
        cluster = document["openShiftCluster"]
        properties = cluster["properties"]
        before = (properties.get("infraId"), properties.get("storageSuffix"))
        # SystemRandom: the suffix is part of an account name that must be globally unique, so no two may share a seed.
        properties["infraId"] = properties.get("infraId") or cluster_id.infra_id(cluster["name"], SystemRandom())
        properties["storageSuffix"] = properties.get("storageSuffix") or cluster_names.storage_suffix(SystemRandom())
        return before != (properties["infraId"], properties["storageSuffix"])

    step.decide(change)


decide_names = Executor(run=_decide_names)
