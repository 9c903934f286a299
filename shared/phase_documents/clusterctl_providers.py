"""The providers that a Clusterctl document chooses: where their components are, and what is wrong with the choice.

Source: airshipit/airshipctl `pkg/phase/executors/clusterctl.go`; kubernetes-sigs/cluster-api
`cmd/clusterctl/client/repository/components.go`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from shared.bundles.problems import BundleError, Problem, bundle_error
from shared.json_object import Json
from shared.phase_documents import entry_points, kustomize
from shared.phase_documents.clusterctl_images import with_images
from shared.phase_documents.clusterctl_variables import MissingVariables, substitute
from shared.phase_documents.documents import Phase
from shared.phase_documents.site import Site, is_deployed

# The members of init-options, in the order in which their providers are installed; what the labels of each type begin
# with.
OPTIONS = {
    "core-provider": ("CoreProvider", ""),
    "bootstrap-providers": ("BootstrapProvider", "bootstrap-"),
    "control-plane-providers": ("ControlPlaneProvider", "control-plane-"),
    "infrastructure-providers": ("InfrastructureProvider", "infrastructure-"),
}
# Every object of a provider has the first of these labels, and the second with the provider as its value.
CLUSTERCTL_LABEL = "clusterctl.cluster.x-k8s.io"
PROVIDER_LABEL = "cluster.x-k8s.io/provider"
_VERSION = re.compile(r"v[0-9]+(\.[0-9]+)*([-+].+)?")


@dataclass(frozen=True)
class Provider:
    """A provider that is to be installed.

    Args:
        type: its type, such as `CoreProvider`.
        name: its name.
        version: its version.
        root: path of its components in the bundle.
        component: its name among all providers, such as `bootstrap-kubeadm`.
    """

    type: str
    name: str
    version: str
    root: str
    component: str

    def __str__(self) -> str:
        """Name it in a sentence."""
        return f"{self.component} {self.version}"


@dataclass(frozen=True)
class Components:
    """What a provider is made from.

    Args:
        provider: the provider.
        namespace: the namespace that it runs in.
        documents: its objects.
    """

    provider: Provider
    namespace: str
    documents: tuple[Json, ...]


@dataclass(frozen=True)
class Choice:
    """What a Clusterctl document chooses in a site.

    Args:
        site: the site.
        phase: the phase that the document is the executor of.
    """

    site: Site
    phase: Phase

    @property
    def document(self) -> Json:
        """The Clusterctl document."""
        return self.phase.executor.document

    def components(self) -> list[Components]:
        """Return the components of all providers, in the order in which they are installed.

        Raises:
            BundleError: with everything that is wrong with the choice and with the components.
        """
        providers, problems = self._providers()
        components = []
        for provider in providers:
            try:
                components.append(self._components(provider))
            except BundleError as error:
                problems += error.problems
        if problems:
            raise BundleError(problems)
        return components

    def problems(self) -> list[Problem]:
        """Return everything that is wrong with the choice and with the components."""
        try:
            self.components()
        except BundleError as error:
            return error.problems
        return []

    def _providers(self) -> tuple[list[Provider], list[Problem]]:
        problems = list(self._remote())
        providers: list[Provider] = []
        options = self.document.get("init-options") or {}
        for member, (kind, prefix) in OPTIONS.items():
            wanted = [one.strip() for one in (options.get(member) or "").split(",") if one.strip()]
            if member == "core-provider" and len(wanted) > 1:
                problems.append(self._problem(f"init-options.{member}", "A cluster has one core provider."))
            for named in wanted:
                try:
                    provider = self._provider(f"init-options.{member}", named, kind, prefix)
                except BundleError as error:
                    problems += error.problems
                    continue
                if any(one.component == provider.component for one in providers):
                    twice = f"The provider '{provider.name}' is named twice."
                    problems.append(self._problem(f"init-options.{member}", twice))
                else:
                    providers.append(provider)
        if not any(options.get(member) for member in OPTIONS):
            nothing = f"They name no provider. At least one of these is needed: {', '.join(OPTIONS)}."
            problems.append(self._problem("init-options", nothing))
        return providers, problems

    def _remote(self) -> Iterator[Problem]:
        for index, entry in enumerate(self.document.get("providers") or ()):
            for member, address in _addresses(entry).items():
                if entry_points.is_remote(address):
                    remote = (
                        f"'{address}' is a remote address. Components are only taken from the bundle: copy them into "
                        "it as a kustomize root and give its path."
                    )
                    yield self._problem(f"providers[{index}].{member}", remote)

    def _provider(self, member: str, named: str, kind: str, prefix: str) -> Provider:
        """Return the provider that init-options name, such as `kubeadm:v1.0.0`."""
        name, _, version = named.partition(":")
        of_kind = [one for one in self.document.get("providers") or () if one["type"] == kind]
        entries = [one for one in of_kind if one["name"] == name]
        if not entries:
            known = ", ".join(sorted({one["name"] for one in of_kind})) or "none"
            raise self._refused(member, f"There is no {kind} '{name}' among the providers. There are: {known}.")
        if not any(_addresses(one) for one in entries):
            nowhere = f"The provider '{name}' has neither a url nor versions, so it has no components in the bundle."
            raise self._refused("providers", nowhere)
        urls = [one["url"] for one in entries if "url" in one and not entry_points.is_remote(one["url"])]
        open_urls = [url for url in urls if not _VERSION.fullmatch(self._last(url))]
        by_version = {self._last(url): url for url in urls if url not in open_urls}
        for one in entries:
            by_version |= {
                key: root for key, root in one.get("versions", {}).items() if not entry_points.is_remote(root)
            }
        if not version and len(by_version) == 1 and not open_urls:
            version = next(iter(by_version))
        if not version:
            raise self._refused(member, f"'{named}' names no version. Write it as '{name}:v1.0.0'.")
        if not _VERSION.fullmatch(version):
            raise self._refused(member, f"'{version}' is not a version. A version is like 'v1.0.0'.")
        root = by_version.get(version) or next((self._below(url, version) for url in open_urls), "")
        if not root and by_version:
            versions = ", ".join(sorted(by_version))
            raise self._refused(member, f"The provider '{name}' has no version '{version}'. It has: {versions}.")
        return Provider(kind, name, version, root, f"{prefix}{name}")

    def _below(self, url: str, version: str) -> str:
        """Return the root of a version at an address that does not name one."""
        below = PurePosixPath(url) / version
        return str(below) if (self.site.bundle / below).is_dir() else url

    def _components(self, provider: Provider) -> Components:
        if not provider.root:
            return Components(provider, "", ())
        located = entry_points.located(self.site.bundle.resolve(), provider.root)
        if located is not None and not located.is_dir():
            missing = (
                f"The components of {provider} do not exist: the bundle has no folder '{provider.root}'. Addresses of "
                "providers are seen from the bundle. Where airshipctl's working folder holds several repositories, the "
                "bundle is that folder, and the path of the metadata file begins with its repository."
            )
            raise self._refused("providers", missing)
        variables = self.document.get("additional-vars") or {}
        try:
            rendered = kustomize.build(self.site.bundle, provider.root, lambda text: substitute(text, variables))
        except MissingVariables as error:
            missing = f"The provider {provider} needs values for: {error}. Neither it nor additional-vars has them."
            raise self._refused("additional-vars", missing) from error
        except ValueError as error:
            raise bundle_error(
                f"{provider} has an expression that is not understood: {error}.", file=provider.root
            ) from error
        documents = [one.document for one in rendered if is_deployed(one.document) and not _is_metadata(one.document)]
        namespaces = [one["metadata"]["name"] for one in documents if one.get("kind") == "Namespace"]
        if len(namespaces) != 1:
            has = ", ".join(namespaces) or "none"
            raise bundle_error(
                f"The components of a provider have exactly one Namespace. It has: {has}.", file=provider.root
            )
        overrides = self.document.get("images") or {}
        made = [with_images(_labelled(one, provider), provider.component, overrides) for one in documents]
        return Components(provider, namespaces[0], tuple(made))

    @staticmethod
    def _last(url: str) -> str:
        return PurePosixPath(url).name

    def _problem(self, member: str, message: str) -> Problem:
        executor = self.phase.executor
        return Problem(executor.file, f"{executor.kind}/{executor.name} {member}", message)

    def _refused(self, member: str, message: str) -> BundleError:
        return BundleError([self._problem(member, message)])


def validate(site: Site, phase: Phase) -> list[Problem]:
    """Check the clusters that an action needs, and for `init` the providers and their components."""
    problems = []
    clusters = site.cluster_map.clusters
    if not phase.cluster:
        missing = "A phase of kind Clusterctl names its cluster in metadata.clusterName."
        problems.append(Problem(phase.file, f"Phase/{phase.name} metadata", missing))
    elif moves(phase) and phase.cluster in clusters and not clusters[phase.cluster].parent:
        orphan = f"The action 'move' takes objects from the parent cluster, and '{phase.cluster}' has no parent."
        problems.append(Problem(phase.file, f"Phase/{phase.name} metadata.clusterName", orphan))
    return problems if moves(phase) else [*problems, *Choice(site, phase).problems()]


def moves(phase: Phase) -> bool:
    """Tell whether a phase moves objects between clusters, instead of installing providers."""
    return bool(phase.executor.document["action"] == "move")


def applies(site: Site, phase: Phase) -> list[Json]:
    """Return the components of providers; what moves is not in the bundle."""
    components = [] if moves(phase) else Choice(site, phase).components()
    return [document for one in components for document in one.documents]


def labels_of(provider: Provider) -> dict[str, str]:
    """Return the labels of every object of a provider."""
    return {CLUSTERCTL_LABEL: "", PROVIDER_LABEL: provider.component}


def _addresses(entry: Json) -> dict[str, str]:
    """Return where a provider's components are, by member: `versions` has them in airshipctl 2.0, `url` since then."""
    addresses = {f"versions.{version}": root for version, root in entry.get("versions", {}).items()}
    return addresses | ({"url": entry["url"]} if "url" in entry else {})


def _is_metadata(document: Json) -> bool:
    """Tell whether a document is what clusterctl reads about a provider's releases."""
    group = str(document.get("apiVersion", "")).partition("/")[0]
    return (group, document.get("kind")) == (CLUSTERCTL_LABEL, "Metadata")


def _labelled(document: Json, provider: Provider) -> Json:
    labels = (document["metadata"].get("labels") or {}) | labels_of(provider)
    return document | {"metadata": document["metadata"] | {"labels": labels}}
