"""The documents that declare phases, read from a rendered phase bundle. They have been checked before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from shared.bundles.problems import Problem
from shared.json_object import Json
from shared.phase_documents.kustomize import Rendered
from shared.phase_documents.schemas import ANY, API_VERSION, GROUP, SCHEMAS, Schema, differences


@dataclass(frozen=True, order=True)
class Name:
    """The name of a document.

    Args:
        namespace: its namespace; "" if it has none.
        name: its name in the namespace.
    """

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Self:
        """Return the name in an object's metadata, or in a reference."""
        return cls(str(metadata.get("namespace") or ""), str(metadata.get("name", "")))


@dataclass(frozen=True)
class Executor:
    """What a phase is run by.

    Args:
        kind: its kind, such as `KubernetesApply`.
        name: its name.
        document: the document; {} if the bundle lacks it.
        file: the file that it comes from.
    """

    kind: str
    name: Name
    document: Json
    file: str

    @property
    def missing(self) -> str:
        """What to say if the bundle lacks it."""
        return f"The bundle has no {self.kind} named '{self.name}'."


@dataclass(frozen=True)
class Phase:
    """A phase.

    Args:
        name: its name.
        cluster: name of the cluster that it works on, in the cluster map; "" if it works on none.
        executor: what it is run by.
        entry_point: path of its documents below the site's prefix; "" if it has none.
        needs: names of the phases that must be done before; None if the plan's order decides.
        site_wide: whether it needs the kubeconfigs of all clusters.
        file: the file that it comes from.
    """

    name: Name
    cluster: str
    executor: Executor
    entry_point: str
    needs: tuple[str, ...] | None
    site_wide: bool
    file: str


@dataclass(frozen=True)
class PhasePlan:
    """A plan: phases in order.

    Args:
        name: its name.
        description: what it is for.
        phases: the names of its phases, in order.
        file: the file that it comes from.
    """

    name: Name
    description: str
    phases: tuple[Name, ...]
    file: str


@dataclass(frozen=True)
class Cluster:
    """An entry of the cluster map.

    Args:
        name: its name, which is also the name of the context in its kubeconfig.
        parent: name of the cluster that manages it; "" if none does.
        sources: where its kubeconfig may come from, in the order in which they are tried, as in the document.
    """

    name: str
    parent: str
    sources: tuple[Json, ...]


@dataclass(frozen=True)
class ClusterMap:
    """The clusters of a site.

    Args:
        clusters: the clusters by name, in the order of the document.
        file: the file that it comes from; "" if the site has no cluster map.
    """

    clusters: Mapping[str, Cluster] = field(default_factory=dict)
    file: str = ""

    def ancestors(self, name: str) -> list[str]:
        """Return the chain of clusters that manage a cluster, nearest first; it ends where it would repeat itself."""
        chain: list[str] = []
        while (cluster := self.clusters.get(name)) is not None and cluster.parent and cluster.parent not in chain:
            name = cluster.parent
            chain.append(name)
        return chain


def is_declaration(document: Json) -> bool:
    """Tell whether a document is one of those that declare phases."""
    return str(document.get("apiVersion", "")).partition("/")[0] == GROUP


def title(document: Json) -> str:
    """Return how problems name a document: its kind and name."""
    metadata = document.get("metadata")
    return f"{document.get('kind', '?')}/{Name.of(metadata if isinstance(metadata, Mapping) else {})}"


def problems_of(rendered: Rendered) -> Iterator[Problem]:
    """Yield what is wrong with a document by its schema; a kind that has none needs a name."""
    document = rendered.document
    schema = SCHEMAS.get(str(document.get("kind")), ANY)
    if document.get("apiVersion") != API_VERSION:
        wrong = f"'{document.get('apiVersion')}' is not an API version of {GROUP}. It has '{API_VERSION}'."
        yield Problem(rendered.file, f"{title(document)} apiVersion", wrong)
    else:
        yield from by_schema(document, schema, rendered.file)


def by_schema(document: Json, schema: Schema, file: str) -> Iterator[Problem]:
    """Yield what a JSON schema finds in a document.

    Args:
        document: the document.
        schema: the schema.
        file: the file that it comes from.
    """
    for where, message in differences(document, schema):
        yield Problem(file, f"{title(document)} {where}".rstrip(), message)
