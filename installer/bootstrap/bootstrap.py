"""The bootstrap machine's ignition: every file and unit of the graph that it boots from."""

from installer.assets import (
    cluster_version,
    install_certificates,
    kubeconfigs,
    machines,
    manifests,
    platform,
    workload_identity,
)
from installer.bootstrap import host_files, units
from installer.bootstrap.stage import ROOT
from installer.graph import Asset, Content, Inputs
from installer.ignition import ignition, snippets

_INSTALL, _RELEASE, _SSH = "install-config", "release-image", install_certificates.BOOTSTRAP_SSH
# Everybody on the machine may read these; the others only root.
_PUBLIC = ("manifests/", "openshift/", "tls/root-ca.crt")
_OPEN_MODE, _CLOSED_MODE = 0o644, 0o600

_OBJECTS = (
    *(
        asset
        for asset in (
            *manifests.ASSETS,
            *platform.ASSETS,
            *workload_identity.ASSETS,
            *cluster_version.ASSETS,
            *machines.ASSETS,
        )
        if asset.name.startswith(("manifests/", "openshift/"))
        or asset.name in {cluster_version.ORIGINAL, workload_identity.SIGNING_KEY}
    ),
    manifests.FURTHER,
)
_BOOT_ASSETS = tuple(
    asset
    for asset in (*install_certificates.ASSETS, *kubeconfigs.ASSETS)
    if set(asset.files) & {*install_certificates.BOOT_FILES, *kubeconfigs.BOOT_FILES}
)

_HOST_ASSETS = (*host_files.ASSETS, *units.ASSETS)


def _bootstrap(inputs: Inputs) -> Content:
    config = inputs[_INSTALL]
    made = {path: text for asset in (*_OBJECTS, *_BOOT_ASSETS) for path, text in inputs[asset.name].items()}
    chosen = [path for asset in _OBJECTS for path in inputs[asset.name]]
    chosen += [*kubeconfigs.BOOT_FILES, *install_certificates.BOOT_FILES]
    files = [
        ignition.File(f"{ROOT}/{path}", made[path], _OPEN_MODE if path.startswith(_PUBLIC) else _CLOSED_MODE)
        for path in chosen
    ]
    machine = ignition.Config(
        files=(*host_files.files(inputs), *files),
        units=tuple(units.units(inputs)),
        users=(ignition.User("core", (config["sshKey"], *_bootstrap_key(inputs))),),
    )
    return snippets.ignition_files("bootstrap", machine, config, inputs[_RELEASE])


def _bootstrap_key(inputs: Inputs) -> tuple[str, ...]:
    public = inputs[_SSH].get(f"{_SSH}.pub")
    return (public,) if public else ()


ASSETS = (
    # After all others that make manifests: it contains the files that none of them makes.
    manifests.FURTHER,
    Asset(
        "bootstrap.ign",
        snippets.files("bootstrap"),
        (_INSTALL, _RELEASE, _SSH, *(asset.name for asset in (*_HOST_ASSETS, *_OBJECTS, *_BOOT_ASSETS))),
        _bootstrap,
    ),
)
