"""The flags of the bootstrap machine's kubelet, a row for each. It has no cluster and runs the pods of a folder.

Source: openshift/installer 4.3 to 4.10, `data/data/bootstrap/systemd/units/kubelet.service.template`.
"""

from installer.graph import Content
from installer.release.releases import EVERY, WITH_PAUSE_IMAGE, Releases

FOLDERS = ("/etc/kubernetes/manifests", "/etc/kubernetes/kubelet-plugins/volume/exec")
# In these releases a script starts it, which records when it begins and ends.
WITH_SCRIPT = Releases("C")
PAUSE_IMAGE = "--pod-infra-container-image"

_ROWS = (
    # Kubernetes 1.27, in OpenShift 4.14, removed the flag when no other runtime was left.
    ("--container-runtime=remote", Releases(until=(4, 14))),
    ("--container-runtime-endpoint=unix:///var/run/crio/crio.sock", EVERY),
    ("--runtime-request-timeout=10m", EVERY),
    (f"--pod-manifest-path={FOLDERS[0]}", EVERY),
    (f"--volume-plugin-dir={FOLDERS[1]}", EVERY),
    ("--minimum-container-ttl-duration=6m0s", EVERY),
    ("--cluster-domain=cluster.local", EVERY),
    ("--cgroup-driver=systemd", EVERY),
    ("--serialize-image-pulls=false", EVERY),
    ("--v=2", EVERY),
    ("--anonymous-auth=false", Releases(since=(4, 7))),
)


def flags(release: Content) -> list[str]:
    """Return the flags of a release's kubelet, except the pause image's."""
    return [flag for flag, releases in _ROWS if release in releases]


def command(release: Content) -> list[str]:
    """Return the command that its unit starts."""
    if release in WITH_SCRIPT:
        return ["/usr/local/bin/kubelet.sh"]
    image = [f"{PAUSE_IMAGE}=${{MACHINE_CONFIG_INFRA_IMAGE}}"] if release in WITH_PAUSE_IMAGE else []
    return ["/usr/bin/hyperkube kubelet", *flags(release), *image]
