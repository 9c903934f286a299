"""docs/install-graph.md: what is generated for a cluster, what it is made from, and who trusts whom."""

from collections.abc import Iterable

from installer import all_assets
from installer.assets import (
    cluster_version,
    install_certificates,
    kubeconfigs,
    machines,
    manifests,
    platform,
    workload_identity,
)
from installer.bootstrap import bootstrap, host_files, units
from installer.graph import Asset
from installer.pki import Certificate
from tools.pages.markdown import code, table

_HEAD = """\
# The install graph

This page lists everything that the provider generates for a cluster, for people who look for the origin of a file. `make docs` writes it from `installer/`. [documents.md](documents.md#install-graph) explains how a graph is sealed and stored, [bootstrap.md](bootstrap.md) what the bootstrap machine does with it.

Each asset names its inputs and makes one or a few files. `graph.resolve` makes a target and everything it needs, each asset once, as soon as its inputs exist. To see the inputs of one asset or file, run `python -m installer graph NAME`.

{picture}

## Certificates

All certificates use RSA 2048 and SHA-256, and are valid from the moment of the install. In the picture, an arrow leads from a signer to the certificate it signs. A dotted line leads from a certificate to a bundle that contains it.

{trust}

{certificates}

A program verifies its peers against the certificates of a bundle:

{bundles}

The cluster signs and verifies the tokens of service accounts with `tls/service-account.key` and `.pub`. A cluster with workload identity signs the tokens that its operators exchange in Azure with `tls/bound-service-account-signing-key.key`. That key is from the vault, and the service publishes its public half.

## Kubeconfigs

{kubeconfigs}

## Assets

{assets}
"""
_GROUPS = {"tls": "certificates and keys: tls/", "auth": "kubeconfigs, passwords, keys of people: auth/"}
_HOST = "the machine's own files and units"
_MODULES = (
    install_certificates,
    kubeconfigs,
    manifests,
    platform,
    workload_identity,
    cluster_version,
    machines,
    host_files,
    units,
    bootstrap,
)
_LAID = {("key", "crt"): "key and certificate", ("crt",): "certificate", (): "nothing"}
# If an asset has more inputs than this from one folder, the page shows only the folder.
_FEW = 5


def page() -> str:
    """Return the whole page."""
    return _HEAD.format(
        picture=_picture(),
        trust=_trust(),
        certificates=table(
            ("file", "subject", "signed by", "days", "for", "names", "on the bootstrap machine"),
            [_certificate(row) for row in install_certificates.CERTIFICATES],
        ),
        bundles=table(
            ("file", "certificates of"),
            [(f"`tls/{name}.crt`", code(signers)) for name, signers in install_certificates.BUNDLES.items()],
        ),
        kubeconfigs=table(
            ("file", "user", "server", "client certificate", "trusts", "on the bootstrap machine"),
            [
                (
                    f"`{row.path}`",
                    f"`{row.user}`",
                    f"`https://{row.server}:6443`",
                    f"`{row.client}`",
                    f"`{row.bundle}`",
                    "yes" if row.boot else "no",
                )
                for row in kubeconfigs.KUBECONFIGS
            ],
        ),
        assets=table(
            ("asset", "makes", "made from", "in"), [_asset(asset) for asset in all_assets.ASSETS.values() if asset.make]
        ),
    )


def _group(name: str) -> str:
    folder, slash, _ = name.partition("/")
    if slash:
        return _GROUPS.get(folder, f"{folder}/") if folder else _HOST
    return name


def _picture() -> str:
    """Return the graph, with one box for each folder."""
    groups = list(dict.fromkeys(_group(name) for name in all_assets.ASSETS))
    edges = dict.fromkeys(
        (_group(wanted), _group(asset.name)) for asset in all_assets.ASSETS.values() for wanted in asset.inputs
    )
    given = {_group(asset.name) for asset in all_assets.ASSETS.values() if asset.make is None}
    boxes = [f"  {_node(name)}{_shape(name, given=name in given)}" for name in groups]
    return _mermaid(
        [*boxes, *(f"  {_node(source)} --> {_node(target)}" for source, target in edges if source != target)]
    )


def _shape(name: str, *, given: bool) -> str:
    return f'(["{name}"])' if given else f'["{name}"]'


def _trust() -> str:
    signed = [f"  {_node(row.issuer)} --> {_node(row.file)}" for row in install_certificates.CERTIFICATES if row.issuer]
    boxes = [f'  {_node(row.file)}["{row.file}"]' for row in install_certificates.CERTIFICATES]
    held = [
        f'  {_node(signer)} -.-> {_node(name)}(["{name}"])'
        for name, signers in install_certificates.BUNDLES.items()
        for signer in signers
    ]
    return _mermaid([*boxes, *signed, *held])


def _mermaid(lines: Iterable[str]) -> str:
    return "\n".join(["```mermaid", "flowchart LR", *lines, "```"])


def _node(name: str) -> str:
    """Return a name that is a valid node id of Mermaid, where `end` and others are reserved words."""
    return "n_" + "".join(letter if letter.isalnum() else "_" for letter in name)


def _certificate(row: Certificate) -> tuple[str, ...]:
    subject = [f"CN={row.common_name}"]
    subject += [f"O={row.organization}"] if row.organization else []
    subject += [f"OU={row.unit}"] if row.unit else []
    return (
        f"`{row.asset}`",
        code([", ".join(subject)]),
        f"`{row.issuer}`" if row.issuer else "itself",
        str(row.days),
        ", ".join(row.extended) or "signing",
        code((*row.dns, *row.ip)),
        _LAID[row.boot],
    )


def _asset(asset: Asset) -> tuple[str, ...]:
    module = next((module for module in _MODULES if asset in module.ASSETS), all_assets)
    path = module.__name__.replace(".", "/") + ".py"
    return (
        f"`{asset.name}`",
        code(path for path in asset.files if path != asset.name),
        code(_short(asset.inputs)),
        f"[`{path}`](../{path})",
    )


def _short(inputs: tuple[str, ...]) -> list[str]:
    """Return the names of inputs, with many inputs of one folder shortened to the folder."""
    folders = [name.rpartition("/")[0] for name in inputs]
    shown = [
        f"{folder}/*" if folder and folders.count(folder) > _FEW else name
        for name, folder in zip(inputs, folders, strict=True)
    ]
    return list(dict.fromkeys(shown))
