"""A stand-in for `openshift-install`: it checks its input and leaves a folder like the real program's.

It imitates what matters to a caller: it generates the cluster's names with the first target; its state file is keyed by
Go types, with files in base64; targets disappear from the folder when a later one has used them; files in the folder
take precedence over the state; two kubeconfigs share one name. What it makes is a plain cluster's, in its own words.

Source: openshift/installer `pkg/asset/store/store.go`, `pkg/asset/targets`, `pkg/asset/kubeconfig`.
"""

import base64
import hashlib
import itertools
import json
import os
import stat
import sys
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

import yaml
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from installer import all_assets, documents, graph, pki
from installer.command import command_inputs
from installer.graph import Content

ROOT = Path(__file__).parents[1]
STATE = ".openshift_install_state.json"
INFRA_ID = "cluster-stand"
# The environment variables that the service may pass to it.
ENVIRONMENT = {
    *("PATH", "HOME", "TMPDIR", "OPENSHIFT_INSTALL_INVOKER", "OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE"),
    *("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
}
# Variables that Python and the shell set themselves.
_ITS_OWN = {"LC_CTYPE", "PWD", "SHLVL", "_", "__CF_USER_TEXT_ENCODING"}
_CLUSTER_ID, _CONFIG = "*installconfig.ClusterID", "*installconfig.InstallConfig"
# A separate asset reads this file from the folder, and the other objects of `openshift/` are made from it.
_INVOKER, _INVOKER_FILE = "*openshiftinstall.Config", "openshift/openshift-install-manifests.yaml"
_INNER, _OUTER = "*kubeconfig.AdminInternalClient", "*kubeconfig.AdminClient"
_FOLDERS = ("manifests/", "openshift/", "cluster-api/")
_OTHER = "manifests/cluster-csi-driver.yaml"


def install(file: Path, version: str, keys: Sequence[rsa.RSAPrivateKey] = ()) -> Path:
    """Write the program; return the file to which it notes its runs, one JSON object a line.

    Args:
        file: path of the program.
        version: version of the program.
        keys: keys to use instead of new ones, which take seconds to generate.
    """
    notes = file.with_name("notes.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    if keys:
        _keys_of(notes).write_text(json.dumps([pki.private_pem(key) for key in keys]), encoding="utf-8")
    lines = (
        f"#!{sys.executable}",
        "import sys",
        f"sys.path.insert(0, {str(ROOT)!r})",
        "from tests.openshift_install import main",
        f"sys.exit(main(sys.argv[1:], {version!r}, {str(notes)!r}))",
    )
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file.chmod(0o755)
    return notes


def _keys_of(notes: Path) -> Path:
    return notes.with_suffix(".keys")


def _hand_out(keys: Sequence[str]) -> None:
    pairs = itertools.cycle(
        [load_pem_private_key(pem.encode(), None, unsafe_skip_rsa_key_validation=True) for pem in keys]
    )
    pki.new_key = lambda: cast("rsa.RSAPrivateKey", next(pairs))


def main(words: list[str], version: str, notes: str) -> int:
    """Run as the program does; return the exit code.

    Args:
        words: the command line without the program.
        version: version of the program.
        notes: path of the file to which runs are noted.
    """
    if words == ["version"]:
        sys.stdout.write(f"openshift-install {version}\nbuilt from commit 0\nrelease image x\n")
        return 0
    if _keys_of(Path(notes)).exists():
        _hand_out(json.loads(_keys_of(Path(notes)).read_text(encoding="utf-8")))
    try:
        noted = _run(words, version)
    except AssertionError as error:
        sys.stderr.write(f"level=fatal msg=stand-in: {error}\n")
        return 3
    with Path(notes).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"words": words, **noted}) + "\n")
    return 0


def _run(words: list[str], version: str) -> dict[str, Any]:
    assert words[0] == "create", f"verb {words[0]}"
    assert words[2] == "--dir", f"option {words[2]}"
    assert words[4:] == ["--log-level=info"], f"options {words[4:]}"
    folder = Path(words[3])
    _expect_private(folder)
    release = command_inputs.release(version, os.environ["OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE"], "")
    principal = Path(os.environ["HOME"], ".azure", "osServicePrincipal.json")
    given = {
        "platform-credentials": json.loads(principal.read_text(encoding="utf-8")),
        "release-image": release,
        "clock": {"now": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")},
    }
    found = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    noted = (_manifests if words[1] == "manifests" else _ignition_configs)(folder, given)
    return {"environment": sorted(os.environ), "found": found, "folder": str(folder), **noted}


def _expect_private(folder: Path) -> None:
    """Check that nobody else can read what is written here, and that nothing of the service can be read here."""
    strange = set(os.environ) - ENVIRONMENT - _ITS_OWN
    assert not strange, f"environment {strange}"
    assert os.environ["OPENSHIFT_INSTALL_INVOKER"] == "ARO", "invoker"
    home = Path(os.environ["HOME"])
    for private in (folder.parent, folder, home, home / ".azure", Path(os.environ["TMPDIR"])):
        assert stat.S_IMODE(private.stat().st_mode) == 0o700, f"mode of {private}"
        assert private.is_relative_to(folder.parent), f"place of {private}"
    for file in (home / ".azure" / "osServicePrincipal.json", folder / "install-config.yaml"):
        assert not file.exists() or stat.S_IMODE(file.stat().st_mode) == 0o600, f"mode of {file}"
    assert not sys.stdin.read(), "it is asked something"


def _manifests(folder: Path, given: dict[str, Content]) -> dict[str, Any]:
    assert [file.name for file in folder.iterdir()] == ["install-config.yaml"], "the folder is not new"
    config = yaml.safe_load((folder / "install-config.yaml").read_text(encoding="utf-8"))
    ids = {"infraId": INFRA_ID, "clusterId": str(uuid.uuid4())}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        known = given | {"install-config": config, "cluster-id": ids}
        made = dict(graph.resolve(all_assets.ASSETS, list(all_assets.ASSETS), known, pool).contents)
    files = _plain(
        {path: str(text) for content in made.values() for path, text in content.items() if _is_made(path)}, ids
    )
    for path, text in files.items():
        if path.startswith(_FOLDERS):
            _write(folder / path, text)
    state: dict[str, Any] = {
        _CLUSTER_ID: {"InfraID": ids["infraId"], "UUID": ids["clusterId"]},
        _CONFIG: {"config": config, "file": {"Filename": "install-config.yaml", "Data": None}},
        _INNER: {"Config": {}, "File": _file("auth/kubeconfig", files["auth/kubeconfig"])},
        _INVOKER: {"File": _file(_INVOKER_FILE, files[_INVOKER_FILE])},
        "*files": {"FileList": [_file(path, text) for path, text in files.items() if path != "auth/kubeconfig"]},
    }
    _write(folder / STATE, json.dumps(state, indent=4))
    (folder / "install-config.yaml").unlink()
    return {"drawn": ids}


def _is_made(path: str) -> bool:
    return path.startswith((*_FOLDERS, "tls/", "auth/")) or path in {"master.ign", "worker.ign"}


def _plain(files: dict[str, str], ids: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a plain cluster, without those that are specific to this service."""
    infra_id = ids["infraId"]
    own = {"auth/aro/kubeconfig", "auth/user-admin/kubeconfig", "auth/external/kubeconfig"}
    plain = {
        path: text
        for path, text in files.items()
        if path not in own and not path.startswith(("manifests/aro-", "tls/aro-service", "tls/user-admin"))
    }
    dns = "manifests/cluster-dns-02-config.yml"
    plain[dns] = plain[dns].replace("privateZone:", "publicZone: {id: x}\n  privateZone:")
    plain[_INVOKER_FILE] = documents.to_json(yaml.safe_load(plain[_INVOKER_FILE]))
    plain["openshift/99_openshift-cluster-api_worker-machineset-9.yaml"] = f"name: {infra_id}-one-too-many\n"
    plain[f"cluster-api/machines/10_inframachine_{infra_id}-master-0.yaml"] = f"name: {infra_id}-master-0\n"
    hidden = json.dumps({"prefix": f"{infra_id}-csi", "id": ids["clusterId"]})
    plain[_OTHER] = documents.to_yaml(documents.secret("cluster-csi-driver", "kube-system", {"config": hidden}))
    return plain


def _ignition_configs(folder: Path, given: dict[str, Content]) -> dict[str, Any]:
    state = json.loads((folder / STATE).read_text(encoding="utf-8"))
    drawn = state[_CLUSTER_ID]
    of_state = {entry["Filename"]: base64.b64decode(entry["Data"]).decode() for entry in state["*files"]["FileList"]}
    inner = base64.b64decode(state[_INNER]["File"]["Data"]).decode()
    targets = [file for name in _FOLDERS for file in (folder / name).rglob("*") if file.is_file()]
    # All files of a target are read from the folder: those missing there were removed on purpose.
    disk = {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in targets}
    dirty = _file(_INVOKER_FILE, disk[_INVOKER_FILE]) != state[_INVOKER]["File"]
    assert not dirty, "discarding the Openshift Manifests that were provided, because their dependencies are dirty"
    files = {path: text for path, text in of_state.items() if not path.startswith(_FOLDERS)} | disk
    known = given | {
        "install-config": state[_CONFIG]["config"],
        "cluster-id": {"infraId": drawn["InfraID"], "clusterId": drawn["UUID"]},
        **_contents(files | {"auth/kubeconfig": inner}),
    }
    wanted = ("bootstrap.ign", "master.ign", "worker.ign", "metadata.json", "auth/kubeadmin-password")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = graph.resolve(all_assets.ASSETS, (*wanted, "auth/external/kubeconfig"), known, pool)
    written = {path: made.file(path) for path in wanted} | {"auth/kubeconfig": made.file("auth/external/kubeconfig")}
    written["bootstrap.ign"] = _with_others(written["bootstrap.ign"], disk)
    for file in targets:
        file.unlink()
    for path, text in written.items():
        _write(folder / path, text)
    state[_OUTER] = {"Config": {}, "File": _file("auth/kubeconfig", written["auth/kubeconfig"])}
    state["*files"]["FileList"] = [_file(path, text) for path, text in files.items()]
    _write(folder / STATE, json.dumps(state, indent=4))
    return {"sha256": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in written.items()}}


def _contents(files: Mapping[str, str]) -> dict[str, Content]:
    contents: dict[str, Content] = {}
    for asset in all_assets.ASSETS.values():
        found = {path: text for path, text in files.items() if any(fnmatch(path, each) for each in asset.files)}
        if found:
            contents[asset.name] = found
    return contents


def _with_others(ignition: str, disk: Mapping[str, str]) -> str:
    """Return the machine's ignition with the files that no asset makes, formatted differently from ours."""
    document = json.loads(ignition)
    for path in sorted(disk):
        if not any(fnmatch(path, each) for asset in all_assets.ASSETS.values() for each in asset.files):
            source = "data:text/plain;charset=utf-8;base64," + base64.b64encode(disk[path].encode()).decode("ascii")
            file = {"path": f"/opt/openshift/{path}", "mode": 0o644, "contents": {"source": source}}
            # Spec 3 has no file system names.
            old = document["ignition"]["version"].startswith("2.")
            document["storage"]["files"].append(file | ({"filesystem": "root"} if old else {}))
    return json.dumps(document, indent=1)


def _file(path: str, text: str) -> dict[str, str]:
    return {"Filename": path, "Data": base64.b64encode(text.encode()).decode("ascii")}


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
