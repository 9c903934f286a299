"""A site: what the phase bundle in an archive or a folder declares, and where the documents of each phase are.

The rules for paths are airshipctl's. The metadata file says where the phase bundle is. The documents of a phase are at
the prefix in that file, followed by the phase's own entry point. Both are seen from the repository of the metadata
file. That is the bundle itself, or its first folder on the way to the file: airshipctl's working folder holds a folder
for each repository, and what lies in several of them, such as the components of providers, is seen from the working
folder.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path, PurePosixPath

from shared import findings
from shared.bundles.problems import BundleError, Problem, bundle_error
from shared.json_object import Json
from shared.phase_documents import entry_points, kustomize
from shared.phase_documents.bounded_yaml import read_file
from shared.phase_documents.documents import (
    Cluster,
    ClusterMap,
    Executor,
    Name,
    Phase,
    PhasePlan,
    by_schema,
    is_declaration,
    problems_of,
    title,
)
from shared.phase_documents.kustomize import Rendered
from shared.phase_documents.schemas import MANIFEST_METADATA, NOT_BUILT, SCHEMAS

METADATA_FILE = "metadata.yaml"
# A document with this label and one of these values is not applied to a cluster.
DEPLOY_LABEL = "airshipit.org/deploy-k8s"
NOT_DEPLOYED = ("false", "False")


@dataclass(frozen=True)
class Site:
    """What a bundle declares.

    Args:
        bundle: the root of the bundle.
        prefix: path of the site in the bundle, with its repository's, before each phase's own entry point.
        phases: the phases by name, in the order in which the bundle renders them.
        plans: the plans by name.
        cluster_map: the clusters.
        kubeconfigs: the kubeconfigs of KubeConfig documents, in the bundle's order.
        documents: all documents of the phase bundle.
    """

    bundle: Path
    prefix: str
    phases: dict[Name, Phase]
    plans: dict[Name, PhasePlan]
    cluster_map: ClusterMap
    kubeconfigs: tuple[Json, ...]
    documents: tuple[Rendered, ...]

    def entry_point(self, phase: Phase) -> str:
        """Return the path of a phase's documents in the bundle; "" if it has none."""
        return str(PurePosixPath(self.prefix) / phase.entry_point) if phase.entry_point else ""

    def phase(self, name: str, namespace: str = "") -> Phase:
        """Return a phase.

        Raises:
            BundleError: there is none of that name.
        """
        phase = self.phases.get(Name(namespace, name))
        if phase is None:
            raise bundle_error(f"There is no phase '{Name(namespace, name)}'. There are: {names(self.phases)}.")
        return phase

    def plan(self, name: str, namespace: str = "") -> PhasePlan:
        """Return a plan.

        Raises:
            BundleError: there is none of that name.
        """
        plan = self.plans.get(Name(namespace, name))
        if plan is None:
            raise bundle_error(f"There is no plan '{Name(namespace, name)}'. There are: {names(self.plans)}.")
        return plan

    def render(self, phase: Phase) -> list[Rendered]:
        """Return the documents of a phase that are deployed, in kustomize's order.

        Raises:
            BundleError: the phase has no entry point, or it cannot be rendered.
        """
        if not phase.entry_point:
            raise bundle_error(
                "The phase has no documentEntryPoint.", file=phase.file, field=f"Phase/{phase.name} config"
            )
        return [one for one in kustomize.build(self.bundle, self.entry_point(phase)) if is_deployed(one.document)]


def load(bundle: Path, metadata_file: str = METADATA_FILE) -> Site:
    """Read a site.

    Args:
        bundle: the root of the bundle.
        metadata_file: path of the metadata file in it.

    Raises:
        BundleError: with everything that is wrong with the documents that declare the site.
    """
    metadata = _metadata(bundle, metadata_file)
    repository = _repository(bundle, metadata_file, metadata["path"])
    rendered = tuple(kustomize.build(bundle, str(repository / metadata["path"])))
    declared = [one for one in rendered if is_declaration(one.document)]
    of_each = (problem for one in declared for problem in problems_of(one))
    if problems := list(islice(chain(of_each, _doubled(declared)), findings.MOST)):
        raise BundleError(problems)
    of_kind = {kind: [one for one in declared if one.document["kind"] == kind] for kind in (*SCHEMAS, *NOT_BUILT)}
    maps = of_kind["ClusterMap"]
    return Site(
        bundle,
        str(repository / metadata["docEntryPointPrefix"]),
        {Name.of(one.document["metadata"]): _phase(one, declared) for one in of_kind["Phase"]},
        {Name.of(one.document["metadata"]): _plan(one) for one in of_kind["PhasePlan"]},
        _cluster_map(maps[0]) if maps else ClusterMap(),
        tuple(one.document["config"] for one in of_kind["KubeConfig"]),
        rendered,
    )


def is_deployed(document: Json) -> bool:
    """Tell whether a document is applied to a cluster, unless its label says that it is not."""
    labels = (document.get("metadata") or {}).get("labels") or {}
    return labels.get(DEPLOY_LABEL) not in NOT_DEPLOYED


def _metadata(bundle: Path, metadata_file: str) -> Json:
    """Return `path` and `docEntryPointPrefix` from the metadata file."""
    path = entry_points.located(bundle.resolve(), metadata_file)
    if path is None or not path.is_file():
        raise bundle_error(f"The bundle has no metadata file '{metadata_file}'.", file=metadata_file)
    contents = read_file(path, metadata_file)
    if len(contents) != 1:
        raise bundle_error(
            f"The file has {len(contents)} documents. A metadata file is exactly one.", file=metadata_file
        )
    problems = list(by_schema(contents[0], MANIFEST_METADATA, metadata_file))
    if problems:
        raise BundleError(problems)
    spec: Json = {"docEntryPointPrefix": ""} | contents[0]["spec"]["phase"]
    return spec


def _repository(bundle: Path, metadata_file: str, path: str) -> PurePosixPath:
    """Return the path of the repository that the metadata file is in.

    Raises:
        BundleError: the phase bundle is in none that it could be.
    """
    places = [PurePosixPath(), *(PurePosixPath(part) for part in PurePosixPath(metadata_file).parts[:-1][:1])]
    for place in places:
        location = entry_points.located(bundle.resolve(), place / path)
        if location is None or location.is_dir():
            return place
    looked = " or ".join(f"'{place / path}'" for place in places)
    missing = (
        f"The phase bundle does not exist: the bundle has no folder {looked}. The path is seen from the bundle, or "
        "from its first folder on the way to the metadata file, if it holds several repositories."
    )
    raise bundle_error(missing, file=metadata_file, field="spec.phase.path")


def _doubled(declared: Iterable[Rendered]) -> Iterator[Problem]:
    """Yield a problem for each second cluster map; kustomize itself refuses two documents of one kind and name."""
    maps = [one for one in declared if one.document.get("kind") == "ClusterMap"]
    for one in maps[1:]:
        yield Problem(one.file, title(one.document), f"A site has one ClusterMap. The first is in {maps[0].file}.")


def _phase(rendered: Rendered, declared: Sequence[Rendered]) -> Phase:
    document, config = rendered.document, rendered.document["config"]
    needs = config.get("needs")
    return Phase(
        Name.of(document["metadata"]),
        document["metadata"].get("clusterName") or "",
        _executor(config["executorRef"], declared),
        config.get("documentEntryPoint") or "",
        None if needs is None else tuple(needs),
        config.get("siteWideKubeconfig", False),
        rendered.file,
    )


def _executor(reference: Json, declared: Sequence[Rendered]) -> Executor:
    name = Name.of(reference)
    for one in declared:
        document = one.document
        wanted = (reference["apiVersion"], reference["kind"], name)
        if (document.get("apiVersion"), document.get("kind"), Name.of(document["metadata"])) == wanted:
            return Executor(reference["kind"], name, document, one.file)
    return Executor(reference["kind"], name, {}, "")


def _plan(rendered: Rendered) -> PhasePlan:
    document = rendered.document
    return PhasePlan(
        Name.of(document["metadata"]),
        document.get("description", ""),
        tuple(Name.of(step) for step in document["phases"]),
        rendered.file,
    )


def _cluster_map(rendered: Rendered) -> ClusterMap:
    clusters = {
        name: Cluster(name, entry.get("parent") or "", tuple(entry["kubeconfigSources"]))
        for name, entry in rendered.document["map"].items()
    }
    return ClusterMap(clusters, rendered.file)


# How many names a message lists: each of many wrong references would list all of them.
_NAMES = 50


def names(values: Iterable[object]) -> str:
    """Return names in words; of very many only the first."""
    listed = list(map(str, islice(values, _NAMES + 1)))
    return ", ".join(listed[:_NAMES]) + (", ..." if len(listed) > _NAMES else "") or "none"
