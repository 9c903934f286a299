"""A site is read from its bundle, and everything that is wrong with it is said at once."""

import shutil
from pathlib import Path, PurePosixPath

import pytest

from shared.bundles.problems import BundleError
from shared.phase_documents import kinds, site, validation
from shared.phase_documents.clusterctl_providers import Choice
from shared.phase_documents.documents import Name
from tests.product.unit.phases.bundles import METADATA, POLICIES, phases, write

pytestmark = pytest.mark.usefixtures("kustomize_once")


def found(folder: Path) -> list[str]:
    """Return all problems of a site, as lines."""
    try:
        read = site.load(folder)
    except BundleError as error:
        return list(map(str, error.problems))
    return [
        str(one)
        for one in (*validation.site_problems(read), *validation.entry_point_problems(read, read.phases.values()))
    ]


def test_a_right_site_has_no_problem(tmp_path: Path) -> None:
    """Phases, plans, clusters and executors find each other."""
    read = site.load(write(tmp_path))
    assert found(tmp_path) == []
    assert list(read.phases) == [Name("", "policies"), Name("", "providers")]
    assert read.plans[Name("", "site")].phases == (Name("", "providers"), Name("", "policies"))
    assert read.cluster_map.ancestors("managed") == ["management"]
    assert read.phase("policies").executor.document["config"]["waitOptions"] == {"timeout": 600, "pollInterval": 10}


def test_a_phase_renders_what_is_deployed(tmp_path: Path) -> None:
    """The prefix of the metadata file comes first, and a label leaves a document out."""
    read = site.load(write(tmp_path))
    [rendered] = read.render(read.phase("policies"))
    assert rendered.document["metadata"]["name"] == "policy"
    assert rendered.file == "site/policies/policy.yaml"


@pytest.mark.parametrize(("word", "want"), [("=", "="), ("<<", "<<"), ("2026-01-02", "2026-01-02"), ("1:30", "1:30")])
def test_a_phase_renders_the_words_of_kubernetes(tmp_path: Path, word: str, want: str) -> None:
    """Kustomize writes them without quotes, whatever the source does. YAML 1.1 stops at some, and has dates."""
    read = site.load(write(tmp_path, {"site/policies/policy.yaml": POLICIES.replace("strict", f'"{word}"')}))
    [rendered] = read.render(read.phase("policies"))
    assert rendered.document["data"] == {"mode": want}


@pytest.mark.parametrize("repository", ["", "manifests"])
def test_a_working_folder_may_hold_several_repositories(tmp_path: Path, repository: str) -> None:
    """As airshipctl's does: a repository's own paths begin at it, addresses of providers at the working folder."""
    write(tmp_path / "made")
    shutil.copytree(tmp_path / "made", tmp_path / "working" / repository)
    address = str(PurePosixPath(repository) / "providers/core")
    file = tmp_path / "working" / repository / "site/phases/phases.yaml"
    file.write_text(file.read_text().replace("url: providers/core", f"url: {address}"))
    read = site.load(tmp_path / "working", str(PurePosixPath(repository) / "metadata.yaml"))
    assert kinds.problems(read, read.phases.values()) == []
    [rendered] = read.render(read.phase("policies"))
    assert rendered.file == str(PurePosixPath(repository) / "site/policies/policy.yaml")
    [components] = Choice(read, read.phase("providers")).components()
    assert components.provider.root == address


def test_an_address_of_another_root_is_told_where_it_was_looked_for(tmp_path: Path) -> None:
    """Whoever has airshipctl's layout learns which folder the bundle is."""
    read = site.load(write(tmp_path, phases("url: providers/core", "url: manifests/providers/core")))
    [problem] = kinds.problems(read, [read.phase("providers")])
    (tmp_path / "site/metadata.yaml").write_text(METADATA.replace("path: site/phases", "path: nowhere"))
    with pytest.raises(BundleError, match="the bundle has no folder 'nowhere' or 'site/nowhere'"):
        site.load(tmp_path, "site/metadata.yaml")
    assert (
        "the bundle has no folder 'manifests/providers/core'. Addresses of providers are seen from" in problem.message
    )


FILE = "site/phases/phases.yaml"
MISTAKES = {
    "an executor that is not built": (
        phases("kind: Clusterctl, name: init", "kind: GenericContainer, name: init"),
        (
            f"{FILE} Phase/providers config.executorRef.kind: 'GenericContainer' is an executor of airshipctl that is "
            "not built here. Built are: KubernetesApply, Clusterctl."
        ),
    ),
    "an unknown kind of executor": (
        phases("kind: Clusterctl, name: init", "kind: Magic, name: init"),
        (
            f"{FILE} Phase/providers config.executorRef.kind: 'Magic' is not an executor. Built are: KubernetesApply, "
            "Clusterctl."
        ),
    ),
    "an executor without its document": (
        phases("kind: Clusterctl, name: init", "kind: Clusterctl, name: move"),
        f"{FILE} Phase/providers config.executorRef.name: The bundle has no Clusterctl named 'move'.",
    ),
    "a phase without an entry point": (
        phases("  documentEntryPoint: policies\n", ""),
        f"{FILE} Phase/policies config.documentEntryPoint: A phase of kind KubernetesApply needs one.",
    ),
    "an entry point that does not exist": (
        phases("documentEntryPoint: policies", "documentEntryPoint: nowhere"),
        "site/nowhere: The folder 'site/nowhere' has no kustomization file. A kustomize root has exactly one.",
    ),
    "an entry point whose name no folder can have": (
        phases("documentEntryPoint: policies", f"documentEntryPoint: {'x' * 256}"),
        f"'site/{'x' * 256}' is not a path in the bundle. Only files of the bundle are loaded.",
    ),
    "a name that is not text": (
        phases("kind: PhasePlan\nmetadata: {name: site}", "kind: PhasePlan\nmetadata: {name: site, namespace: true}"),
        f"{FILE} PhasePlan/True/site metadata.namespace: True is not of type 'string'.",
    ),
    "a document of another kind whose namespace is a list": (
        phases("kind: PhasePlan\nmetadata: {name: site}", "kind: Other\nmetadata: {name: site, namespace: [a]}"),
        f"{FILE} Other/['a']/site metadata.namespace: ['a'] is not of type 'string'.",
    ),
    "an entry point that renders nothing": (
        {"site/policies/kustomization.yaml": "resources: []\n"},
        "site/policies: The entry point renders nothing.",
    ),
    "an entry point outside the bundle": (
        phases("documentEntryPoint: policies", "documentEntryPoint: ../../../etc"),
        "'site/../../../etc' is not a path in the bundle. Only files of the bundle are loaded.",
    ),
    "a plan with an unknown phase": (
        phases("- name: policies", "- name: polices"),
        f"{FILE} PhasePlan/site phases[1]: There is no phase 'polices'. There are: policies, providers.",
    ),
    "a plan that names a phase twice": (
        phases("- name: policies", "- name: providers"),
        f"{FILE} PhasePlan/site phases: The plan names the phase 'providers' 2 times.",
    ),
    "a cluster that is not in the map": (
        phases("clusterName: managed", "clusterName: other"),
        (
            f"{FILE} Phase/policies metadata.clusterName: The cluster map has no cluster 'other'. It has: managed, "
            "management."
        ),
    ),
    "a parent that is not in the map": (
        phases("parent: management", "parent: nobody"),
        f"{FILE} ClusterMap map.managed.parent: The cluster map has no cluster 'nobody'. It has: managed, management.",
    ),
    "clusters that manage each other": (
        phases("  management:\n", "  management:\n    parent: managed\n"),
        f"{FILE} ClusterMap map.managed.parent: The cluster manages itself, directly or by way of others.",
    ),
    "a Secret of Cluster API without a parent": (
        phases("    parent: management\n", ""),
        (
            f"{FILE} ClusterMap map.managed.kubeconfigSources[0]: The Secret of Cluster API is in the parent cluster, "
            "and this cluster has no parent."
        ),
    ),
    "a plugin, two roots below": (
        {
            "site/phases/kustomization.yaml": "resources: [phases.yaml, ../values]\n",
            "site/values/kustomization.yaml": "resources: [../templates]\n",
            "site/templates/kustomization.yaml": "generators: [templater.yaml]\n",
            "site/templates/templater.yaml": (
                "{apiVersion: airshipit.org/v1alpha1, kind: Templater, metadata: {name: one}}"
            ),
        },
        (
            "site/templates/kustomization.yaml generators[0]: 'airshipit.org/v1alpha1' 'Templater' is not a plugin "
            "that is built into kustomize and may run here. Put what the plugin makes into the bundle."
        ),
    ),
    "a name that the engine itself uses": (
        phases(
            "metadata: {name: policies, clusterName: managed}",
            "metadata: {name: finish_operation, clusterName: managed}",
        ),
        f"{FILE} Phase/finish_operation metadata.name: Each plan begins or ends with a row of this name.",
    ),
    "a name that no path can have": (
        phases("metadata: {name: policies, clusterName: managed}", "metadata: {name: a/b, clusterName: managed}"),
        f"{FILE} Phase/a/b metadata.name: 'a/b' does not match '^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$'.",
    ),
    "a need that is not there": (
        phases("  documentEntryPoint: policies\n", "  documentEntryPoint: policies\n  needs: [agents]\n"),
        f"{FILE} Phase/policies config.needs: There is no phase 'agents'.",
    ),
    "a phase that needs itself": (
        phases("  documentEntryPoint: policies\n", "  documentEntryPoint: policies\n  needs: [policies]\n"),
        f"{FILE} Phase/policies config.needs: The phase needs itself, directly or by way of others.",
    ),
    "a member of the wrong type": (
        phases("timeout: 600", 'timeout: "long"'),
        f"{FILE} KubernetesApply/apply config.waitOptions.timeout: 'long' is not of type 'integer'.",
    ),
    "a time that no operation lasts": (
        phases("timeout: 600", "timeout: 604801"),
        f"{FILE} KubernetesApply/apply config.waitOptions.timeout: 604801 is greater than the maximum of 604800.",
    ),
    "a phase without an executor": (
        phases("  executorRef: {apiVersion: airshipit.org/v1alpha1, kind: Clusterctl, name: init}\n", "  needs: []\n"),
        f"{FILE} Phase/providers config: 'executorRef' is a required property.",
    ),
    "another API version": (
        phases("airshipit.org/v1alpha1\nkind: PhasePlan", "airshipit.org/v1\nkind: PhasePlan"),
        (
            f"{FILE} PhasePlan/site apiVersion: 'airshipit.org/v1' is not an API version of airshipit.org. It has "
            "'airshipit.org/v1alpha1'."
        ),
    ),
    "a phase bundle that does not exist": (
        {"metadata.yaml": METADATA.replace("path: site/phases", "path: nowhere")},
        (
            "metadata.yaml spec.phase.path: The phase bundle does not exist: the bundle has no folder 'nowhere'. "
            "The path is"
        ),
    ),
    "no metadata file": ({"metadata.yaml": None}, "metadata.yaml: The bundle has no metadata file 'metadata.yaml'."),
    "two kustomization files": (
        {"site/policies/kustomization.yml": "resources: []\n"},
        (
            "site/policies: The folder 'site/policies' has 2 kustomization files (kustomization.yaml, "
            "kustomization.yml). A kustomize root has exactly one."
        ),
    ),
    "a remote base": (
        {"site/policies/kustomization.yaml": "resources: [policy.yaml, 'https://example.com/more.yaml']\n"},
        (
            "site/policies/kustomization.yaml resources[1]: 'https://example.com/more.yaml' is a remote base. Only "
            "files of the bundle are loaded: copy it into the bundle."
        ),
    ),
    "a remote base without a scheme": (
        {"site/policies/kustomization.yaml": "resources: [github.com/org/repository//base?ref=v1]\n"},
        (
            "site/policies/kustomization.yaml resources[0]: 'github.com/org/repository//base?ref=v1' is a remote "
            "base. Only files of the bundle are loaded: copy it into the bundle."
        ),
    ),
    "a member in another case": (
        {"site/policies/kustomization.yaml": "resources: [policy.yaml]\nPATCHES: []\n"},
        "site/policies/kustomization.yaml: Additional properties are not allowed ('PATCHES' was unexpected).",
    ),
    "a chart": (
        {"site/policies/kustomization.yaml": "resources: [policy.yaml]\nhelmCharts: [{name: x}]\n"},
        "site/policies/kustomization.yaml helmCharts: Helm is not run here. Render the chart into the bundle instead.",
    ),
    "a root that contains itself": (
        {"site/policies/kustomization.yaml": "resources: [policy.yaml, ../policies]\n"},
        "site/policies/kustomization.yaml: The kustomize root 'site/policies' contains itself.",
    ),
    "a bomb": (
        {
            "site/policies/policy.yaml": "\n".join(
                f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9 if n else ['x'] * 9)}]" for n in range(9)
            )
        },
        "site/policies/policy.yaml: The file stands for more than 500000 values, its aliases followed.",
    ),
    "a document that is not an object": (
        {"site/policies/policy.yaml": "- one\n- two\n"},
        "site/policies/policy.yaml: Document 1 is not an object but list.",
    ),
    "a document with two roots": (
        {"site/policies/policy.yaml": "kind: ConfigMap\n- two\n"},
        "site/policies/policy.yaml: This is not YAML: ",
    ),
}


@pytest.mark.parametrize(("files", "want"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_named_with_file_and_field(tmp_path: Path, files: dict[str, str | None], want: str) -> None:
    """Whoever wrote it sees where it is, which value is wrong, and what is allowed."""
    problems = found(write(tmp_path, files))
    assert any(one.startswith(want) for one in problems), problems


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    """A plan that is repaired once should run."""
    files = phases("- name: policies", "- name: polices") | {
        "site/policies/kustomization.yaml": "resources: [policy.yaml, lost.yaml, /etc]\n"
    }
    assert len(found(write(tmp_path, files))) == 3


def test_two_cluster_maps_are_refused(tmp_path: Path) -> None:
    """Nobody could tell which one counts."""
    second = phases("kind: ClusterMap\nmetadata: {name: clusters}", "kind: ClusterMap\nmetadata: {name: other}")
    files = {"site/phases/kustomization.yaml": "resources: [phases.yaml, second.yaml]\n"}
    map_alone = str(second["site/phases/phases.yaml"]).split("---")[-1]
    problems = found(write(tmp_path, files | {"site/phases/second.yaml": map_alone}))
    assert problems == [
        "site/phases/second.yaml ClusterMap/other: A site has one ClusterMap. The first is in site/phases/phases.yaml."
    ]
