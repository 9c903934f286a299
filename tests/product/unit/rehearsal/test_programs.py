"""What the rehearsed machine is told about a release: by the release's own files, or by its version."""

import json
from pathlib import Path

import pytest

from tools.rehearse import programs
from tools.rehearse.programs import ProgramsError

RELEASE = "registry.example.com:5000/ocp/release:4.19.24"


def _image_list(annotations: dict[str, str]) -> dict[str, object]:
    return {"spec": {"tags": [{"name": "pod"}, {"name": "hyperkube", "annotations": annotations}]}}


@pytest.mark.parametrize(
    ("annotations", "want"),
    [({"io.openshift.build.versions": "kubernetes=1.32.9,etcd=3.5.18"}, "1.32.9"), ({}, "1.32.0")],
    ids=["its images say it", "it follows from the minor version"],
)
def test_a_release_has_a_version_of_kubernetes(annotations: dict[str, str], want: str) -> None:
    assert programs.version_of_kubernetes(_image_list(annotations), "4.19.24") == want


def test_an_invented_list_has_each_image_once_and_by_digest(tmp_path: Path) -> None:
    """A program is found again by the pull specification of its image."""
    tags = programs.image_list(tmp_path, RELEASE, ["cluster-etcd-operator", "pod"])["spec"]["tags"]
    names, specs = [tag["name"] for tag in tags], [tag["from"]["name"] for tag in tags]
    assert names.count("pod") == names.count("cluster-etcd-operator") == 1
    assert len(set(specs)) == len(specs)
    assert all(spec.startswith("registry.example.com:5000/ocp/release@sha256:") for spec in specs)


def test_the_releases_own_files_are_used_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "release-manifests"
    folder.mkdir()
    for name, content in (("image-references", {"spec": {"tags": []}}), ("release-metadata", {"version": "4.19.9"})):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    assert programs.image_list(tmp_path, RELEASE, ["pod"]) == {"spec": {"tags": []}}
    assert programs.metadata(tmp_path, "4.19.24") == {"version": "4.19.9"}


def test_a_file_of_the_release_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "release-manifests").mkdir()
    (tmp_path / "release-manifests/release-metadata").write_text("<html>", encoding="utf-8")
    with pytest.raises(ProgramsError, match="release-metadata' is not JSON"):
        programs.metadata(tmp_path, "4.19.24")
