"""The machine config server: the configs for masters and workers on port 22623, from the bootstrap machine's files."""

import json
from base64 import b64encode

from starlette.responses import Response

from emulator.json_object import Json
from emulator.openshift.boot.installation import Installation
from emulator.openshift.release.kinds import ROLE_LABEL

POOLS = ("master", "worker")
_NOT_FOUND = Response(b"404 page not found\n", 404, media_type="text/plain")


class Configs:
    """The pools' configs, rendered once."""

    def __init__(self, installation: Installation, kubeconfig: str = "") -> None:
        known = kubeconfig or installation.text("auth/kubeconfig-kubelet")
        self._configs = {pool: json.dumps(_render(installation, pool, known)).encode() for pool in POOLS}

    def answer(self, path: str, _host: str) -> Response:
        """Answer a request."""
        if path == "/healthz":
            return Response(media_type="text/plain")
        config = self._configs.get(path.removeprefix("/config/"))
        if not path.startswith("/config/") or not config:
            return _NOT_FOUND
        return Response(config, media_type="application/json")


def _render(installation: Installation, pool: str, kubeconfig: str) -> Json:
    """Return a pool's config, in the version of the Ignition specification that its MachineConfig has."""
    rendered = next(
        (
            manifest.body["spec"].get("config") or {}
            for manifest in installation.manifests()
            if manifest.body["kind"] == "MachineConfig"
            and (manifest.body["metadata"].get("labels") or {}).get(ROLE_LABEL) == pool
        ),
        {},
    )
    version = (rendered.get("ignition") or {}).get("version") or "3.2.0"
    files = {
        "/etc/kubernetes/kubeconfig": (kubeconfig, 0o600),
        "/etc/kubernetes/ca.crt": (installation.text("tls/kube-apiserver-complete-client-ca-bundle.crt"), 0o644),
        "/etc/kubernetes/cloud.conf": (_cloud_config(installation), 0o600),
        "/var/lib/kubelet/config.json": (installation.text("/root/.docker/config.json"), 0o600),
    }
    old = version.startswith("2.")
    return {
        "ignition": {"version": version},
        "passwd": rendered.get("passwd") or {},
        "storage": {"files": [_file(path, text, mode, old=old) for path, (text, mode) in files.items()]},
        "systemd": {"units": [{"name": "kubelet.service", "enabled": True, "contents": _kubelet(pool)}]},
    }


def _file(path: str, text: str, mode: int, *, old: bool) -> Json:
    source = f"data:text/plain;charset=utf-8;base64,{b64encode(text.encode()).decode()}"
    file: Json = {"path": path, "mode": mode, "contents": {"source": source}}
    return file | ({"filesystem": "root"} if old else {"overwrite": True})


def _cloud_config(installation: Installation) -> str:
    if not installation.text("manifests/cloud-provider-config.yaml"):
        return ""
    data = installation.document("manifests/cloud-provider-config.yaml").get("data") or {}
    return str(data.get("config") or "")


def _kubelet(pool: str) -> str:
    return (
        "[Service]\nExecStart=/usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf "
        "--bootstrap-kubeconfig=/etc/kubernetes/kubeconfig "
        f"--node-labels=node-role.kubernetes.io/{pool},node.openshift.io/os_id=rhcos\n"
    )
