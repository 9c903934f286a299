"""The package is all that the app needs: no other dependency, no home, no pip, no repository."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from tests.patience import PATIENCE_SECONDS
from tests.product.unit.phases.bundles import need_kustomize
from tests.product.unit.product_world import ENVIRONMENT

REPOSITORY = Path(__file__).resolve().parents[4]
DEPENDENCIES = ".python_packages/lib/site-packages"
# A proxy where nothing listens: no call leaves this machine.
BARE = {"PATH": "/usr/bin:/bin", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "localhost"}
IMPORT_ALL = """
import importlib, pathlib, sys
sys.path[:0] = [sys.argv[1], ".", "http"]
names = [
    ".".join(
        path.with_suffix("").relative_to("http" if path.parts[0] == "http" else ".").parts
    ).removesuffix(".__init__")
    for path in sorted(pathlib.Path(".").rglob("*.py"))
    if not path.parts[0].startswith(".") and path.name != "__main__.py"
]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def _python(app: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in an unpacked package, with nothing of this machine but the interpreter."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", script, DEPENDENCIES],
        cwd=app,
        env={**BARE, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


@contextmanager
def _host(app: Path, folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Run the local Functions host on an unpacked package; give its address and its worker process."""
    home = folder / "home"
    home.mkdir()
    command = [
        sys.executable,
        "-m",
        "emulator.host",
        "--app",
        str(app),
        "--state",
        str(folder / "state"),
        "--port",
        "0",
    ]
    with (folder / "errors").open("w", encoding="utf-8") as errors:
        host = subprocess.Popen(
            [*command, "--python", sys.executable],
            cwd=REPOSITORY,
            env={
                **BARE,
                **ENVIRONMENT,
                "HOME": str(home),
                "WATCHDOG_SCHEDULE": "0 0 0 1 1 *",
                "PURGE_SCHEDULE": "0 0 0 1 1 *",
            },
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        ready = host.stdout.readline() if host.stdout else ""
        assert ready.startswith("ready "), (folder / "errors").read_text(encoding="utf-8")
        yield ready.split()[1], psutil.Process(host.pid).children()[0]
    finally:
        host.terminate()
        host.communicate(timeout=PATIENCE_SECONDS)
    assert not list(home.iterdir())


@pytest.mark.slow(seconds=15)
def test_the_host_serves_the_unpacked_package(unpacked: Path, tmp_path: Path) -> None:
    """What is loaded from outside the interpreter comes from the package, and nothing is written into it."""
    before = {path: path.stat().st_mtime_ns for path in unpacked.rglob("*.py")}
    with _host(unpacked, tmp_path) as (url, worker):
        assert httpx.get(f"{url}/healthz", timeout=PATIENCE_SECONDS).status_code == 200
        refused = httpx.get(
            f"{url}/providers/Microsoft.RedHatOpenShift/operations?api-version=2025-07-25", timeout=PATIENCE_SECONDS
        )
        assert refused.status_code in (401, 403)
        modules = {
            Path(mapped.path)
            for mapped in worker.memory_maps()
            if ".so" in mapped.path and "site-packages" in mapped.path
        }
        assert modules
        assert all(path.is_relative_to(unpacked / DEPENDENCIES) for path in modules)
    assert {path: path.stat().st_mtime_ns for path in unpacked.rglob("*.py")} == before


@pytest.mark.slow(seconds=15)
def test_every_module_of_the_product_can_be_imported_from_the_package_alone(unpacked: Path) -> None:
    """Activities import their clients on the first call, which would be in the middle of a create."""
    done = _python(unpacked, IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 200


COUNT_COMPILATIONS = """
import sys
from importlib.machinery import SourceFileLoader
sys.path[:0] = [sys.argv[1], ".", "http"]
compiled, compile_source = [], SourceFileLoader.source_to_code
def source_to_code(self, data, path, *, _optimization=-1):
    compiled.append(str(path))
    return compile_source(self, data, path, _optimization=_optimization)
SourceFileLoader.source_to_code = source_to_code
import importlib, function_app
from activities.targets import ACTIVITIES
for target in ACTIVITIES.values():
    importlib.import_module(target.partition(":")[0])
typed = ("kubernetes.aio", "kubernetes.client.api.", "kubernetes.client.models.")
print(len(compiled), len([name for name in sys.modules if name.startswith(typed)]))
"""


def test_a_worker_compiles_nothing_and_loads_no_typed_client_of_kubernetes(unpacked: Path) -> None:
    """Compiling took a new worker three seconds, and its first create four; the typed client is not in the package."""
    done = _python(unpacked, COUNT_COMPILATIONS)
    assert done.stdout == "0 0\n", done.stderr


RENDER = """
import pathlib, sys, tempfile
sys.path[:0] = [sys.argv[1], "."]
from shared.phase_documents import kustomize
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder).resolve()
    (root / "one.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}")
    (root / "kustomization.yaml").write_text("resources: [one.yaml]")
    print(kustomize.build(root, ".")[0].document["kind"])
"""


def test_the_package_renders_phases(unpacked: Path) -> None:
    """It has kustomize, which the service runs although the zip gives no file a mode to run with."""
    need_kustomize()
    done = _python(unpacked, RENDER)
    assert done.stdout == "ConfigMap\n", done.stderr
