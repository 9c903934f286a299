"""A small release for rehearsals: programs that are shell scripts, and the ignition of a machine that runs them."""

from collections.abc import Mapping
from pathlib import Path

from tests.bootstrap_ignition import Cluster
from tests.product.unit.installer.bootstrap.machine import script
from tools.rehearse.programs import PROGRAMS

VERSION, RELEASE = "4.19.24", "quay.io/openshift-release-dev/ocp-release@sha256:" + "5" * 64
# As a release's own script begins, whether the installer's or ours.
BEGINNING = """\
set -Eeuo pipefail
. /usr/local/bin/bootstrap-service-record.sh bootkube
. /usr/local/bin/release-image.sh
mkdir --parents /etc/kubernetes/manifests
render() { podman run --quiet --net=host --rm --volume "$PWD:/assets:z" "$@"; }
CONFIG_IMAGE=$(image_for cluster-config-operator)
ETCD_IMAGE=$(image_for cluster-etcd-operator)
MACHINES_IMAGE=$(image_for machine-config-operator)
MEMBER_IMAGE=$(image_for etcd)
"""
# Both spellings of a stage are there.
_STAGES = """\
if [ ! -f config-bootstrap.done ]
then
    begin_stage config-bootstrap
    render "${CONFIG_IMAGE}" /usr/bin/cluster-config-operator render --to=/assets/config-bootstrap
    cp config-bootstrap/* manifests/
    touch config-bootstrap.done
    end_stage
fi
if [[ ! -f etcd-bootstrap.done ]]; then
    begin_stage "etcd-bootstrap"
    render "${ETCD_IMAGE}" render --to=/assets/etcd-bootstrap
    touch etcd-bootstrap.done
    end_stage
fi
if [[ ! -f mco-bootstrap.done ]]; then
    begin_stage mco-bootstrap
    podman run --rm --net=none --entrypoint="cat" "${RELEASE_IMAGE_DIGEST}" /release-manifests/image-references >list
    render "${MACHINES_IMAGE}" bootstrap --list=/assets/list
    touch mco-bootstrap.done
    end_stage
fi
until podman run --name etcdctl --entrypoint etcdctl "${MEMBER_IMAGE}" endpoint health; do
    sleep 5
done
"""
_PROGRAM = """\
#!/bin/bash
[[ "$1" == render ]] || { echo "unknown verb $1" >&2; exit 2; }
mkdir "${2#--to=}"
echo "kind: Made" >"${2#--to=}/made.yaml"
"""
_MACHINES = """\
#!/bin/bash
jq --exit-status '.spec.tags[] | select(.name == "rhel-coreos")' /assets/list >/dev/null || exit 1
cat >/etc/kubernetes/manifests/machines.yaml <<EOF
kind: Pod
spec:
  initContainers:
  - {command: [/usr/bin/machine-config-controller], args: [bootstrap]}
EOF
"""
# Makes what its flags name, as each program of a release does for its stage.
_ACCEPTING = """\
#!/bin/bash
for flag; do
    value="${flag#*=}"
    case "${flag}" in
    --asset-output-dir=* | --output-dir=* | --dest-dir=*)
        for folder in manifests bootstrap-manifests bootstrap bootstrap/manifests tls etc-kubernetes; do
            mkdir --parents "${value}/${folder}"
            echo "kind: Made" >"${value}/${folder}/made-by-${0##*/}.yaml"
        done
        echo "kind: Made" >"${value}/made-by-${0##*/}.yaml"
        echo "kind: Pod" >"${value}/bootstrap/machineconfigoperator-bootstrap-pod.yaml"
        ;;
    --config-output-file=* | --cpc-config-output-file=* | --cloud-provider-config-output-file=*)
        echo "kind: Made" >"${value}"
        ;;
    esac
done
"""
_CONTROLLER = """\
#!/bin/bash
[[ "$*" == bootstrap ]] && cat /etc/mcc/templates/pool
"""


def ignition(beginning: str = BEGINNING, *, network: str = "10.1.0.0/16") -> str:
    """Return the ignition of a bootstrap machine with three stages.

    Args:
        beginning: beginning of its script.
        network: its machine network.
    """
    cluster = Cluster("c1.example.com")
    path = "manifests/cluster-config.yaml"
    cluster.files[path] = cluster.files[path].replace("127.0.0.0/8", network)
    cluster.files |= {
        "/usr/local/bin/bootkube.sh": f"#!/bin/bash\ncd /opt/openshift\n{beginning}{_STAGES}",
        "/usr/local/bin/release-image.sh": script("release-image.sh", "C", VERSION).replace(
            "release=quay.io/ocp/release:4", f"release={RELEASE}"
        ),
        "/usr/local/bin/bootstrap-service-record.sh": script("bootstrap-service-record.sh", "C", VERSION),
    }
    return cluster.bootstrap()


def accepting(folder: Path) -> Path:
    """Write programs that accept whatever a stage asks of them into a new folder; return it."""
    return programs(folder, {program.name: _ACCEPTING for program in PROGRAMS})


def programs(folder: Path, others: Mapping[str, str | None] | None = None) -> Path:
    """Write the release's programs into a new folder; return it.

    Args:
        folder: the folder.
        others: by name, programs to write instead; None for one that is not given.
    """
    texts: dict[str, str | None] = {
        "cluster-config-operator": _PROGRAM,
        "cluster-etcd-operator": _PROGRAM,
        "machine-config-operator": _MACHINES,
        "machine-config-controller": _CONTROLLER,
        **(others or {}),
    }
    templates = folder / "machine-config-controller.files" / "etc/mcc/templates"
    templates.mkdir(parents=True)
    (templates / "pool").write_text("the pool's template", encoding="utf-8")
    for name, text in texts.items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
    return folder
