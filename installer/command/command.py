"""The commands that people type: `python -m installer create ...` and `... graph`.

Nothing here prints a secret: files are named, never shown.
"""

import argparse
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from installer import all_assets, graph, manifest_yaml
from installer.command import command_files, command_inputs, command_state, install_config_draft
from installer.command.command_inputs import DEFAULT_VERSION, INSTALL_CONFIG, PRINCIPAL, SPECS, Asked, Wrong
from installer.command.command_state import FOLDERS, STATE, Start
from installer.config.install_config_members import Problem
from installer.graph import Content, Graph, Inputs
from installer.ignition import snippets

SUCCESS, FAILURE = 0, 1
# As in shells: 128 plus the number of the signal.
INTERRUPTED = 130
_WANTED = sorted({all_assets.asset_of(path).name for path in all_assets.IGNITION_CONFIGS.values()})
# It contains all manifests, so it is made after people have edited them. Everything else is made once, together with
# them.
_LAST = "bootstrap.ign"
# The clashes of snippets, if there are any.
CLASHES = tuple(snippets.files(role)[1] for role in snippets.ROLES)
_Run = Callable[[argparse.Namespace, Mapping[str, str]], Iterator[str]]

_TOLD = f"""\
The folder of --dir holds what goes in and what comes out:
  {INSTALL_CONFIG}       what the cluster is to be; `create install-config` writes one to begin with
  {PRINCIPAL}   the cluster's own principal, an object with subscriptionId, tenantId, clientId and
                            clientSecret. Without the file: AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID,
                            AZURE_CLIENT_ID and AZURE_CLIENT_SECRET of the environment.
  manifests/, openshift/    the cluster's first objects, for people to edit, remove and add to (.yaml, .yml, .json)
  {STATE}
                            what else `create manifests` made: keys, ids, names, in clear. There is no vault here,
                            so nothing is sealed: keep the folder as you would keep its secrets.

For example:
  python -m installer create install-config --dir c1 --example
  python -m installer create manifests --dir c1          (may be left out)
  python -m installer create ignition-configs --dir c1
  python -m installer graph bootstrap.ign

`create ignition-configs` goes on from `create manifests` where that was run: same keys, ids and names, and the
manifests as they lie there. Without it each run makes a new cluster. Unlike openshift-install, it takes away neither
install-config nor manifests, and refuses an install-config that was changed since: the manifests would not follow it.
All files are readable by their owner alone. Nothing here asks Azure.
"""


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run a command; return the exit code."""
    options = _parser().parse_args(arguments)
    # OpenShift gives its node bootstrapper a name of 73 characters; X.520 limits names to 64.
    warnings.filterwarnings("ignore", message="Attribute's length must be", category=UserWarning)
    try:
        for line in options.run(options, os.environ if environment is None else environment):
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except Wrong as wrong:
        many = f"{len(wrong.problems)} problems" if len(wrong.problems) > 1 else "1 problem"
        lines = "".join(f"  {_in_a_line(f'{field}: {sentence}')}\n" for field, sentence in wrong.problems)
        way_out = f"{wrong.way_out}\n" if wrong.way_out else ""
        done = "shown" if options.run is _show else "written"
        sys.stderr.write(f"error: nothing was {done}, because of {many}:\n{lines}{way_out}")
        return FAILURE
    except BrokenPipeError:
        # The reader has closed the pipe. Python would complain at exit about the rest of the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except OSError as error:
        sys.stderr.write(f"error: {error.filename2 or error.filename or 'output'}: {error.strerror}\n")
        return FAILURE
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted; no file is left half written\n")
        return INTERRUPTED
    return SUCCESS


def _in_a_line(text: str) -> str:
    """Return a text without line ends and control characters, because messages repeat values as people wrote them."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m installer",
        description="Make what the machines of an OpenShift cluster boot from, without the service.",
        epilog=_TOLD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    create = commands.add_parser("create", help="write files: ignition-configs, manifests, install-config")
    kinds = create.add_subparsers(title="what", required=True, metavar="WHAT")
    _add_create(kinds, "ignition-configs", _ignition_configs, f"write {', '.join(all_assets.IGNITION_CONFIGS)}")
    _add_create(kinds, "manifests", _manifests, f"write {'/ and '.join(FOLDERS)}/, the cluster's first objects")
    _add_draft(kinds)
    shown = commands.add_parser("graph", help="show the assets, what each is made from, and its files")
    shown.add_argument("--dot", action="store_true", help="as DOT, for `dot -Tsvg`")
    shown.add_argument("names", nargs="*", metavar="NAME", help="assets or files: show what these are made from, alone")
    shown.set_defaults(run=_show)
    return parser


def _add_kind(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, run: _Run, what: str
) -> argparse.ArgumentParser:
    parser = kinds.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.add_argument("--dir", type=Path, default=Path(), help="folder of all files (default: this one)")
    parser.add_argument("--overwrite", action="store_true", help="write over files that are there; they are named")
    parser.set_defaults(run=functools.partial(_alone, run))
    return parser


def _add_create(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, run: _Run, what: str) -> None:
    parser = _add_kind(kinds, name, run, what)
    parser.add_argument("--version", type=_version, help=f"of OpenShift, x.y.z (default {DEFAULT_VERSION})")
    parser.add_argument(
        "--spec", choices=SPECS, default="", help="of Ignition (default: 2.2 up to 4.5, 3.1 for 4.6, then 3.2)"
    )
    parser.add_argument("--release-image", default="", help="pull spec (default: the version's on quay.io)")
    parser.add_argument(
        "--infra-id", default="", help="how the names of all Azure resources begin (default: a new one)"
    )
    parser.add_argument(
        "--snippets",
        type=Path,
        metavar="FILE",
        help="YAML or JSON, rows by role as in the catalogue: laid over the ignition; the installer's own wins",
    )


def _add_draft(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _add_kind(
        kinds, "install-config", _draft, f"write {INSTALL_CONFIG}, from a cluster document or an example"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--example", action="store_true", help="of a cluster in eastus with three zones")
    source.add_argument(
        "--cluster", type=Path, metavar="FILE", help="JSON: a document of the service, or the cluster in it"
    )
    parser.add_argument(
        "--version",
        type=_version,
        help=f"of OpenShift, x.y.z (default: the document's; {DEFAULT_VERSION} for the example)",
    )
    parser.add_argument("--base-domain", default="", help="of a cluster whose domain is one label")
    image = parser.add_mutually_exclusive_group()
    image.add_argument(
        "--image",
        default="",
        help="of the machines, PUBLISHER:OFFER:SKU:VERSION (default: the document's; 4.3 has one; for the example the "
        "version's newest)",
    )
    image.add_argument(
        "--release-metadata",
        type=Path,
        metavar="FILE",
        help="JSON that names the machines' image: data/data/rhcos.json of openshift/installer, later "
        "data/data/coreos/rhcos.json",
    )
    parser.add_argument("--ssh-key", type=Path, metavar="FILE", help="public key (default: a new pair, in ssh-key)")
    parser.add_argument("--pull-secret", type=Path, metavar="FILE", help='JSON, {"auths": {...}}')


def _version(text: str) -> str:
    if not command_inputs.is_version(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a version of OpenShift 4, such as {DEFAULT_VERSION}")
    return text


def _alone(run: _Run, options: argparse.Namespace, environment: Mapping[str, str]) -> Iterator[str]:
    with command_files.alone(options.dir):
        lines = list(run(options, environment))
    yield from lines


def _ignition_configs(options: argparse.Namespace, environment: Mapping[str, str]) -> Iterator[str]:
    found = list(_in_the_way(options, [*all_assets.IGNITION_CONFIGS, *CLASHES]))
    start = _start(found, lambda: _first_or_second(options, environment))
    made = _resolve(start.known, _WANTED)
    files = {file: made.file(path) for file, path in all_assets.IGNITION_CONFIGS.items()}
    files |= {path: text for content in made.contents.values() for path, text in content.items() if path in CLASHES}
    yield from start.told
    yield from command_files.write(options.dir, files, CLASHES)
    yield from snippets.clashes(made.contents)


def _manifests(options: argparse.Namespace, environment: Mapping[str, str]) -> Iterator[str]:
    there = [name for name in FOLDERS if any((options.dir / name).glob("*"))]
    found = list(_in_the_way(options, [STATE, *there]))
    start = _start(found, lambda: _first(options, environment))
    made = _resolve(start.known, {*graph.needed(all_assets.ASSETS, _WANTED)} - {_LAST})
    files = {path: text for name in command_state.OBJECTS for path, text in made.contents[name].items()}
    others = [f"{name}/{file.name}" for name in there for file in sorted((options.dir / name).glob("*"))]
    # An old state next to half of other manifests would be wrong, so the state is removed first, and the new one
    # written last.
    yield from command_files.write(options.dir, files | {STATE: command_state.to_text(made)}, [STATE])
    yield from (f"kept: {options.dir / path}" for path in others if path not in files)
    yield from snippets.clashes(made.contents)


def _asked(options: argparse.Namespace) -> Asked:
    return Asked(options.version or "", options.release_image, options.spec, options.infra_id, options.snippets)


def _first(options: argparse.Namespace, environment: Mapping[str, str]) -> Start:
    return Start(command_inputs.read_inputs(options.dir, environment, _asked(options)))


def _first_or_second(options: argparse.Namespace, environment: Mapping[str, str]) -> Start:
    return command_state.go_on(options.dir, environment, _asked(options)) or _first(options, environment)


def _start(found: list[Problem], read: Callable[[], Start]) -> Start:
    """Return where a run begins; if something is in the way, report all of it at once."""
    try:
        start = read()
    except Wrong as wrong:
        raise Wrong(wrong.problems + found, wrong.way_out) from None
    if found:
        raise Wrong(found)
    return start


def _resolve(known: Mapping[str, Content], wanted: Iterable[str]) -> Graph:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return graph.resolve(all_assets.ASSETS, sorted(wanted), known, pool)


def _draft(options: argparse.Namespace, _environment: Mapping[str, str]) -> Iterator[str]:
    key_files = () if options.ssh_key else install_config_draft.KEY_FILES
    found = list(_in_the_way(options, [INSTALL_CONFIG, *key_files]))
    draft = install_config_draft.draft(
        options.cluster,
        options.version or "",
        base_domain=options.base_domain,
        image=options.image,
        release_metadata=options.release_metadata,
        ssh_key=options.ssh_key,
        pull_secret=options.pull_secret,
        found=found,
    )
    yield from command_files.write(options.dir, {INSTALL_CONFIG: manifest_yaml.to_yaml(draft.config)} | draft.keys)
    if draft.version != DEFAULT_VERSION:
        yield f"It is for OpenShift {draft.version}: continue with --version {draft.version}."


def _in_the_way(options: argparse.Namespace, files: Sequence[str]) -> Iterator[Problem]:
    if not options.overwrite:
        for file in files:
            if (options.dir / file).exists():
                yield str(options.dir / file), "It is there already. Move it away, or give --overwrite."


def _show(options: argparse.Namespace, _environment: Mapping[str, str]) -> Iterator[str]:
    wanted = [_asset_name(name) for name in options.names] or list(all_assets.ASSETS)
    shown = [all_assets.ASSETS[name] for name in graph.needed(all_assets.ASSETS, wanted)]
    yield from _dot(shown) if options.dot else _text(shown)


def _asset_name(name: str) -> str:
    if asset := all_assets.find(name):
        return asset.name
    raise Wrong([(name, "No asset has this name, and none makes a file of it. See `graph` alone.")])


# The name of an asset that people provide; all others are made.
_GIVEN: dict[Callable[[Inputs], Content] | None, str] = {None: "  (given)", graph.nothing: "  (given, or nothing)"}


def _text(shown: list[graph.Asset]) -> Iterator[str]:
    for asset in shown:
        yield asset.name + _GIVEN.get(asset.make, "")
        verb = "holds" if asset.make in _GIVEN else "makes"
        yield from (f"    {verb} {path}" for path in asset.files if path != asset.name)
        yield from (f"    from  {name}" for name in asset.inputs)


def _dot(shown: list[graph.Asset]) -> Iterator[str]:
    yield "digraph install {"
    yield "  rankdir=LR; node [shape=box, fontname=monospace];"
    yield from (f'  "{asset.name}"{" [style=dashed]" if asset.make in _GIVEN else ""};' for asset in shown)
    yield from (f'  "{name}" -> "{asset.name}";' for asset in shown for name in asset.inputs)
    yield "}"
