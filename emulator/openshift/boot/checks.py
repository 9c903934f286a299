"""The checks on which a bootstrap machine's programs can fail, in one table, given its files, its image and the time.

The stages are the timeline's rows, and a running cluster makes the checks of a row when the row is due. Everything that
needs the network or other machines is in `cluster/bootstrap.py`.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from emulator.openshift.boot import bootkube, host_system, timeline
from emulator.openshift.boot import certificate_checks as certificates
from emulator.openshift.boot import manifest_checks as manifests
from emulator.openshift.boot.ignition import IgnitionError
from emulator.openshift.boot.installation import Check, Installation, InstallationError

# The stages before the first row, and after the last one, when clients elsewhere use what the machine has made.
IGNITION, OUTSIDE = "ignition", "outside"
_SHAPES = (LookupError, TypeError, ValueError, AttributeError)


class Problem(NamedTuple):
    """The stage that fails, and the message of its program."""

    stage: str
    message: str


CHECKS: dict[str, tuple[Check, ...]] = {
    IGNITION: (host_system.permissions, host_system.first_boot),
    "release-image": (host_system.runs("release-image.service"), host_system.authorities, host_system.pull),
    "image-names": (
        host_system.node_image,
        host_system.runs("kubelet.service", "bootkube.service"),
        bootkube.check_images,
    ),
    "cvo-bootstrap": (certificates.kubeconfig_works("auth/kubeconfig-loopback"),),
    "etcd-signer": (certificates.etcd_signer("kube-etcd-signer-server"), certificates.metric_signer),
    "etcd-bootstrap": (
        certificates.etcd_signer("cluster-etcd-operator render"),
        manifests.etcd_member,
        manifests.infrastructure,
    ),
    "config-bootstrap": (manifests.infrastructure, manifests.cloud_config),
    "kube-apiserver-bootstrap": (
        certificates.api_server_objects,
        certificates.token_signer,
        certificates.first_clients,
        manifests.services,
    ),
    "kube-controller-manager-bootstrap": (certificates.controller_objects, manifests.services),
    "mco-bootstrap": (
        manifests.machine_configs,
        certificates.kubeconfig_works("auth/kubeconfig-kubelet", "api-int"),
    ),
    "machine-config-server": (certificates.machine_config_server,),
    "cco-bootstrap": (manifests.credentials_mode,),
    "etcd": (certificates.etcd_client,),
    "temporary-api": (manifests.nothing_left, certificates.api_server),
    "manifests": (
        certificates.reaches("cluster-bootstrap", "auth/kubeconfig-loopback", "kube-apiserver-localhost-server"),
        certificates.controllers,
        manifests.objects,
        manifests.version,
    ),
    "masters": (
        host_system.runs("approve-csr.service"),
        certificates.reaches("kubelet", "auth/kubeconfig-kubelet", "kube-apiserver-internal-lb-server", "api-int"),
        certificates.service_address,
        manifests.awaited,
    ),
    "bootstrap-complete": (
        manifests.patches,
        host_system.runs("progress.service"),
        certificates.kubeconfig_works("auth/kubeconfig", "api-int"),
        certificates.reaches("progress.service", "auth/kubeconfig", "kube-apiserver-internal-lb-server", "api-int"),
    ),
    OUTSIDE: (certificates.outside,),
}


def boot_check(texts: list[str], image: str, now: datetime) -> list[Problem]:
    """Return the problems that a bootstrap machine would meet, in the order of its stages."""
    try:
        installation = Installation.read(texts, image)
    except IgnitionError as error:
        return [Problem(IGNITION, str(error))]
    return list(problems(installation, now))


def problems(installation: Installation, now: datetime) -> Iterator[Problem]:
    """Yield the problems that a machine with these files would meet, in the order of its stages."""
    rows = [row.name for row in timeline.BOOTSTRAP if installation.flavour in row.flavours]
    for stage in (IGNITION, *rows, OUTSIDE):
        for message in stage_problems(installation, stage, now):
            yield Problem(stage, message)


def stage_problems(installation: Installation, stage: str, now: datetime) -> Iterator[str]:
    """Yield the problems of one stage: first those of its script, then those of what its programs read."""
    yield from bootkube.check_stage(installation, stage)
    for check in CHECKS.get(stage, ()):
        try:
            yield from check(installation, now)
        except InstallationError as error:
            yield str(error)
        except _SHAPES as error:
            # The message of the error may quote the file.
            yield f"{stage}: panic: a file has another shape: {type(error).__name__}"
