"""A cluster's kubeconfig comes from the first source that has one, and says why if none has."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.bundles.problems import BundleError
from shared.json_object import Json
from shared.openshift.client import NotDone, Unreachable
from shared.phase_documents import site
from shared.phase_documents.kubeconfigs import Kubeconfigs, NoKubeconfigError
from tests.product.unit.phases.bundles import phases, write

RESOURCE_ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.RedHatOpenShift/openShiftClusters/c"


def kubeconfig(name: str, **user: Any) -> Json:
    """Return a kubeconfig with one context."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": name, "cluster": {"server": f"https://{name}:6443", "certificate-authority-data": "Q0E="}}
        ],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "me", "namespace": "work"}}],
        "users": [{"name": "me", "user": user or {"token": name}}],
        "current-context": name,
    }


def declared(*found: Json) -> str:
    """Return KubeConfig documents."""
    made = [
        {
            "apiVersion": "airshipit.org/v1alpha1",
            "kind": "KubeConfig",
            "metadata": {"name": f"k{number}"},
            "config": one,
        }
        for number, one in enumerate(found)
    ]
    return yaml.safe_dump_all(made)


def resolver(folder: Path, sources: str, *found: Json, trusted: bool = True, **secrets: Json) -> Kubeconfigs:
    """Return the kubeconfigs of a site whose cluster `management` has other sources.

    Args:
        folder: where the site is written.
        sources: the sources, as YAML on one line.
        found: the kubeconfigs in the bundle.
        trusted: whether it is somebody's own machine.
        secrets: the kubeconfigs in Secrets, by the name of the server that has them.
    """
    files = phases("    - {type: bundle, bundle: {contextName: management}}\n", f"    {sources}\n")
    files |= {"site/phases/kustomization.yaml": "resources: [phases.yaml, kubeconfigs.yaml]\n"}
    write(folder, files | {"site/phases/kubeconfigs.yaml": declared(*found) or "{}"})

    def read_secret(parent: Json, namespace: str, name: str) -> Mapping[str, str] | None:
        assert (namespace, name) == ("clusters", "managed-kubeconfig")
        held = secrets.get(parent["users"][0]["user"].get("token", ""))
        return None if held is None else {"value": base64.b64encode(yaml.safe_dump(held).encode()).decode()}

    def read_admin(resource_id: str) -> str:
        assert resource_id == RESOURCE_ID
        return yaml.safe_dump(kubeconfig("admin"))

    return Kubeconfigs(site.load(folder), read_admin, read_secret, trusted)


def test_the_context_has_the_name_of_the_cluster(tmp_path: Path) -> None:
    """Whatever it was called before; its namespace stays."""
    found = resolver(tmp_path, "- {type: bundle}", kubeconfig("old")).of("management")
    assert (found["current-context"], found["contexts"][0]["name"]) == ("management", "management")
    assert found["contexts"][0]["context"] == {"cluster": "management", "user": "management-admin", "namespace": "work"}
    assert found["users"] == [{"name": "management-admin", "user": {"token": "old"}}]


def test_what_is_found_says_that_it_is_a_kubeconfig(tmp_path: Path) -> None:
    """Also where its source leaves that out, as kubectl allows."""
    source = {name: value for name, value in kubeconfig("old").items() if name not in {"apiVersion", "kind"}}
    found = resolver(tmp_path, "- {type: bundle}", source)
    for one in (found.of("management"), found.merged(["management"])):
        assert (one["apiVersion"], one["kind"]) == ("v1", "Config")


def test_the_first_source_that_has_one_wins(tmp_path: Path) -> None:
    """A source without one is passed by."""
    sources = (
        "- {type: filesystem, filesystem: {path: /nowhere/kubeconfig}}\n"
        f"    - {{type: openShiftCluster, openShiftCluster: {{resourceId: '{RESOURCE_ID}'}}}}\n"
        "    - {type: bundle}"
    )
    found = resolver(tmp_path, sources, kubeconfig("old")).of("management")
    assert found["users"][0]["user"] == {"token": "admin"}


def test_a_file_may_be_below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a shell."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "kube").write_text(yaml.safe_dump(kubeconfig("mine")))
    found = resolver(tmp_path / "site", "- {type: filesystem, filesystem: {path: ~/kube}}").of("management")
    assert found["users"][0]["user"] == {"token": "mine"}


def test_the_secret_of_cluster_api_is_read_in_the_parent(tmp_path: Path) -> None:
    """Which is found in the same way."""
    found = resolver(tmp_path, "- {type: bundle}", kubeconfig("old"), old=kubeconfig("child")).of("managed")
    assert found["users"][0]["user"] == {"token": "child"}


def test_every_source_says_why_it_has_none(tmp_path: Path) -> None:
    """So nobody has to guess which of them was meant to."""
    sources = "- {type: filesystem, filesystem: {path: /nowhere/kubeconfig}}\n    - {type: bundle}"
    with pytest.raises(NoKubeconfigError) as caught:
        resolver(tmp_path, sources).of("management")
    assert str(caught.value) == (
        "no source has a kubeconfig for the cluster 'management': filesystem: there is no file /nowhere/kubeconfig; "
        "bundle: there is no context in the KubeConfig documents of the bundle"
    )
    assert not caught.value.may_come
    with pytest.raises(NoKubeconfigError, match="has no Secret clusters/managed-kubeconfig with a 'value'") as caught:
        resolver(tmp_path / "two", "- {type: bundle}", kubeconfig("old")).of("managed")
    assert caught.value.may_come


CHAIN = """
apiVersion: airshipit.org/v1alpha1
kind: ClusterMap
metadata: {name: clusters}
map:
  target:
    parent: workload
    kubeconfigSources:
    - {type: clusterAPI, clusterAPI: {clusterNamespacedName: {name: target, namespace: clusters}}}
    - {type: filesystem, filesystem: {path: ~/target}}
  workload:
    parent: ephemeral
    kubeconfigSources: [{type: clusterAPI, clusterAPI: {clusterNamespacedName: {name: workload}}}]
  ephemeral:
    kubeconfigSources: [{type: filesystem, filesystem: {path: ~/ephemeral}}]
"""


def chain(folder: Path, secrets: Mapping[str, Json | NotDone | str]) -> Kubeconfigs:
    """Return the kubeconfigs of three clusters, each of which manages the next: ephemeral, workload, target.

    Args:
        folder: where the site is written; the home of whoever runs the plan.
        secrets: by `<token of the parent> <namespace>/<name>`, the kubeconfig in a Secret, or its text as it is, or
            what keeps it from being read.
    """
    before, _, _ = str(phases("", "")["site/phases/phases.yaml"]).rpartition("---")
    write(folder, {"site/phases/phases.yaml": f"{before}---{CHAIN}"})
    (folder / "ephemeral").write_text(yaml.safe_dump(kubeconfig("first")))

    def read_secret(parent: Json, namespace: str, name: str) -> Mapping[str, str] | None:
        held = secrets.get(f"{parent['users'][0]['user']['token']} {namespace}/{name}")
        if isinstance(held, NotDone):
            raise held
        if held is None or isinstance(held, str):
            return None if held is None else {"value": held}
        return {"value": base64.b64encode(yaml.safe_dump(held).encode()).decode()}

    return Kubeconfigs(site.load(folder), lambda _id: "", read_secret, trusted=True)


def test_a_chain_of_clusters_is_followed_to_the_one_that_has_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each parent is asked with the kubeconfig that its own parent has; the namespace is `default` if none is named."""
    monkeypatch.setenv("HOME", str(tmp_path))
    secrets = {
        "first default/workload-kubeconfig": kubeconfig("second"),
        "second clusters/target-kubeconfig": kubeconfig("third"),
    }
    found = chain(tmp_path, secrets)
    assert found.of("target")["users"] == [{"name": "target-admin", "user": {"token": "third"}}]
    assert [one["name"] for one in found.merged([])["contexts"]] == ["ephemeral", "target", "workload"]


def test_a_parent_that_does_not_answer_leaves_the_next_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If no other source has one, the cluster may answer later; until then its absence is the reason."""
    monkeypatch.setenv("HOME", str(tmp_path))
    found = chain(tmp_path, {"first default/workload-kubeconfig": Unreachable("it is away")})
    with pytest.raises(Unreachable, match=r"cluster 'target': clusterAPI: .*'workload': clusterAPI: it is away; "):
        found.of("target")
    (tmp_path / "target").write_text(yaml.safe_dump(kubeconfig("mine")))
    assert found.of("target")["users"][0]["user"] == {"token": "mine"}


def test_a_chain_that_ends_without_a_kubeconfig_names_every_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is clear which cluster lacks its Secret."""
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(NoKubeconfigError) as caught:
        chain(tmp_path, {}).of("target")
    assert str(caught.value) == (
        "no source has a kubeconfig for the cluster 'target': clusterAPI: no source has a kubeconfig for the cluster "
        "'workload': clusterAPI: the cluster 'ephemeral' has no Secret default/workload-kubeconfig with a 'value'; "
        f"filesystem: there is no file {tmp_path / 'target'}"
    )


@pytest.mark.parametrize(
    ("held", "want"),
    [
        ("/////w==", "the Secret clusters/target-kubeconfig of 'workload': This is not UTF-8."),
        ("YTogeyI=", "the Secret clusters/target-kubeconfig of 'workload': This is not YAML: "),
        ("LS0tCmE6IDEKLS0tCmE6IDEK", "A kubeconfig is one document, and this has 2."),
    ],
    ids=["text", "yaml", "documents"],
)
def test_what_is_no_kubeconfig_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: str, want: str
) -> None:
    """In a sentence that quotes nothing of it, because it may be a secret."""
    monkeypatch.setenv("HOME", str(tmp_path))
    secrets: dict[str, Json | NotDone | str] = {
        "first default/workload-kubeconfig": kubeconfig("second"),
        "second clusters/target-kubeconfig": held,
    }
    with pytest.raises(BundleError) as caught:
        chain(tmp_path, secrets).of("target")
    assert want in str(caught.value)


def test_a_kubeconfig_without_a_current_context_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Secret has to say which one it means."""
    monkeypatch.setenv("HOME", str(tmp_path))
    lacking = {name: value for name, value in kubeconfig("second").items() if name != "current-context"}
    with pytest.raises(NoKubeconfigError, match="'workload': clusterAPI: the kubeconfig has no current-context"):
        chain(tmp_path, {"first default/workload-kubeconfig": lacking}).of("workload")


def test_several_contexts_need_a_name(tmp_path: Path) -> None:
    """Choosing one of them would be a guess."""
    two = (kubeconfig("one"), kubeconfig("two"))
    with pytest.raises(BundleError, match=r"several contexts in the KubeConfig documents of the bundle \(one, two\)"):
        resolver(tmp_path, "- {type: bundle}", *two).of("management")
    named = resolver(tmp_path / "named", "- {type: bundle, bundle: {contextName: two}}", *two).of("management")
    assert named["users"][0]["user"] == {"token": "two"}


@pytest.mark.parametrize(
    ("user", "want"),
    [
        ({"exec": {"command": "kubelogin"}}, "user.exec"),
        ({"auth-provider": {"name": "azure"}}, "user.auth-provider"),
        ({"client-key": "/var/run/key"}, "user.client-key"),
    ],
    ids=["exec", "auth-provider", "file"],
)
def test_the_service_runs_no_program_and_reads_no_file_for_a_kubeconfig(tmp_path: Path, user: Json, want: str) -> None:
    """A bundle comes from outside; on its author's own machine all of this is allowed."""
    found = kubeconfig("old", **user)
    with pytest.raises(BundleError, match=f"has {want}, which the service does not use"):
        resolver(tmp_path, "- {type: bundle}", found, trusted=False).of("management")
    assert resolver(tmp_path / "own", "- {type: bundle}", found).of("management")


def test_the_service_verifies_tls_and_has_no_files(tmp_path: Path) -> None:
    """Whatever the kubeconfig says."""
    found = kubeconfig("old")
    found["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = True
    with pytest.raises(BundleError, match=r"cluster\.insecure-skip-tls-verify"):
        resolver(tmp_path, "- {type: bundle}", found, trusted=False).of("management")
    files = "- {type: filesystem, filesystem: {path: ~/kube}}"
    with pytest.raises(NoKubeconfigError, match="the service has no files of yours"):
        resolver(tmp_path / "file", files, trusted=False).of("management")


def test_several_kubeconfigs_are_merged(tmp_path: Path) -> None:
    """One cluster sets the current context, several do not; no name stands for the whole site."""
    found = resolver(tmp_path, "- {type: bundle}", kubeconfig("old"), old=kubeconfig("child"))
    assert found.merged(["management"])["current-context"] == "management"
    site_wide = found.merged([])
    assert [one["name"] for one in site_wide["contexts"]] == ["managed", "management"]
    assert "current-context" not in site_wide
