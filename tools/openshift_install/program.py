"""The commands of the stand-in: `version`, `create manifests`, `create ignition-configs`.

It behaves as the program does towards a caller: it draws the cluster's names with the first target; its state file is
keyed by Go types, with files in base64; targets disappear from the folder when a later one has used them; files in the
folder take precedence over the state; two kubeconfigs share one name.

Source: openshift/installer `pkg/asset/store/store.go`, `pkg/asset/targets`, `pkg/asset/kubeconfig`.
"""

import base64
import json
import os
import sys
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from installer import all_assets, graph, manifest_yaml, pki
from installer.assets import cluster_version, workload_identity
from installer.command import command_inputs
from installer.config import cluster_id, install_config
from installer.graph import Content
from shared import kubernetes_yaml
from tools.openshift_install import cluster_objects, refusals

STATE = ".openshift_install_state.json"
_CONFIG_FILE = "install-config.yaml"
_CLUSTER_ID, _CONFIG = "*installconfig.ClusterID", "*installconfig.InstallConfig"
# A separate asset reads this file from the folder, and the other objects of `openshift/` are made from it.
_INVOKER, _INVOKER_FILE = "*openshiftinstall.Config", "openshift/openshift-install-manifests.yaml"
_INNER, _OUTER = "*kubeconfig.AdminInternalClient", "*kubeconfig.AdminClient"
# The targets that the folder has between the two commands. No ignition has a file of the last one.
_OBJECTS, _CLUSTER_API = ("manifests/", "openshift/"), "cluster-api/"
_TARGETS = ("bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "auth/kubeadmin-password")
_FAILED, _USAGE = 3, 1
_REFUSED = 'failed to fetch Master Machines: failed to load asset "Install Config": failed to create install config'


class Refused(Exception):  # noqa: N818 - the program's own word
    """The program ends with these words."""


def main(words: list[str], version: str) -> int:
    """Run as the program does; return the exit code.

    Args:
        words: the command line without the program.
        version: version of the program.
    """
    if words == ["version"]:
        image = os.environ.get("OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE", "")
        sys.stdout.write(f"openshift-install {version}\nbuilt from commit 0\nrelease image {image}\n")
        return 0
    if words[:2] not in (["create", "manifests"], ["create", "ignition-configs"]) or "--dir" not in words[:-1]:
        sys.stderr.write("usage: openshift-install create manifests|ignition-configs --dir FOLDER\n")
        return _USAGE
    folder = Path(words[words.index("--dir") + 1])
    try:
        (_create_manifests if words[1] == "manifests" else _create_ignition_configs)(folder, _given(version))
    except Refused as refused:
        for line in str(refused).splitlines():
            _say("error", line)
        return _FAILED
    return 0


def _say(level: str, message: str) -> None:
    sys.stderr.write(f"level={level} msg={message}\n")


def _given(version: str) -> dict[str, Content]:
    principal = Path(os.environ["HOME"], ".azure", "osServicePrincipal.json")
    return {
        # Without a secret it asks Azure as a managed identity.
        "platform-credentials": {
            "clientId": "",
            "clientSecret": "",
            **json.loads(principal.read_text(encoding="utf-8")),
        },
        "release-image": command_inputs.release(version, os.environ["OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE"], ""),
        "clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")},
    }


def _read_config(folder: Path, version: str) -> Content:
    """Return the install-config as far as the program knows it.

    Raises:
        Refused: with every problem.
    """
    found = kubernetes_yaml.load((folder / _CONFIG_FILE).read_text(encoding="utf-8"))
    config, unknown = refusals.without_unknown(found, version)
    if unknown:
        name = unknown[0].rpartition(".")[2]
        _say(
            "warning",
            f"failed to parse first occurrence of unknown field: failed to unmarshal {_CONFIG_FILE}: error "
            f'unmarshaling JSON: while decoding JSON: json: unknown field "{name}"',
        )
        _say("info", "Attempting to unmarshal while ignoring unknown keys because strict unmarshaling failed")
    if not config.get("apiVersion"):
        raise Refused(
            f"{_REFUSED}: failed to upconvert install config: apiVersion: Required value: no version was provided"
        )
    if wrong := list(refusals.problems(config, version)):
        cause = f"[{', '.join(wrong)}]" if len(wrong) > 1 else wrong[0]
        raise Refused(f'{_REFUSED}: invalid "{_CONFIG_FILE}" file: {cause}')
    return config


def _create_manifests(folder: Path, given: dict[str, Content]) -> None:
    config = _read_config(folder, given["release-image"]["version"])
    if not given["platform-credentials"]["clientSecret"] and not install_config.is_manual(config):
        raise Refused(
            'failed to fetch Master Machines: failed to generate asset \\"Platform Credentials Check\\": '
            "authentication with client certificates or managed identity is only supported in manual credentials mode"
        )
    ids = {"infraId": cluster_id.infra_id(config["metadata"]["name"], SystemRandom()), "clusterId": str(uuid.uuid4())}
    known = given | {"install-config": config, "cluster-id": ids}
    plain = cluster_objects.make(known)
    files = {path: text for path, text in _own(known).items() if _is_plain(path)} | plain
    files[f"{_CLUSTER_API}01_azure-client-secret.yaml"] = cluster_objects.client_secret(known)
    files[f"{_CLUSTER_API}machines/10_inframachine_{ids['infraId']}-master-0.yaml"] = (
        f"name: {ids['infraId']}-master-0\n"
    )
    for path, text in files.items():
        if path.startswith((*_OBJECTS, _CLUSTER_API)):
            _write(folder / path, text)
    state: dict[str, Any] = {
        _CLUSTER_ID: {"InfraID": ids["infraId"], "UUID": ids["clusterId"]},
        _CONFIG: {"config": config, "file": {"Filename": _CONFIG_FILE, "Data": None}},
        _INNER: {"Config": {}, "File": _file("auth/kubeconfig", files["auth/kubeconfig"])},
        _INVOKER: {"File": _file(_INVOKER_FILE, files[_INVOKER_FILE])},
        "*files": {"FileList": [_file(path, text) for path, text in files.items() if path != "auth/kubeconfig"]},
    }
    _write(folder / STATE, json.dumps(state, indent=4))
    (folder / _CONFIG_FILE).unlink()


def _own(known: dict[str, Content]) -> dict[str, str]:
    """Return all files of our own graph, by path."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        resolved = graph.resolve(all_assets.ASSETS, list(all_assets.ASSETS), _as_built_in(known), pool)
    return {
        path: str(text)
        for name, content in resolved.contents.items()
        if name not in graph.GIVEN
        for path, text in content.items()
    }


def _as_built_in(known: dict[str, Content]) -> dict[str, Content]:
    """Return the inputs as our own assets read them: with the members that the program has given other names."""
    config = json.loads(json.dumps(known["install-config"]))
    config["imageContentSources"] = config.pop("imageDigestSources", [])
    image = config["controlPlane"]["platform"]["azure"].get("osImage") or {}
    azure = install_config.azure(config)
    azure["image"] = {name: image.get(name, "") for name in ("publisher", "offer", "sku", "version")}
    return known | {"install-config": config}


def _is_plain(path: str) -> bool:
    """Tell whether a plain cluster has such a file, which nobody makes in another form."""
    if path.startswith(
        ("manifests/aro-", "tls/aro-service", "tls/user-admin", "manifests/image-content-source-policy")
    ):
        return False
    own = {"auth/aro/kubeconfig", "auth/user-admin/kubeconfig", "auth/external/kubeconfig"}
    objects = (*_OBJECTS, "tls/", "auth/")
    return (path.startswith(objects) and path not in own) or path in {"master.ign", "worker.ign"}


def _create_ignition_configs(folder: Path, given: dict[str, Content]) -> None:
    state = json.loads((folder / STATE).read_text(encoding="utf-8"))
    drawn = state[_CLUSTER_ID]
    of_state = {entry["Filename"]: _text(entry) for entry in state["*files"]["FileList"]}
    # All files of a target are read from the folder: those missing there were removed on purpose.
    disk = {
        str(file.relative_to(folder)): file.read_text(encoding="utf-8")
        for name in _OBJECTS
        for file in (folder / name).rglob("*")
        if file.is_file()
    }
    if _file(_INVOKER_FILE, disk.get(_INVOKER_FILE, "")) != state[_INVOKER]["File"]:
        # The program would make all of `openshift/` again, so no change there would have an effect.
        message = (
            "Discarding the Openshift Manifests that was provided in the target directory because its dependencies "
        )
        raise Refused(f"{message}are dirty and it needs to be regenerated")
    keys = _signing_key(folder)
    files = {path: text for path, text in of_state.items() if not path.startswith(_OBJECTS)} | disk | keys
    known = given | {
        "install-config": state[_CONFIG]["config"],
        "cluster-id": {"infraId": drawn["InfraID"], "clusterId": drawn["UUID"]},
        **_contents(files | {"auth/kubeconfig": _text(state[_INNER]["File"])}),
    }
    # Its list is of the objects that are in the folder now.
    del known[cluster_version.VERSION]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = graph.resolve(all_assets.ASSETS, (*_TARGETS, "auth/external/kubeconfig"), _as_built_in(known), pool)
    written = {path: made.file(path) for path in _TARGETS} | {"auth/kubeconfig": made.file("auth/external/kubeconfig")}
    # Whoever reads it must not depend on how we format ours.
    written["bootstrap.ign"] = json.dumps(json.loads(written["bootstrap.ign"]), indent=1)
    for path in disk | keys:
        (folder / path).unlink(missing_ok=True)
    for path, text in written.items():
        _write(folder / path, text)
    state[_OUTER] = {"Config": {}, "File": _file("auth/kubeconfig", written["auth/kubeconfig"])}
    state["*files"]["FileList"] = [_file(path, text) for path, text in files.items()]
    _write(folder / STATE, json.dumps(state, indent=4))


def _signing_key(folder: Path) -> dict[str, str]:
    """Return the pair with which the API server is to sign tokens, if somebody has put the key into the folder.

    The program makes the public half itself.

    Source: openshift/installer `pkg/asset/tls/boundsasigningkey.go`.
    """
    path = folder / f"{workload_identity.SIGNING_KEY}.key"
    if not path.exists():
        return {}
    key = load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, RSAPrivateKey):
        raise Refused("failed to load rsa.PrivateKey from the file")
    names = (f"{workload_identity.SIGNING_KEY}.{suffix}" for suffix in ("key", "pub"))
    return dict(zip(names, (path.read_text(encoding="utf-8"), pki.public_pem(key)), strict=True))


def _contents(files: Mapping[str, str]) -> dict[str, Content]:
    """Return files by the asset that makes them. An object that is not there is not made again."""
    contents: dict[str, Content] = {
        name: {}
        for name, asset in all_assets.ASSETS.items()
        if asset.files and all(path.startswith(_OBJECTS) for path in asset.files)
    }
    for path, text in files.items():
        if not path.startswith(_CLUSTER_API):
            contents.setdefault(all_assets.asset_of(path).name, {})[path] = text
    return contents


def _text(file: Mapping[str, str]) -> str:
    return base64.b64decode(file["Data"]).decode()


def _file(path: str, text: str) -> dict[str, str]:
    return {"Filename": path, "Data": manifest_yaml.encode(text)}


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
