"""The providers that a Clusterctl document chooses, and everything that is wrong with a choice."""

from pathlib import Path

import pytest

from shared.bundles.problems import BundleError
from shared.phase_documents import site
from shared.phase_documents.clusterctl_providers import Choice
from shared.phase_documents.kinds import KINDS
from tests.product.unit.phases.bundles import CORE_PROVIDER, phases, write

FILE = "site/phases/phases.yaml Clusterctl/init"
GIVEN = (
    "- {name: cluster-api, type: CoreProvider, url: providers/core}\ninit-options: {core-provider: "
    '"cluster-api:v1.0.0"}'
)
MANAGER = """
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager}
spec:
  replicas: ${REPLICAS:=1}
  template: {spec: {containers: [{name: manager, image: "r.example.com/a/manager:v1"}]}}
---
apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3
kind: Metadata
metadata: {name: releases}
"""


def choice(folder: Path, text: str, files: dict[str, str | None] | None = None) -> Choice:
    """Return the choice of a Clusterctl document.

    Args:
        folder: where to write the site.
        text: providers and options of the document.
        files: further files of the site.
    """
    read = site.load(write(folder, {**phases(GIVEN, text), **(files or {})}))
    return Choice(read, read.phase("providers"))


def root(path: str, content: str = CORE_PROVIDER) -> dict[str, str | None]:
    """Return the files of a kustomize root."""
    return {f"{path}/kustomization.yaml": "resources: [all.yaml]\n", f"{path}/all.yaml": content}


def test_providers_are_installed_in_the_order_of_their_types(tmp_path: Path) -> None:
    """Whatever the order of the document; the version is the last segment of the address, or below it."""
    text = """
- {name: azure, type: InfrastructureProvider, url: providers/azure/v1.2.3}
- {name: kubeadm, type: ControlPlaneProvider, url: providers/control}
- {name: kubeadm, type: BootstrapProvider, url: providers/kubeadm/v1.0.0}
- {name: kubeadm, type: BootstrapProvider, url: providers/kubeadm/v1.1.0}
- {name: cluster-api, type: CoreProvider, url: providers/core}
init-options:
  infrastructure-providers: azure
  control-plane-providers: "kubeadm:v1.0.0"
  bootstrap-providers: "kubeadm:v1.1.0"
  core-provider: "cluster-api:v1.0.0"
""".strip()
    files = {
        **root("providers/azure/v1.2.3", CORE_PROVIDER.replace("capi-system", "capz-system") + MANAGER),
        **root("providers/control/v1.0.0"),
        **root("providers/kubeadm/v1.1.0"),
    }
    found = choice(tmp_path, text, files).components()
    assert [(str(one.provider), one.provider.root) for one in found] == [
        ("cluster-api v1.0.0", "providers/core"),
        ("bootstrap-kubeadm v1.1.0", "providers/kubeadm/v1.1.0"),
        ("control-plane-kubeadm v1.0.0", "providers/control/v1.0.0"),
        ("infrastructure-azure v1.2.3", "providers/azure/v1.2.3"),
    ]
    assert found[3].namespace == "capz-system"
    assert [one["kind"] for one in found[3].documents] == ["Namespace", "ServiceAccount", "Deployment"]
    assert found[3].documents[2]["spec"]["replicas"] == 1


def test_components_have_clusterctls_labels_and_the_images_and_values_of_the_document(tmp_path: Path) -> None:
    """So clusterctl finds them, and `move` finds their kinds."""
    text = f'{GIVEN}\nadditional-vars: {{REPLICAS: "3"}}\nimages: {{cluster-api/manager: {{tag: v9}}}}'
    [one] = choice(tmp_path, text, root("providers/core", CORE_PROVIDER + MANAGER)).components()
    assert {str(document["metadata"]["labels"]) for document in one.documents} == {
        str({"clusterctl.cluster.x-k8s.io": "", "cluster.x-k8s.io/provider": "cluster-api"})
    }
    manager = one.documents[2]
    assert manager["spec"]["replicas"] == 3
    assert manager["spec"]["template"]["spec"]["containers"][0]["image"] == "r.example.com/a/manager:v9"


def test_the_versions_of_airshipctl_two_are_understood(tmp_path: Path) -> None:
    """They name a root for each version; later documents have an address."""
    text = """
- name: cluster-api
  type: CoreProvider
  versions: {v0.3.3: function/capi/three, v1.0.0: function/capi/one}
- {name: kubeadm, type: BootstrapProvider, versions: {v1.0.0: function/kubeadm}}
init-options: {core-provider: "cluster-api:v0.3.3", bootstrap-providers: kubeadm}
""".strip()
    files = {**root("function/capi/three"), **root("function/kubeadm")}
    found = choice(tmp_path, text, files).components()
    assert [(str(one.provider), one.provider.root) for one in found] == [
        ("cluster-api v0.3.3", "function/capi/three"),
        ("bootstrap-kubeadm v1.0.0", "function/kubeadm"),
    ]


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    """Unknown names, versions that do not exist, remote addresses, roots that are missing."""
    text = """
- {name: cluster-api, type: CoreProvider, url: providers/core}
- {name: remote, type: BootstrapProvider, url: "https://github.com/example/releases/v1.0.0"}
- {name: kubeadm, type: BootstrapProvider, url: providers/kubeadm/v1.0.0}
- {name: gone, type: InfrastructureProvider, url: providers/gone/v1.0.0}
init-options:
  core-provider: "cluster-api"
  bootstrap-providers: "kubeadm:v2.0.0, kubeadn:v1.0.0,remote:v1.0.0"
  control-plane-providers: "kubeadm:v1.0.0"
  infrastructure-providers: "gone:v1.0.0"
""".strip()
    assert [str(problem) for problem in choice(tmp_path, text).problems()] == [
        f"{FILE} init-options.bootstrap-providers: The provider 'kubeadm' has no version 'v2.0.0'. It has: v1.0.0.",
        (
            f"{FILE} init-options.bootstrap-providers: There is no BootstrapProvider 'kubeadn' among the providers. "
            "There are: kubeadm, remote."
        ),
        (
            f"{FILE} init-options.control-plane-providers: There is no ControlPlaneProvider 'kubeadm' among the "
            "providers. There are: none."
        ),
        f"{FILE} init-options.core-provider: 'cluster-api' names no version. Write it as 'cluster-api:v1.0.0'.",
        (
            f"{FILE} providers: The components of infrastructure-gone v1.0.0 do not exist: the bundle has no folder "
            "'providers/gone/v1.0.0'. Addresses of providers are seen from the bundle. Where airshipctl's working "
            "folder holds several repositories, the bundle is that folder, and the path of the metadata file begins "
            "with its repository."
        ),
        (
            f"{FILE} providers[1].url: 'https://github.com/example/releases/v1.0.0' is a remote address. Components "
            "are only taken from the bundle: copy them into it as a kustomize root and give its path."
        ),
    ]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param(
            GIVEN.replace("cluster-api:v1.0.0", "cluster-api:latest"),
            f"{FILE} init-options.core-provider: 'latest' is not a version. A version is like 'v1.0.0'.",
            id="something that is not a version",
        ),
        pytest.param(
            GIVEN.replace(", url: providers/core", ""),
            (
                f"{FILE} providers: The provider 'cluster-api' has neither a url nor versions, so it has no "
                "components in the bundle."
            ),
            id="a provider without components",
        ),
        pytest.param(
            GIVEN.replace("url: providers/core", 'versions: {v1.0.0: "https://example.com/core"}'),
            (
                f"{FILE} providers[0].versions.v1.0.0: 'https://example.com/core' is a remote address. Components are "
                "only taken from the bundle: copy them into it as a kustomize root and give its path."
            ),
            id="a version that is remote",
        ),
        pytest.param(
            GIVEN.replace("cluster-api:v1.0.0", "cluster-api:v1.0.0,cluster-api:v1.0.0"),
            f"{FILE} init-options.core-provider: A cluster has one core provider.\n"
            f"{FILE} init-options.core-provider: The provider 'cluster-api' is named twice.",
            id="two core providers",
        ),
        pytest.param(
            GIVEN.partition("\n")[0],
            f"{FILE} init-options: They name no provider. At least one of these is needed: core-provider, "
            "bootstrap-providers, control-plane-providers, infrastructure-providers.",
            id="no provider",
        ),
    ],
)
def test_a_choice_that_is_wrong_is_refused(tmp_path: Path, text: str, want: str) -> None:
    """With what is allowed."""
    with pytest.raises(BundleError) as caught:
        choice(tmp_path, text).components()
    assert str(caught.value) == want


@pytest.mark.parametrize(
    ("content", "want"),
    [
        pytest.param(
            CORE_PROVIDER + MANAGER.replace("${REPLICAS:=1}", "${REPLICAS}").replace("name: manager,", "name: '${B}',"),
            f"{FILE} additional-vars: The provider cluster-api v1.0.0 needs values for: B, REPLICAS. Neither it nor "
            "additional-vars has them.",
            id="variables without values",
        ),
        pytest.param(
            CORE_PROVIDER + MANAGER.replace("${REPLICAS:=1}", "${REPLICAS^}"),
            "providers/core: cluster-api v1.0.0 has an expression that is not understood: '${REPLICAS^}' is "
            "not one of: ${NAME}, ${NAME:=default}, ${NAME:-default}.",
            id="an expression that is not known",
        ),
        pytest.param(
            MANAGER,
            "providers/core: The components of a provider have exactly one Namespace. It has: none.",
            id="no namespace",
        ),
    ],
)
def test_components_that_cannot_be_made_are_refused(tmp_path: Path, content: str, want: str) -> None:
    """With the provider's name."""
    files = root("providers/core", content)
    assert [str(one) for one in choice(tmp_path, GIVEN, files).problems()] == [want]


def test_a_move_needs_a_parent_and_every_action_a_cluster(tmp_path: Path) -> None:
    """The cluster map says from where objects are moved."""
    validate = KINDS["Clusterctl"].validate
    read = site.load(write(tmp_path, phases("action: init", "action: move")))
    [problem] = validate(read, read.phase("providers"))
    assert str(problem) == (
        "site/phases/phases.yaml Phase/providers metadata.clusterName: The action 'move' takes objects from the parent "
        "cluster, and 'management' has no parent."
    )
    read = site.load(write(tmp_path, phases("providers, clusterName: management", "providers")))
    [problem] = validate(read, read.phase("providers"))
    assert str(problem) == (
        "site/phases/phases.yaml Phase/providers metadata: A phase of kind Clusterctl names its cluster in "
        "metadata.clusterName."
    )


def test_no_core_provider_is_right(tmp_path: Path) -> None:
    """The cluster may have one already."""
    text = """
- {name: kubeadm, type: BootstrapProvider, url: providers/core}
init-options: {bootstrap-providers: "kubeadm:v1.0.0"}
""".strip()
    assert choice(tmp_path, text).problems() == []
