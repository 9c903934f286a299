"""A bootstrap machine made of folders: its scripts really run, with programs that record how they were called."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from installer.bootstrap import host_files
from installer.graph import Content
from tests.product.unit.installer import example

VERSIONS = {"A": "4.3.18", "T": "4.5.41", "B": "4.7.4", "C": "4.10.67"}
LIBRARIES = ("release-image.sh", "bootstrap-service-record.sh")
_ROOTS = ("/opt/openshift", "/etc/", "/usr/local/bin", "/var/log/")
# Acts like any of the release's programs. FAIL is part of the call that should fail.
_PODMAN = """\
#!/usr/bin/env bash
echo "podman $*" >>"$LOG"
if [[ -n "$FAIL" && "$*" == *"$FAIL"* && ! -e "$LOG.failed" ]]; then
    touch "$LOG.failed"
    exit 1
fi
case "$*" in
image\\ inspect*Architecture*) echo "$ARCHITECTURE" ;;
image\\ inspect*) echo "$DIGEST" ;;
*--net=none*\\ image\\ *)
    if [[ " $MISSING " == *" ${*: -1} "* ]]; then exit 1; fi
    echo "image/${*: -1}"
    ;;
*--entrypoint=grep*) exec [ "$MANAGED" = yes ] ;;
*--entrypoint=cat*release-metadata) echo '{"version":"4.19.24"}' ;;
*--entrypoint=cat*) echo "$IMAGES" ;;
esac
for argument; do
    case $argument in
    --asset-output-dir=/assets/* | --output-dir=/assets/* | --dest-dir=/assets/*)
        folder=${argument#*=/assets/}
        case $folder in
        kube-controller-manager-bootstrap) files="config cpc-config bootstrap-manifests/pod.yaml tls/sa.key" ;;
        etcd-bootstrap)
            files="bootstrap-manifests/etcd-member-pod.yaml etc-kubernetes/manifests/etcd-member-pod.yaml tls/made.crt
                bootstrap-manifests/secrets/etcd-all-serving/pair bootstrap-manifests/secrets/etcd-all-peer/pair"
            ;;
        mco-bootstrap) files="bootstrap/manifests/pool.yaml bootstrap/machineconfigoperator-bootstrap-pod.yaml" ;;
        cvo-bootstrap) files="bootstrap/bootstrap-pod.yaml" ;;
        *) files="config cpc-config bootstrap-manifests/$folder-pod.yaml" ;;
        esac
        for file in $files "manifests/$folder.yaml"; do
            file=$folder/$file
            mkdir -p "${file%/*}"
            echo "$folder" >"$file"
        done
        # From 4.16 on the config operator makes the folder, but nothing in it.
        if [[ $folder = config-bootstrap && $MINOR -ge 16 ]]; then rm "$file"; fi
        ;;
    esac
done
"""
_OTHER = """\
#!/usr/bin/env bash
echo "${0##*/} $*" >>"$LOG"
if [[ -n "$FAIL" && "$*" == *"$FAIL"* && ! -e "$LOG.failed" ]]; then
    touch "$LOG.failed"
    exit 1
fi
case "$*" in
*get\\ configmap*) echo "$STATUS" ;;
refs*--create=*) ;;
refs*) echo "$REFS" ;;
admin\\ config-diff) echo "M    hostname" ;;
esac
for argument; do
    # What a shell writes into a file of its own.
    case $argument in --skip-list=*) echo "skips $(cat "${argument#*=}")" >>"$LOG" ;; esac
done
"""
# What a release says of its images, as far as the scripts read it.
IMAGES = {
    "spec": {
        "tags": [
            {"name": "agent", "annotations": {}},
            {"name": "rhel-coreos", "annotations": {"io.openshift.build.versions": "machine-os=9.6.20251015-1"}},
            {"name": "hyperkube", "annotations": {"io.openshift.build.versions": "kubernetes=1.32.9,kubectl=1.32.1"}},
            {"name": "tests"},
        ]
    }
}
# The last message of a unit, for the program that records its failure.
_JOURNAL = "#!/usr/bin/env bash\necho 'what the unit said'\n"


def known(flavour: str, version: str = "") -> dict[str, Content]:
    """Return the inputs of a cluster's graph, for a release of a flavour."""
    given = example.given(version=version or VERSIONS[flavour])
    given["release-image"] |= {"flavour": flavour, "pullspec": "quay.io/ocp/release:4"}
    return given


def script(name: str, flavour: str, version: str = "") -> str:
    """Return a script of the bootstrap machine."""
    row = next(row for row in host_files.ROWS if row.path == f"/usr/local/bin/{name}")
    return row.text(known(flavour, version))


@dataclass
class Machine:
    """The machine.

    Args:
        root: folder with its file system.
        flavour: flavour of its release.
        settings: behaviour of its programs: FAIL, MISSING, MANAGED, DIGEST, ARCHITECTURE, STATUS, REFS, IMAGES.
    """

    root: Path
    flavour: str
    version: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("manifests", "openshift", "tls", "auth"):
            (self.home / name).mkdir(parents=True)
        for file in (
            "manifests/cloud-provider-config.yaml",
            "original_cvo_overrides.patch",
            "openshift/secret.yaml",
            "auth/kubeconfig-loopback",
            "auth/kubeconfig-kubelet",
            *(f"tls/{name}" for name in ("etcd-ca-bundle.crt", "etcd-metric-ca-bundle.crt")),
            *(f"tls/machine-config-server.{suffix}" for suffix in ("crt", "key")),
        ):
            (self.home / file).write_text(file)
        (self.home / "manifests/etcd-host-service-endpoints.yaml").write_text(
            "- addresses:\n  - hostname: etcd-0\n    ip: 192.0.2.1\n"
            "  - hostname: etcd-bootstrap\n    ip: __BOOTSTRAP_IP__\n  ports: []\n"
        )
        programs = self.root / "programs"
        programs.mkdir()
        others = ("oc", "sleep", "ostree", "mount", "rsync", "semodule", "rpm")
        for name, text in (("podman", _PODMAN), ("journalctl", _JOURNAL), *((name, _OTHER) for name in others)):
            (programs / name).write_text(text)
            (programs / name).chmod(0o555)

    @property
    def home(self) -> Path:
        """The folder for /opt/openshift."""
        return self.root / "opt/openshift"

    def path(self, name: str) -> Path:
        """Return a file of the machine by its absolute name."""
        return self.root / name.removeprefix("/")

    def run(self, name: str, *arguments: str) -> int:
        """Run a script to its end; return its exit code."""
        for each in {name, *LIBRARIES}:
            text = script(each, self.flavour, self.version)
            for prefix in _ROOTS:
                text = text.replace(prefix, f"{self.root}{prefix}")
            file = self.path(f"/usr/local/bin/{each}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        environment = {
            "PATH": f"{self.root / 'programs'}:{os.environ['PATH']}",
            "LOG": str(self.root / "log"),
            "DIGEST": "quay.io/ocp/release@sha256:1",
            "ARCHITECTURE": "amd64",
            "FAIL": "",
            "MISSING": "",
            "MANAGED": "",
            "STATUS": "",
            "REFS": "",
            "IMAGES": json.dumps(IMAGES),
            "MINOR": (self.version or VERSIONS[self.flavour]).split(".")[1],
        }
        bash = shutil.which("bash") or "bash"
        file = self.path(f"/usr/local/bin/{name}")
        done = subprocess.run(
            [bash, str(file), *arguments], env=environment | self.settings, cwd=self.home, check=False, timeout=200
        )
        return done.returncode

    @property
    def calls(self) -> list[str]:
        """How programs were called, in order."""
        log = self.root / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line.replace(str(self.root), "") for line in lines]

    def forget(self) -> None:
        """Clear the list of calls."""
        for name in ("log", "log.failed"):
            (self.root / name).unlink(missing_ok=True)

    @property
    def programs(self) -> list[str]:
        """Return the components of the release that ran, in order; "" is the release image itself."""
        runs = [line for line in self.calls if line.startswith("podman run") and "--net=host" in line]
        return [next((word for word in line.split() if word.startswith("image/")), "image/")[6:] for line in runs]

    def call(self, component: str) -> str:
        """Return the last call of a component."""
        return next(line for line in reversed(self.calls) if f" image/{component} " in f"{line} " and "host" in line)
