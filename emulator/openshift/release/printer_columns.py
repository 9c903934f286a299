"""The columns that `oc get` shows for OpenShift's kinds beside the name, from the definitions in openshift/api.

https://github.com/openshift/api
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Column(NamedTuple):
    """One column.

    Args:
        name: its header.
        path: JSONPath of its value.
        type: how the value is written.
        priority: 0 for a column that is always shown, 1 for one that `-o wide` adds.
    """

    name: str
    path: str
    type: str = "string"
    priority: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the column as a CustomResourceDefinition has it."""
        wide = {"priority": self.priority} if self.priority else {}
        return {"name": self.name, "type": self.type, "jsonPath": self.path} | wide


def _condition(kind: str, member: str = "status") -> str:
    return f'.status.conditions[?(@.type=="{kind}")].{member}'


def _label(name: str) -> str:
    return rf".metadata.labels['machine\.openshift\.io/{name}']"


AGE = Column("Age", ".metadata.creationTimestamp", "date")

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "ClusterOperator.config.openshift.io": (
        Column("Version", '.status.versions[?(@.name=="operator")].version'),
        Column("Available", _condition("Available")),
        Column("Progressing", _condition("Progressing")),
        Column("Degraded", _condition("Degraded")),
        Column("Since", _condition("Available", "lastTransitionTime"), "date"),
        # Clusters since 4.9 show why an operator is not as it should be, but no definition has this column.
        Column("Message", '.status.conditions[?(@.reason!="AsExpected")].message'),
    ),
    "ClusterVersion.config.openshift.io": (
        Column("Version", '.status.history[?(@.state=="Completed")].version'),
        Column("Available", _condition("Available")),
        Column("Progressing", _condition("Progressing")),
        Column("Since", _condition("Progressing", "lastTransitionTime"), "date"),
        Column("Status", _condition("Progressing", "message")),
    ),
    "Machine.machine.openshift.io": (
        Column("Phase", ".status.phase"),
        Column("Type", _label("instance-type")),
        Column("Region", _label("region")),
        Column("Zone", _label("zone")),
        AGE,
        Column("Node", ".status.nodeRef.name", priority=1),
        Column("ProviderID", ".spec.providerID", priority=1),
        Column("State", r".metadata.annotations['machine\.openshift\.io/instance-state']", priority=1),
    ),
    "MachineSet.machine.openshift.io": (
        Column("Desired", ".spec.replicas", "integer"),
        Column("Current", ".status.replicas", "integer"),
        Column("Ready", ".status.readyReplicas", "integer"),
        Column("Available", ".status.availableReplicas"),
        AGE,
    ),
}
