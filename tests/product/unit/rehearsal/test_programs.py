"""What the rehearsed machine is told about a release: by the release's own files, or by its version."""

import json
from pathlib import Path

import pytest

from tools.rehearse import programs
from tools.rehearse.programs import ProgramsError

RELEASE = "registry.example.com:5000/ocp/release:4.19.24"


def _image_list(annotations: dict[str, str]) -> dict[str, object]:
    return {"spec": {"tags": [{"name": "pod"}, {"name": "hyperkube", "annotations": annotations}]}}


def test_a_release_says_which_kubernetes_it_has() -> None:
    said = _image_list({"io.openshift.build.versions": "etcd=3.5.18,kubernetes=1.32.9"})
    assert programs.version_of_kubernetes(said) == "1.32.9"
    assert programs.version_of_kubernetes(_image_list({})) == ""


def test_an_invented_list_has_each_image_once_and_by_digest(tmp_path: Path) -> None:
    """A program is found again by the pull specification of its image."""
    images = programs.image_list(tmp_path, RELEASE, "4.19.24", ["cluster-etcd-operator", "pod"])
    assert programs.version_of_kubernetes(images) == "1.32.0"
    tags = images["spec"]["tags"]
    names, specs = [tag["name"] for tag in tags], [tag["from"]["name"] for tag in tags]
    assert names.count("pod") == names.count("cluster-etcd-operator") == 1
    assert len(set(specs)) == len(specs)
    assert all(spec.startswith("registry.example.com:5000/ocp/release@sha256:") for spec in specs)


def test_the_releases_own_files_are_used_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "release-manifests"
    folder.mkdir()
    for name, content in (("image-references", {"spec": {"tags": []}}), ("release-metadata", {"version": "4.19.9"})):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    assert programs.image_list(tmp_path, RELEASE, "4.19.24", ["pod"]) == {"spec": {"tags": []}}
    assert programs.metadata(tmp_path, "4.19.24") == {"version": "4.19.9"}


def test_a_file_of_the_release_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "release-manifests").mkdir()
    (tmp_path / "release-manifests/release-metadata").write_text("<html>", encoding="utf-8")
    with pytest.raises(ProgramsError, match="release-metadata' is not JSON"):
        programs.metadata(tmp_path, "4.19.24")
