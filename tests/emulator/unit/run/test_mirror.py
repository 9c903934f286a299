"""The mirror serves what was packed, and nothing beside it."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from emulator import mirror
from emulator.core.service_error import ServiceError
from emulator.run.provider.versions import VERSIONS
from tools.openshift_install import archive


def get(folder: Path, version: str, file: str) -> Any:
    """Ask for a file."""
    service = mirror.create(folder)
    (route,) = (each for each in service.routes if isinstance(each, Route) and each.name == "GET file")
    path = f"{mirror.CLIENTS}/{version}/{file}"
    parameters = {"version": version, "file": file}
    request = Request({"type": "http", "method": "GET", "path": path, "headers": [], "path_params": parameters})
    return asyncio.run(route.endpoint(request))


def test_each_version_of_the_catalogue_has_its_archive(tmp_path: Path) -> None:
    """With the digest that the list names."""
    archive.pack(tmp_path, [str(version["version"]) for version in VERSIONS[:2]])
    assert set(mirror.key(tmp_path)) in (set(), {"INSTALLER_KEY", "INSTALLER_KEY_URL"})
    for version in (str(version["version"]) for version in VERSIONS[:2]):
        reply = get(tmp_path, version, archive.archive_name(version))
        assert isinstance(reply, FileResponse)
        digest = hashlib.sha256(Path(reply.path).read_bytes()).hexdigest()
        assert mirror.digest(tmp_path, version) == f"sha256:{digest}"


@pytest.mark.parametrize(
    ("version", "file"), [("4.0.0", "x"), ("..", "secret"), ("4.19.24", "..")], ids=["unknown", "above", "a folder"]
)
def test_what_is_not_there_is_not_found(tmp_path: Path, version: str, file: str) -> None:
    """Neither is a file beside the folder."""
    (tmp_path / "secret").write_text("x", encoding="ascii")
    (tmp_path / "mirror" / "4.19.24").mkdir(parents=True)
    with pytest.raises(ServiceError) as caught:
        get(tmp_path / "mirror", version, file)
    assert caught.value.status_code == 404
    assert mirror.digest(tmp_path / "mirror", version) == ""
