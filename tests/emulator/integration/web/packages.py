"""Packages to publish: a function app of a few lines, with the Functions SDK of this environment as its dependencies."""

import io
import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from zipfile import ZIP_STORED, ZipFile

DEPENDENCIES = ".python_packages/lib/site-packages"
# What `azure.functions` imports.
MODULES = ("azure.functions", "werkzeug", "markupsafe")
HOST = json.dumps({"version": "2.0", "extensions": {"http": {"routePrefix": ""}}})
APP = """
import json, os, sys
import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

@app.route("report")
def report(req: func.HttpRequest) -> func.HttpResponse:
    found = {
        "colour": os.environ.get("COLOUR"), "text": TEXT, "python": "%d.%d" % sys.version_info[:2], "pid": os.getpid(),
        "functions": func.__file__, "path": sys.path, "environment": dict(os.environ),
        "certificate": req.headers.get("x-arr-clientcert"), "url": req.url,
    }
    for name in ("emulator", "httpx", "frontend"):
        try:
            __import__(name)
            found.setdefault("seen", []).append(name)
        except ImportError:
            pass
    return func.HttpResponse(json.dumps(found), mimetype="application/json")
"""


def package(
    text: str = "first",
    *,
    app: str = APP,
    host: str = HOST,
    dependencies: bool = True,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    """Return a zip.

    Args:
        text: what the app reports as its text.
        app: its module.
        host: its host.json.
        dependencies: whether it brings its dependencies.
        files: further files.
    """
    content: dict[str, bytes] = {
        "host.json": host.encode(),
        "function_app.py": f"TEXT = {text!r}\n{app}".encode(),
        **files,
    }
    return zipped(content | (_dependencies() if dependencies else {}))


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return buffer.getvalue()


@cache
def _dependencies() -> dict[str, bytes]:
    found = {}
    for module in MODULES:
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise LookupError(f"{module} is not installed")
        folder = Path(spec.origin).parent
        for file in folder.rglob("*.py"):
            found[f"{DEPENDENCIES}/{module.replace('.', '/')}/{file.relative_to(folder)}"] = file.read_bytes()
    return found
