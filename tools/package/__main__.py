"""`make package`: build the zip that Azure Functions runs, if it is not there, and say how to publish it."""

import argparse
import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from shared import portal_files
from shared.phase_documents.kustomize import VERSION
from tools.package import archive, bytecode, last_package
from tools.package.contents import BUILD_FILE, kustomize, portal, product_files
from tools.package.dependencies import PYTHONS, DependenciesError, dependency_files
from tools.package.sbom import sbom

REPOSITORY = Path(__file__).resolve().parents[2]

TOLD = """\
{path}
  product       {product} files, build {build}
  dependencies  {dependencies} files, for Python {python} on Linux x86_64
  compiled      {compiled}
  kustomize     {kustomize}
  portal        {portal}
  size          {size:.1f} MiB, {unpacked:.0f} MiB unpacked
  sha256        {digest}
  contents      {bill} lists every distribution (CycloneDX)

Publish it as it is. Without --build-remote false, Azure would build the dependencies again:

  az functionapp deployment source config-zip --resource-group GROUP --name APP --src {path} --build-remote false
"""


def main(arguments: Sequence[str]) -> int:
    """Build the package, unless the last one was made from the same; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.package", description=__doc__)
    parser.add_argument("--python", default=PYTHONS[0], help=f"Python of the function app: {', '.join(PYTHONS)}")
    parser.add_argument("--output", type=Path, default=Path(".local/package.zip"), help="the zip to write")
    parsed = parser.parse_args(arguments)
    product, program, page = product_files(REPOSITORY), kustomize(REPOSITORY), portal(REPOSITORY)
    interpreter = bytecode.interpreter(parsed.python)
    made_from = last_package.digest(product | program | page, parsed.python, interpreter or "")
    text = last_package.description(parsed.output, made_from)
    bill = parsed.output.with_suffix(".cdx.json")
    if text is None or not bill.exists():
        try:
            dependencies = dependency_files(REPOSITORY / "requirements.txt", parsed.python)
        except DependenciesError as error:
            sys.stderr.write(f"error: {error}\n")
            return 1
        files = product | dependencies | program | page
        modules = bytecode.compiled(files, interpreter) if interpreter else {}
        files |= modules
        archive.write(parsed.output, files)
        build = product.get(BUILD_FILE, b"unknown").decode().strip()
        bill.write_bytes(sbom(files, build))
        text = TOLD.format(
            path=parsed.output,
            product=len(product),
            build=build,
            bill=bill,
            dependencies=len(dependencies),
            python=parsed.python,
            compiled=f"{len(modules)} modules"
            if interpreter
            else f"no module: this machine has no Python {parsed.python}, so each new worker starts some seconds later",
            kustomize=VERSION if program else "missing on this machine: such an app renders no phases of sites",
            portal=_told(page),
            size=parsed.output.stat().st_size / 2**20,
            unpacked=sum(map(len, files.values())) / 2**20,
            digest=hashlib.sha256(parsed.output.read_bytes()).hexdigest(),
        )
        last_package.note(parsed.output, made_from, text)
    sys.stdout.write(text)
    return 0


def _told(page: Mapping[str, bytes]) -> str:
    """Return what is said of the page for people: how much of it is sent, and what is missing."""
    sent = sum(len(content) for name, content in page.items() if name.endswith(portal_files.COMPRESSED))
    if all(f"{portal_files.IN_PACKAGE}/{name}" in page for name in portal_files.OF_NPM):
        return f"{sent / 1024:.0f} KiB as sent"
    return "without npm's parts, which are missing on this machine: nobody could sign in to the page (make setup)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
