"""Red Hat's public mirror, as far as it has the program `openshift-install`: the archives that `make setup` packs.

They hold a stand-in for the program, because the original takes a pull secret to be of any use, and is half a gigabyte.
"""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from emulator.core.platform import Service
from emulator.mirror.exceptions import NO_FILE, render

HOST = "mirror.openshift.com"
CLIENTS = "/pub/openshift-v4/clients/ocp"
LIST = "sha256sum.txt"
KEY, FINGERPRINT = "release-key.asc", "release-key.fingerprint"


def create(folder: Path) -> Service:
    """Create the service.

    Args:
        folder: the files, in a folder for each version.
    """

    async def get(request: Request) -> Response:
        return FileResponse(_find(folder, request))

    async def get_key(_request: Request) -> Response:
        return FileResponse(folder / KEY)

    routes = [
        # Red Hat has its key on another host.
        Route(f"{CLIENTS}/{KEY}", get_key, methods=["GET"], name="GET key"),
        Route(f"{CLIENTS}/{{version}}/{{file}}", get, methods=["GET"], name="GET file"),
    ]
    return Service(name="mirror", hosts=(HOST,), routes=routes, render=render)


def _find(folder: Path, request: Request) -> Path:
    file = folder.joinpath(*(str(request.path_params[name]) for name in ("version", "file")))
    if not file.is_file() or file.resolve().parent.parent != folder.resolve():
        raise NO_FILE(path=request.url.path)
    return file


def digest(folder: Path, version: str) -> str:
    """Return the digest of a version's archive, `sha256:...`, as the list beside it has it; "" if there is none.

    Args:
        folder: as for `create`.
        version: OpenShift version, x.y.z.
    """
    file = folder / version / LIST
    return f"sha256:{file.read_text(encoding='ascii').split()[0]}" if file.is_file() else ""


def key(folder: Path) -> dict[str, str]:
    """Return the variables with which `tools/installer-digest` checks this mirror's lists; none if they are unsigned.

    Args:
        folder: as for `create`.
    """
    file = folder / FINGERPRINT
    if not file.is_file():
        return {}
    return {
        "INSTALLER_KEY": file.read_text(encoding="ascii").strip(),
        "INSTALLER_KEY_URL": f"https://{HOST}{CLIENTS}/{KEY}",
    }
