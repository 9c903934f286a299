"""Kubeconfigs of a site's clusters: each from the first of its sources that has one.

The context of a result has the cluster's name, whatever it was called at its source. On the service a kubeconfig may
name no file and no program, and TLS is always verified; on somebody's own machine it may do what it likes.
"""

import base64
import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from shared.bundles.problems import bundle_error
from shared.json_object import Json
from shared.openshift.client import NotDone, Unreachable
from shared.phase_documents.bounded_yaml import documents
from shared.phase_documents.documents import Cluster
from shared.phase_documents.site import Site

# Reads a Secret of a cluster: (kubeconfig, namespace, name) to its data as base64, or None if it does not exist.
ReadSecret = Callable[[Json, str, str], "Mapping[str, str] | None"]
# Returns the admin kubeconfig of an OpenShift cluster by its resource id, as YAML.
ReadAdmin = Callable[[str], str]

# What a user of a kubeconfig may have on the service, and what a cluster may.
USER_MEMBERS = frozenset({"client-certificate-data", "client-key-data", "token", "username", "password"})
CLUSTER_MEMBERS = frozenset({"server", "certificate-authority-data", "tls-server-name"})


class NoKubeconfigError(NotDone):
    """None of a cluster's sources has a kubeconfig. The message has the reason of each.

    Args:
        message: as for `NotDone`.
        may_come: whether a source may have one later, because a cluster is still being made.
    """

    def __init__(self, message: str, *, may_come: bool = True) -> None:
        super().__init__(message)
        self.may_come = may_come


@dataclass
class Kubeconfigs:
    """The kubeconfigs of a site.

    Args:
        site: the site.
        read_admin: returns the admin kubeconfig of an OpenShift cluster.
        read_secret: reads a Secret of a cluster.
        trusted: whether the kubeconfigs are used on the machine of the person who wrote them, not on the service.
    """

    site: Site
    read_admin: ReadAdmin
    read_secret: ReadSecret
    trusted: bool
    _found: dict[str, Json] = field(default_factory=dict)

    def of(self, name: str) -> Json:
        """Return the kubeconfig of a cluster, with one context.

        Args:
            name: name of the cluster in the cluster map.

        Raises:
            BundleError: there is no such cluster, or a kubeconfig has what the service refuses.
            NoKubeconfigError: no source has one.
            Unreachable: no source has one, and the cluster that may have it does not answer.
        """
        if name not in self._found:
            cluster = self.site.cluster_map.clusters.get(name)
            if cluster is None:
                known = ", ".join(self.site.cluster_map.clusters) or "none"
                raise bundle_error(f"There is no cluster '{name}'. There are: {known}.")
            self._found[name] = self._first(cluster)
        return self._found[name]

    def merged(self, names: list[str]) -> Json:
        """Return one kubeconfig for several clusters; it has a current context only if there is one cluster.

        Args:
            names: names of clusters; all of the site if there is none.

        Raises:
            BundleError: as for `of`.
            NotDone: as for `of`.
        """
        wanted = names or list(self.site.cluster_map.clusters)
        kubeconfigs = [self.of(name) for name in wanted]
        sections = {
            section: [one for kubeconfig in kubeconfigs for one in kubeconfig[section]] for section in _SECTIONS
        }
        current = {"current-context": wanted[0]} if len(wanted) == 1 else {}
        return {"apiVersion": "v1", "kind": "Config", **sections, **current}

    def _first(self, cluster: Cluster) -> Json:
        reasons, away, may_come = [], False, False
        for source in cluster.sources:
            try:
                kubeconfig = SOURCES[source["type"]](self, cluster, source.get(source["type"]) or {})
            except (LookupError, NotDone) as error:
                reasons.append(f"{source['type']}: {error.args[0]}")
                away |= isinstance(error, Unreachable)
                may_come |= source["type"] in _MADE_LATER and getattr(error, "may_come", True)
                continue
            return self._checked(_renamed(kubeconfig, cluster.name), cluster, source["type"])
        tried = "; ".join(reasons) or "it has no sources"
        message = f"no source has a kubeconfig for the cluster '{cluster.name}': {tried}"
        raise Unreachable(message) if away else NoKubeconfigError(message, may_come=may_come)

    def _checked(self, kubeconfig: Json, cluster: Cluster, kind: str) -> Json:
        """Refuse what the service must not do for a kubeconfig: run a program, read a file, skip the verification."""
        if self.trusted:
            return kubeconfig
        user, server = kubeconfig["users"][0]["user"], kubeconfig["clusters"][0]["cluster"]
        wrong = [f"user.{name}" for name in user if name not in USER_MEMBERS]
        wrong += [f"cluster.{name}" for name in server if name not in CLUSTER_MEMBERS]
        if not str(server.get("server", "")).startswith("https://"):
            raise bundle_error(
                f"The kubeconfig for '{cluster.name}' from its source '{kind}' has a server without https."
            )
        if wrong:
            allowed = ", ".join(sorted(USER_MEMBERS | CLUSTER_MEMBERS))
            raise bundle_error(
                f"The kubeconfig for '{cluster.name}' from its source '{kind}' has {', '.join(wrong)}, which the "
                f"service does not use. It uses: {allowed}."
            )
        return kubeconfig

    def _from_bundle(self, _cluster: Cluster, source: Json) -> Json:
        wanted = source.get("contextName", "")
        contexts = [(one, context["name"]) for one in self.site.kubeconfigs for context in one["contexts"]]
        return _chosen(contexts, wanted, "the KubeConfig documents of the bundle")

    def _from_file(self, _cluster: Cluster, source: Json) -> Json:
        if not self.trusted:
            raise LookupError("the service has no files of yours")
        path = Path(source["path"]).expanduser()
        if not path.is_file():
            raise LookupError(f"there is no file {path}")
        read = _read(path.read_bytes(), str(path))
        contexts = [(read, context["name"]) for context in read.get("contexts") or ()]
        return _chosen(contexts, source.get("contextName", ""), str(path))

    def _from_openshift_cluster(self, _cluster: Cluster, source: Json) -> Json:
        return _current(_read(self.read_admin(source["resourceId"]).encode(), f"the answer for {source['resourceId']}"))

    def _from_cluster_api(self, cluster: Cluster, source: Json) -> Json:
        if not cluster.parent:
            raise LookupError("the cluster has no parent")
        named = source["clusterNamespacedName"]
        namespace, name = named.get("namespace") or "default", f"{named['name']}-kubeconfig"
        data = self.read_secret(self.of(cluster.parent), namespace, name)
        if data is None or "value" not in data:
            raise LookupError(f"the cluster '{cluster.parent}' has no Secret {namespace}/{name} with a 'value'")
        where = f"the Secret {namespace}/{name} of '{cluster.parent}'"
        return _current(_read(base64.b64decode(data["value"]), where))


_SECTIONS = ("clusters", "contexts", "users")
# The types of sources that have a kubeconfig once the cluster is made. Others have one from the beginning, or never.
_MADE_LATER = frozenset({"openShiftCluster", "clusterAPI"})
# Where a kubeconfig may come from, by the type of the source. A LookupError says why a source has none.
SOURCES: Mapping[str, Callable[[Kubeconfigs, Cluster, Json], Json]] = {
    "bundle": Kubeconfigs._from_bundle,  # noqa: SLF001 - the table of this class
    "filesystem": Kubeconfigs._from_file,  # noqa: SLF001 - idem
    "openShiftCluster": Kubeconfigs._from_openshift_cluster,  # noqa: SLF001 - idem
    "clusterAPI": Kubeconfigs._from_cluster_api,  # noqa: SLF001 - idem
}


def _chosen(contexts: list[tuple[Json, str]], wanted: str, where: str) -> Json:
    """Return the kubeconfig of one context: the wanted one, or the only one.

    Raises:
        LookupError: there is none.
        BundleError: there are several, and the source does not say which.
    """
    matches = [(document, name) for document, name in contexts if wanted in ("", name)]
    if not matches:
        named = f" '{wanted}'" if wanted else ""
        raise LookupError(f"there is no context{named} in {where}")
    if len(matches) > 1:
        names = ", ".join(name for _, name in matches)
        raise bundle_error(
            f"There are several contexts in {where} ({names}). The source has to name one by contextName."
        )
    return _only(*matches[0])


def _read(content: bytes, where: str) -> Json:
    """Return the kubeconfig in a file or a Secret.

    Raises:
        BundleError: it is not one document of YAML. The message quotes nothing of it, because it may be secret.
    """
    try:
        kubeconfigs = documents(content.decode(), where)
    except UnicodeDecodeError as error:
        raise bundle_error("This is not UTF-8.", file=where) from error
    if len(kubeconfigs) != 1:
        raise bundle_error(f"A kubeconfig is one document, and this has {len(kubeconfigs)}.", file=where)
    return kubeconfigs[0]


def _current(document: Json) -> Json:
    if not document.get("current-context"):
        raise LookupError("the kubeconfig has no current-context")
    return _only(document, document["current-context"])


def _only(document: Json, context: str) -> Json:
    """Return a kubeconfig with one of its contexts, its cluster and its user."""
    chosen = _named(document, "contexts", context)
    return {
        "contexts": [chosen],
        "clusters": [_named(document, "clusters", chosen["context"]["cluster"])],
        "users": [_named(document, "users", chosen["context"]["user"])],
    }


def _named(document: Json, section: str, name: str) -> Json:
    for entry in document.get(section) or ():
        if entry["name"] == name:
            value: Json = copy.deepcopy(entry)
            return value
    raise LookupError(f"the kubeconfig has no '{name}' in its {section}")


def _renamed(kubeconfig: Json, name: str) -> Json:
    """Return a kubeconfig whose context, cluster and user are named after the cluster, so that several can merge."""
    context = kubeconfig["contexts"][0]["context"] | {"cluster": name, "user": f"{name}-admin"}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [kubeconfig["clusters"][0] | {"name": name}],
        "contexts": [{"name": name, "context": context}],
        "users": [kubeconfig["users"][0] | {"name": f"{name}-admin"}],
        "current-context": name,
    }
