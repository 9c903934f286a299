"""Images of providers."""

import pytest

from shared.phase_documents.clusterctl_images import Image, with_images

OVERRIDES = {
    "all": {"repository": "mirror.example.com/all/"},
    "bootstrap-kubeadm": {"tag": "v2"},
    "bootstrap-kubeadm/proxy": {"repository": "mirror.example.com/proxies", "tag": ""},
}


@pytest.mark.parametrize("text", ["a", "a:v1", "r.example.com:5000/p/a:v1", "p/a@sha256:0", "p/a:v1@sha256:0"])
def test_a_reference_has_parts(text: str) -> None:
    """A port of a registry is not a tag."""
    assert str(Image.of(text)) == text
    assert Image.of(text).name == "a"


@pytest.mark.parametrize(
    ("component", "image", "want"),
    [
        pytest.param("cluster-api", "r.example.com/x/a:v1", "mirror.example.com/all/a:v1", id="every component"),
        pytest.param("bootstrap-kubeadm", "r/a:v1", "mirror.example.com/all/a:v2", id="a component adds to that"),
        pytest.param("bootstrap-kubeadm", "r/proxy:v1", "mirror.example.com/proxies/proxy:v2", id="an image wins"),
    ],
)
def test_images_are_overridden_by_component_and_name(component: str, image: str, want: str) -> None:
    """In all containers of Deployments and DaemonSets."""
    spec = {"initContainers": [{"image": image}], "containers": [{"image": image}]}
    document = {"kind": "Deployment", "spec": {"template": {"spec": spec}}}
    changed = with_images(document, component, OVERRIDES)["spec"]["template"]["spec"]
    assert changed == {"initContainers": [{"image": want}], "containers": [{"image": want}]}
    assert spec["containers"] == [{"image": image}]
    assert with_images(document | {"kind": "Job"}, component, OVERRIDES) == document | {"kind": "Job"}
