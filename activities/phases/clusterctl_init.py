"""Clusterctl's `init`: installs providers, one after the other, each once the one before is ready.

A `Provider` object for each records what is installed, in the form of clusterctl, which can read it. It is written
after the objects of the provider, so a run that dies applies them again. Once it is there, only objects that are
missing are applied: controllers change the others, such as the certificates of webhooks.

Source: kubernetes-sigs/cluster-api `cmd/clusterctl/client/cluster/installer.go` and `inventory.go`.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from activities.phases.contract import refusal_error
from activities.phases.kind_order import in_order
from activities.phases.object_results import Change, applied, defines, in_words, look
from activities.phases.objects import Cluster, ObjectId, UnknownKind
from activities.runtime.executor import wait
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.json_object import Json
from shared.phase_documents.clusterctl_providers import CLUSTERCTL_LABEL, Components, Provider, labels_of
from shared.steps import Outcome

INVENTORY_VERSION = "clusterctl.cluster.x-k8s.io/v1alpha3"
# With what a Provider object says which components it stands for.
DIGEST = "aro.openshift.io/components"
# What clusterctl installs before any provider. Here a phase of the site's own does, because nothing is fetched.
_CERT_MANAGER = "cert-manager.io"
_CORE_LABEL = "clusterctl.cluster.x-k8s.io/core"
_TEXT = {"type": "string"}
# The definition of Provider objects. clusterctl accepts any that has the version.
DEFINITION: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": "providers.clusterctl.cluster.x-k8s.io",
        "labels": {CLUSTERCTL_LABEL: "", _CORE_LABEL: "inventory"},
    },
    "spec": {
        "group": "clusterctl.cluster.x-k8s.io",
        "names": {
            "kind": "Provider",
            "listKind": "ProviderList",
            "plural": "providers",
            "singular": "provider",
            "categories": ["cluster-api"],
        },
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1alpha3",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": dict.fromkeys(("providerName", "type", "version", "watchedNamespace"), _TEXT),
                    }
                },
            }
        ],
    },
}


@dataclass(frozen=True)
class Installation:
    """The providers that a cluster is to have.

    Args:
        cluster: the cluster.
        name: its name.
        components: what each provider is made from, in the order in which they are installed.
        say: shows what became of objects.
        before: for a dry run, what earlier phases would apply to the cluster.
    """

    cluster: Cluster
    name: str
    components: Sequence[Components]
    say: Callable[[Sequence[Change]], None]
    before: Sequence[Json] = ()

    def proceed(self) -> Outcome | None:
        """Install what is missing; return what is waited for, or None. May run any number of times.

        Raises:
            CloudError: another version is installed, cert-manager is missing, or the cluster refuses objects.
            NotDone: the API server is away; call again.
        """
        self._check()
        for one in self.components:
            waiting = self._install(one)
            if waiting:
                return wait(f"{one.provider}: {waiting}")
        return None

    def status(self) -> Outcome | None:
        """Return what is not installed or not ready yet, or None; change nothing."""
        self._check()
        for one in self.components:
            if not self._is_installed(one):
                return wait(f"{one.provider}: It is not installed.")
            waiting = self._waiting(one)
            if waiting:
                return wait(f"{one.provider}: {waiting}")
        return None

    def dry_run(self) -> list[Change]:
        """Return what would become of each object; change nothing."""
        wrong = self._in_the_way()
        if wrong:
            return [Change(ObjectId.of(_record(one)), "refused", why) for one, why in wrong]
        trying = replace(self, cluster=Cluster(self.cluster.client, dry_run=True))
        among = [DEFINITION, *self.before, *(document for one in self.components for document in one.documents)]
        changes = [] if self._defined() else [applied(trying.cluster, DEFINITION, among)]
        for one in self.components:
            is_installed = self._is_installed(one)
            for document in (*in_order(one.documents), _record(one)):
                if is_installed and self._exists(document, one.namespace):
                    changes.append(Change(ObjectId.of(document), "unchanged"))
                else:
                    changes.append(trying._applied(document, one.namespace, among))  # noqa: SLF001 - its own class
        return changes

    def _install(self, one: Components) -> str:
        """Apply what a provider lacks; return what is waited for, or ""."""
        documents = in_order(one.documents)
        if self._is_installed(one):
            documents = [document for document in documents if not self._exists(document, one.namespace)]
        try:
            self._apply([] if self._defined() else [DEFINITION], one.namespace)
            self._apply(documents, one.namespace)
            self._apply([_record(one)], one.namespace)
        except UnknownKind as error:
            return f"The definition is not established yet: {error}."
        return self._waiting(one)

    def _apply(self, documents: Sequence[Json], namespace: str) -> None:
        among = [DEFINITION, *documents]
        changes = []
        try:
            for document in documents:
                changes.append(self._applied(document, namespace, among))  # noqa: PERF401 - shown if the next one fails
        finally:
            self.say(changes)
        error = refusal_error(self.name, changes)
        if error is not None:
            raise error

    def _applied(self, document: Json, namespace: str, among: Sequence[Json]) -> Change:
        try:
            placed = self._placed(document, namespace)
        except UnknownKind:
            # Only what is served has a place. If the definition is about to be established, the next call knows it.
            if defines(among, ObjectId.of(document)) and not self.cluster.dry_run:
                raise
            placed = document
        return applied(self.cluster, placed, among)

    def _waiting(self, one: Components) -> str:
        try:
            _, waiting = look(
                self.cluster, [self._placed(document, one.namespace) for document in in_order(one.documents)]
            )
        except UnknownKind as error:
            return f"The definition is not established yet: {error}."
        return in_words(waiting)

    def _placed(self, document: Json, namespace: str) -> Json:
        """Return an object with a namespace, if it has none and its kind needs one.

        Raises:
            UnknownKind: the cluster does not serve the kind, at least not yet.
        """
        metadata = document["metadata"]
        if metadata.get("namespace"):
            return document
        served = self.cluster.served(str(document["apiVersion"]), str(document["kind"]))
        return document | {"metadata": metadata | {"namespace": namespace}} if served.namespaced else document

    def _exists(self, document: Json, namespace: str = "") -> bool:
        try:
            return self.cluster.read(self._placed(document, namespace)) is not None
        except UnknownKind:
            return False

    def _defined(self) -> bool:
        return self._exists(DEFINITION)

    def _is_installed(self, one: Components) -> bool:
        """Tell whether a provider is installed from the same components."""
        try:
            found = self.cluster.read(_record(one)) or {}
        except UnknownKind:
            return False
        recorded = (found.get("metadata", {}).get("annotations") or {}).get(DIGEST)
        return (found.get("version"), recorded) == (one.provider.version, _digest(one))

    def _check(self) -> None:
        wrong = [why for _, why in self._in_the_way()]
        if wrong:
            raise CloudError(409, ErrorCode.CONFLICT, " ".join(wrong), owner=Owner.CUSTOMER)

    def _in_the_way(self) -> list[tuple[Components, str]]:
        """Return the providers that cannot be installed, each with what to do about it.

        They are there in another version or namespace, or need something that the cluster lacks.
        """
        found = self.cluster.listing(INVENTORY_VERSION, "Provider")
        pairs = [(one, record) for one in self.components for record in found if _is_same(one.provider, record)]
        others = [
            (one, self._what_to_do(one, record))
            for one, record in pairs
            if (record.get("version"), record["metadata"]["namespace"]) != (one.provider.version, one.namespace)
        ]
        return others + [(one, why) for one in self.components if (why := self._without_cert_manager(one))]

    def _without_cert_manager(self, one: Components) -> str:
        """Return what to do about a provider that needs cert-manager on a cluster without it, or ""."""
        among = [*self.before, *(document for other in self.components for document in other.documents)]
        for document in one.documents:
            wanted = ObjectId.of(document)
            if wanted.group != _CERT_MANAGER or defines(among, wanted):
                continue
            try:
                self.cluster.served(document["apiVersion"], wanted.kind)
            except UnknownKind:
                return (
                    f"The provider {one.provider} has the object {wanted}, and the cluster '{self.name}' has no "
                    "cert-manager, which clusterctl itself would install first. Put cert-manager into a phase of kind "
                    "KubernetesApply before this one."
                )
        return ""

    def _what_to_do(self, one: Components, record: Json) -> str:
        has, where = record.get("version"), record["metadata"]["namespace"]
        return (
            f"The cluster '{self.name}' has the provider {one.provider.component} {has} in the namespace '{where}', "
            f"and {one.provider.version} in '{one.namespace}' is wanted. The action 'init' does not upgrade. Name "
            f"{has} in init-options, or upgrade with 'clusterctl upgrade apply', or remove it with 'clusterctl "
            "delete' first."
        )


def _is_same(provider: Provider, record: Json) -> bool:
    return (record.get("providerName"), record.get("type")) == (provider.name, provider.type)


def _record(one: Components) -> Json:
    """Return the Provider object of a provider."""
    provider = one.provider
    return {
        "apiVersion": INVENTORY_VERSION,
        "kind": "Provider",
        "metadata": {
            "name": provider.component,
            "namespace": one.namespace,
            "labels": labels_of(provider) | {_CORE_LABEL: "inventory"},
            "annotations": {DIGEST: _digest(one)},
        },
        "providerName": provider.name,
        "type": provider.type,
        "version": provider.version,
    }


def _digest(one: Components) -> str:
    return hashlib.sha256(json.dumps(one.documents, sort_keys=True).encode()).hexdigest()
