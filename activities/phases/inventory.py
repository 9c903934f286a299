"""The inventory of a phase: which objects it has applied, so that the next run can prune what it no longer has.

It is a ConfigMap in the cluster itself, in the form of kubernetes-sigs/cli-utils, which airshipctl's applier wrote: an
inventory of one is read by the other. Each object names its inventory in an annotation.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from activities.phases.objects import Cluster, ObjectId
from shared.json_object import Json
from shared.phase_documents.apply_options import Policy

OWNER = "config.k8s.io/owning-inventory"
# In the same request as the content that it stands for, so nothing can come between them. In the inventory, where more
# people may read, a digest would help to guess the value of a Secret.
DIGEST = "aro.openshift.io/applied"
ID_LABEL = "cli-utils.sigs.k8s.io/inventory-id"
# Annotations with which the author of an object keeps it from being pruned.
KEEP = {"cli-utils.sigs.k8s.io/on-remove": "keep", "client.lifecycle.config.k8s.io/deletion": "detach"}
_PREFIX = "airshipit-"
# What can follow it in the name of a namespace, which is a label of DNS: at most 63 characters.
_MOST = 63 - len(_PREFIX)
_PART = re.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DIGEST = 8
_SEPARATOR = "_"
# RBAC names may have colons, which the keys of a ConfigMap may not.
_COLON = "__"


@dataclass(frozen=True)
class Inventory:
    """The inventory of one phase in one cluster.

    Args:
        cluster: the cluster.
        phase: name of the phase.
    """

    cluster: Cluster
    phase: str

    @property
    def id(self) -> str:
        """The namespace that holds it, which its objects name in their annotation."""
        return f"{_PREFIX}{self._part}"

    @property
    def _part(self) -> str:
        """The phase's name, changed if no namespace can have it; part of its digest keeps it apart from others."""
        if len(self.phase) <= _MOST and _PART.fullmatch(self.phase):
            return self.phase
        digest = hashlib.sha256(self.phase.encode()).hexdigest()[:_DIGEST]
        readable = re.sub("[^a-z0-9]+", "-", self.phase.lower())[: _MOST - _DIGEST - 1]
        return f"{readable.rstrip('-')}-{digest}"

    def objects(self) -> set[ObjectId]:
        """Return the ids of the objects in it.

        Raises:
            NotDone: the API server does not answer, or refuses.
        """
        found = self.cluster.read(self._document([]))
        return {_parse(key) for key in (found or {}).get("data") or {}}

    def write(self, objects: Iterable[ObjectId]) -> None:
        """Replace its objects; make it, and the namespace that holds it, if they do not exist.

        Raises:
            NotDone: the API server does not answer, or refuses.
        """
        self.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.id}}, force=True)
        self.cluster.apply(self._document(objects), force=True)

    def may_apply(self, live: Json | None, policy: Policy) -> bool:
        """Tell whether the phase may apply an object.

        Args:
            live: the object as it is, or None.
            policy: the phase's policy.
        """
        if live is None or policy is Policy.FORCE_ADOPT:
            return True
        owner = owner_of(live)
        return owner == self.id or (not owner and policy is Policy.ADOPT)

    def may_prune(self, live: Json) -> bool:
        """Tell whether the phase may delete an object: it is its own, and its author does not keep it."""
        annotations = live.get("metadata", {}).get("annotations") or {}
        return owner_of(live) == self.id and not any(annotations.get(name) == value for name, value in KEEP.items())

    def owned(self, document: Json) -> Json:
        """Return an object that names this inventory, and says from which document it is."""
        metadata = document.get("metadata") or {}
        annotations = (metadata.get("annotations") or {}) | self._marks(document)
        return document | {"metadata": metadata | {"annotations": annotations}}

    def has_applied(self, document: Json, live: Json) -> bool:
        """Tell whether an object was last applied by this phase, from this document.

        Args:
            document: the object as it is wanted.
            live: the object as it is.
        """
        return self._marks(document).items() <= (live.get("metadata", {}).get("annotations") or {}).items()

    def _marks(self, document: Json) -> dict[str, str]:
        """Return the annotations with which an object is applied."""
        digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
        return {OWNER: self.id, DIGEST: digest}

    def _document(self, objects: Iterable[ObjectId]) -> Json:
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"inventory-{self._part}", "namespace": self.id, "labels": {ID_LABEL: self.id}},
            "data": {_key(one): "" for one in sorted(objects)},
        }


def owner_of(live: Json) -> str:
    """Return the id of the inventory that an object names, or ""."""
    return str((live.get("metadata", {}).get("annotations") or {}).get(OWNER, ""))


def _key(one: ObjectId) -> str:
    return _SEPARATOR.join((one.namespace, one.name.replace(":", _COLON), one.group, one.kind))


def _parse(key: str) -> ObjectId:
    namespace, rest = key.split(_SEPARATOR, 1)
    name, group, kind = rest.rsplit(_SEPARATOR, 2)
    return ObjectId(group, kind, namespace, name.replace(_COLON, ":"))
