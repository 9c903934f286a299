"""The words that people type: `python -m shared.installer create ...` and `... graph`.

Nothing here prints a secret: files are named, never shown.
"""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shared.installer import assets, command_inputs, documents, graph, install_config_draft
from shared.installer.command_inputs import DEFAULT_VERSION, INSTALL_CONFIG, PRINCIPAL, SPECS, Wrong
from shared.installer.install_config_members import Problem

SUCCESS, FAILURE = 0, 1
_VERSION = re.compile(r"4\.\d+\.\d+")
# File in the folder, and in the graph. People reach a cluster by its outer name, as openshift-install has it.
IGNITION_CONFIGS = {
    "bootstrap.ign": "bootstrap.ign",
    "master.ign": "master.ign",
    "worker.ign": "worker.ign",
    "metadata.json": "metadata.json",
    "auth/kubeconfig": "auth/external/kubeconfig",
    "auth/kubeadmin-password": "auth/kubeadmin-password",
}
MANIFESTS = ("manifests/", "openshift/")
# The pull secret, private keys and passwords are in nearly all of them.
_MODE, _FOLDER_MODE = 0o600, 0o700

_TOLD = f"""\
The folder of --dir holds what goes in and what comes out:
  {INSTALL_CONFIG}       what the cluster is to be; `create install-config` writes one to begin with
  {PRINCIPAL}   the cluster's own principal, an object with subscriptionId, tenantId, clientId and
                           clientSecret. Without the file: AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID,
                           AZURE_CLIENT_ID and AZURE_CLIENT_SECRET of the environment.

For example:
  python -m shared.installer create install-config --dir c1 --example
  python -m shared.installer create ignition-configs --dir c1
  python -m shared.installer graph bootstrap.ign

Unlike openshift-install, this command keeps the install-config, and keeps no state: each run makes new keys, and
`create ignition-configs` does not read manifests that were written before. All files are readable by their owner
alone. Nothing here asks Azure.
"""


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run a command; return the exit code."""
    options = _parser().parse_args(arguments)
    # OpenShift gives its node bootstrapper a name of 73 characters; X.520 ends names after 64.
    warnings.filterwarnings("ignore", message="Attribute's length must be", category=UserWarning)
    try:
        for line in options.run(options, os.environ if environment is None else environment):
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except Wrong as wrong:
        many = f"{len(wrong.problems)} problems" if len(wrong.problems) > 1 else "1 problem"
        lines = "".join(f"  {field}: {sentence}\n" for field, sentence in wrong.problems)
        sys.stderr.write(f"error: nothing was written, because of {many}:\n{lines}")
        return FAILURE
    except BrokenPipeError:
        # Whoever reads has read enough. Python would complain about what is left when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except OSError as error:
        sys.stderr.write(f"error: {error.filename}: {error.strerror}\n")
        return FAILURE
    return SUCCESS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m shared.installer",
        description="Make what the machines of an OpenShift cluster boot from, without the service.",
        epilog=_TOLD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    create = commands.add_parser("create", help="write files: ignition-configs, manifests, install-config")
    kinds = create.add_subparsers(title="what", required=True, metavar="WHAT")
    _add_create(kinds, "ignition-configs", _ignition_configs, f"write {', '.join(IGNITION_CONFIGS)}")
    _add_create(kinds, "manifests", _manifests, "write manifests/ and openshift/, the cluster's first objects")
    _add_draft(kinds)
    shown = commands.add_parser("graph", help="show the assets, what each is made from, and its files")
    shown.add_argument("--dot", action="store_true", help="as DOT, for `dot -Tsvg`")
    shown.add_argument("names", nargs="*", metavar="NAME", help="assets or files: show what these are made from, alone")
    shown.set_defaults(run=_graph)
    return parser


def _add_kind(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, run: object, what: str
) -> argparse.ArgumentParser:
    parser = kinds.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.add_argument("--dir", type=Path, default=Path(), help="folder of all files (default: this one)")
    parser.add_argument("--overwrite", action="store_true", help="write over files that are there; they are named")
    parser.add_argument(
        "--version", type=_version, default=DEFAULT_VERSION, help="of OpenShift, x.y.z (default %(default)s)"
    )
    parser.set_defaults(run=run)
    return parser


def _add_create(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, run: object, what: str
) -> None:
    parser = _add_kind(kinds, name, run, what)
    parser.add_argument(
        "--spec", choices=SPECS, default="", help="of Ignition (default: 2.2 before OpenShift 4.6, 3.2 from then on)"
    )
    parser.add_argument("--release-image", default="", help="pull spec (default: the version's on quay.io)")
    parser.add_argument("--infra-id", default="", help="begin of all names in Azure (default: a new one)")


def _add_draft(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _add_kind(
        kinds, "install-config", _draft, f"write {INSTALL_CONFIG}, from a cluster document or an example"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--example", action="store_true", help="of a cluster in eastus with three zones")
    source.add_argument(
        "--cluster", type=Path, metavar="FILE", help="JSON: a document of the service, or the cluster in it"
    )
    parser.add_argument("--base-domain", default="", help="of a cluster whose domain is one label")
    parser.add_argument(
        "--image",
        default="",
        help="of the machines, PUBLISHER:OFFER:SKU:VERSION (default: the document's; 4.3 has one)",
    )
    parser.add_argument("--ssh-key", type=Path, metavar="FILE", help="public key (default: a new pair, in ssh-key)")
    parser.add_argument("--pull-secret", type=Path, metavar="FILE", help='JSON, {"auths": {...}}')


def _version(text: str) -> str:
    if not _VERSION.fullmatch(text):
        raise argparse.ArgumentTypeError(f"'{text}' is no version of OpenShift 4, such as {DEFAULT_VERSION}")
    return text


def _ignition_configs(options: argparse.Namespace, environment: Mapping[str, str]) -> Iterator[str]:
    found = list(_clashes(options, IGNITION_CONFIGS))
    found += [
        (str(options.dir / folder), "These manifests are not read: keys and names are made anew. Move them away first.")
        for folder in MANIFESTS
        if (options.dir / folder).exists() and not options.overwrite
    ]
    made = _resolve(options, environment, {assets.asset_of(path).name for path in IGNITION_CONFIGS.values()}, found)
    yield from _write(options, {file: made.file(path) for file, path in IGNITION_CONFIGS.items()})


def _manifests(options: argparse.Namespace, environment: Mapping[str, str]) -> Iterator[str]:
    wanted = {name for name, asset in assets.ASSETS.items() if any(path.startswith(MANIFESTS) for path in asset.files)}
    found = list(_clashes(options, [folder for folder in MANIFESTS if any((options.dir / folder).glob("*"))]))
    made = _resolve(options, environment, wanted, found)
    files = {path: str(text) for name in sorted(wanted) for path, text in made.contents[name].items()}
    yield from _write(options, {path: text for path, text in files.items() if path.startswith(MANIFESTS)})


def _resolve(
    options: argparse.Namespace, environment: Mapping[str, str], wanted: set[str], found: list[Problem]
) -> graph.Graph:
    """Make assets, or tell everything that stands in the way."""
    release = command_inputs.release(options.version, options.release_image, options.spec)
    try:
        given = command_inputs.given(options.dir, environment, release=release, infra_id=options.infra_id)
    except Wrong as wrong:
        raise Wrong(wrong.problems + found) from None
    if found:
        raise Wrong(found)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return graph.resolve(assets.ASSETS, sorted(wanted), given, pool)


def _draft(options: argparse.Namespace, _environment: Mapping[str, str]) -> Iterator[str]:
    key_files = () if options.ssh_key else install_config_draft.KEY_FILES
    found = list(_clashes(options, [INSTALL_CONFIG, *key_files]))
    config, keys = install_config_draft.draft(
        options.cluster,
        options.version,
        base_domain=options.base_domain,
        image=options.image,
        ssh_key=options.ssh_key,
        pull_secret=options.pull_secret,
        found=found,
    )
    yield from _write(options, {INSTALL_CONFIG: documents.to_yaml(config)} | keys)


def _clashes(options: argparse.Namespace, files: Sequence[str] | Mapping[str, str]) -> Iterator[Problem]:
    if not options.overwrite:
        for file in files:
            if (options.dir / file).exists():
                yield str(options.dir / file), "It is there already. Move it away, or give --overwrite."


def _write(options: argparse.Namespace, files: Mapping[str, str]) -> Iterator[str]:
    """Write each file whole or not at all, and say which are new."""
    for name, text in files.items():
        file: Path = options.dir / name
        verb = "overwritten" if file.exists() else "written"
        file.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "w", encoding="utf-8") as stream:
            stream.write(text)
        part.replace(file)
        yield f"{verb}: {file}"


def _graph(options: argparse.Namespace, _environment: Mapping[str, str]) -> Iterator[str]:
    wanted = [_asset_name(name) for name in options.names] or list(assets.ASSETS)
    shown = [assets.ASSETS[name] for name in graph.needed(assets.ASSETS, wanted)]
    yield from _dot(shown) if options.dot else _text(shown)


def _asset_name(name: str) -> str:
    if name in assets.ASSETS:
        return name
    try:
        return assets.asset_of(name).name
    except KeyError:
        raise Wrong([(name, "No asset has this name, and none makes a file of it. See `graph` alone.")]) from None


def _text(shown: list[graph.Asset]) -> Iterator[str]:
    for asset in shown:
        yield asset.name + ("" if asset.make else "  (given)")
        yield from (f"    makes {path}" for path in asset.files if path != asset.name)
        yield from (f"    from  {name}" for name in asset.inputs)


def _dot(shown: list[graph.Asset]) -> Iterator[str]:
    yield "digraph install {"
    yield "  rankdir=LR; node [shape=box, fontname=monospace];"
    yield from (f'  "{asset.name}"{"" if asset.make else " [style=dashed]"};' for asset in shown)
    yield from (f'  "{name}" -> "{asset.name}";' for asset in shown for name in asset.inputs)
    yield "}"
