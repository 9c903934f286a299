"""The bootstrap machine's systemd units: a row for each, in the order of their dependencies.

The network is online, the release image pulled, the container runtime configured with it, the kubelet ready, bootkube
started. Joining machines are admitted, and the end is reported. A drop-in is a row that names its unit.

From 4.19 on, the system that has the kubelet is brought first: a generator (`host_files.py`) has systemd start with a
target of its own, whose last unit goes on to the usual one.

Source: openshift/installer 4.3 to 4.10, `data/data/bootstrap/systemd/units`: names, order and who starts whom; and
7e30b7d6 (4.19), `data/data/bootstrap/files/etc/systemd/system`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from installer.bootstrap import kubelet
from installer.bootstrap.stage import DONE, ROOT
from installer.graph import Asset, Content, Inputs
from installer.ignition import ignition
from installer.release.releases import EVERY, WITH_NODE_IMAGE, WITH_PAUSE_IMAGE, Releases

_RELEASE = "release-image"


@dataclass(frozen=True)
class Row:
    """A unit.

    Args:
        name: with its type.
        text: its text; None leaves it as the image has it.
        enabled: whether it starts with the machine; None if another unit starts it.
        dropins: name and text of additions to the image's unit.
        releases: the releases that have it.
    """

    name: str
    text: Callable[[Content], str] | None = None
    enabled: bool | None = None
    dropins: tuple[tuple[str, str], ...] = ()
    releases: Releases = EVERY

    @property
    def path(self) -> str:
        """The path from which systemd reads it."""
        return f"{ignition.UNITS}/{self.name}"

    def dropin_path(self, name: str) -> str:
        """The path from which systemd reads an addition to it."""
        return f"{self.path}.d/{name}"


def _unit(*sections: tuple[str, tuple[str, ...]]) -> str:
    return "\n".join("\n".join((f"[{name}]", *lines, "")) for name, lines in sections)


def _install(wanted_by: str) -> tuple[str, tuple[str, ...]]:
    return "Install", (f"WantedBy={wanted_by}",)


def _release_image(_release: Content) -> str:
    return _unit(
        (
            "Unit",
            (
                "Description=Pull the release image",
                "Wants=network-online.target",
                "After=network-online.target",
            ),
        ),
        (
            "Service",
            ("Type=oneshot", "RemainAfterExit=true", "ExecStart=/usr/local/bin/release-image-download.sh"),
        ),
    )


def _crio_configure(release: Content) -> str:
    sections = [
        (
            "Unit",
            (
                "Description=Have the container runtime use the release's pause image",
                "Requires=release-image.service",
                "After=release-image.service",
                "Before=crio.service",
            ),
        ),
        ("Service", ("Type=oneshot", "RemainAfterExit=true", "ExecStart=/usr/local/bin/crio-configure.sh")),
    ]
    if release["flavour"] in "BC":
        sections.append(("Install", ("RequiredBy=crio.service",)))
    return _unit(*sections)


def _kubelet(release: Content) -> str:
    with_image = release in WITH_PAUSE_IMAGE
    image = " release-image.service" if with_image else ""
    service = ["Type=notify", *(f"ExecStartPre=/usr/bin/mkdir --parents {folder}" for folder in kubelet.FOLDERS)]
    if with_image:
        service += [
            "ExecStartPre=/usr/local/bin/kubelet-pause-image.sh",
            "EnvironmentFile=-/etc/kubernetes/kubelet-pause-image-override",
        ]
    if release in kubelet.WITH_SCRIPT:
        # The script starts it as a child, and reports when it is ready.
        service.insert(1, "NotifyAccess=all")
    service += [
        "EnvironmentFile=-/etc/kubernetes/kubelet-env",
        "ExecStart=" + " \\\n    ".join(kubelet.command(release)),
        "Restart=always",
        "RestartSec=10",
    ]
    return _unit(
        (
            "Unit",
            (
                "Description=Kubernetes kubelet, on its own",
                f"Wants=rpc-statd.service crio.service{image}",
                f"After=crio.service{image}",
            ),
        ),
        ("Service", tuple(service)),
        _install("multi-user.target"),
    )


def _bootkube(_release: Content) -> str:
    return _unit(
        (
            "Unit",
            (
                "Description=Start the cluster's first control plane",
                "Requires=crio-configure.service",
                "Wants=kubelet.service",
                "After=kubelet.service crio-configure.service",
                f"ConditionPathExists=!{ROOT}/{DONE}",
            ),
        ),
        (
            "Service",
            (
                f"WorkingDirectory={ROOT}",
                "ExecStart=/usr/local/bin/bootkube.sh",
                "Restart=on-failure",
                "RestartSec=5s",
            ),
        ),
    )


def _beside_bootkube(description: str, command: str) -> Callable[[Content], str]:
    """Return a unit that starts once bootkube has started, and is restarted if it fails."""
    text = _unit(
        ("Unit", (f"Description={description}", "Wants=bootkube.service", "After=bootkube.service")),
        ("Service", (f"ExecStart={command}", "Restart=on-failure", "RestartSec=5s")),
        _install("multi-user.target"),
    )
    return lambda _release: text


def _gateway_key(_release: Content) -> str:
    user, add = "systemd-journal-gateway", "useradd --system --no-create-home --shell /sbin/nologin"
    return _unit(
        (
            "Unit",
            (
                "Description=Give the journal gateway its key",
                "Before=systemd-journal-gatewayd.service",
            ),
        ),
        (
            "Service",
            (
                "Type=oneshot",
                "RemainAfterExit=true",
                "# The image makes the user only when the gateway starts, which is too late.",
                f"ExecStart=/bin/sh -c 'getent passwd {user} >/dev/null || {add} {user}'",
                f"ExecStart=/usr/bin/chown {user} {ROOT}/tls/journal-gatewayd.crt {ROOT}/tls/journal-gatewayd.key",
            ),
        ),
        _install("multi-user.target"),
    )


# The first, empty line removes the image's command.
_GATEWAY_CERTIFICATES = _unit(
    (
        "Service",
        (
            "ExecStart=",
            "ExecStart=/usr/lib/systemd/systemd-journal-gatewayd \\",
            f"    --cert={ROOT}/tls/journal-gatewayd.crt \\",
            f"    --key={ROOT}/tls/journal-gatewayd.key \\",
            f"    --trust={ROOT}/tls/root-ca.crt",
        ),
    )
)

_PULL, _OVERLAY, _FINISH = (f"node-image-{name}.service" for name in ("pull", "overlay", "finish"))


def _node_image_pull(_release: Content) -> str:
    script = "/usr/local/bin/node-image-pull.sh"
    return _unit(
        (
            "Unit",
            (
                "Description=Pull the release's own system",
                "Requires=network.target NetworkManager.service",
                "After=network.target",
            ),
        ),
        (
            "Service",
            (
                "Type=oneshot",
                "RemainAfterExit=true",
                "MountFlags=slave",
                "# Only a program with this label may start the ones that install systems.",
                f"ExecStartPre=/usr/bin/chcon --reference=/usr/bin/ostree {script}",
                f"ExecStart={script}",
            ),
        ),
    )


def _node_image_overlay(_release: Content) -> str:
    return _unit(
        ("Unit", ("Description=Lay the release's own system over this one", f"Requires={_PULL}", f"After={_PULL}")),
        ("Service", ("Type=oneshot", "RemainAfterExit=true", "ExecStart=/usr/local/bin/node-image-overlay.sh")),
    )


def _node_image_finish(_release: Content) -> str:
    return _unit(
        (
            "Unit",
            ("Description=Start the rest of the release's own system", f"Requires={_OVERLAY}", f"After={_OVERLAY}"),
        ),
        ("Service", ("Type=oneshot", "ExecStart=/usr/bin/systemctl --no-block isolate multi-user.target")),
    )


def _node_image_target(_release: Content) -> str:
    # People who look for what is wrong come by ssh or by the console.
    others = "basic.target sshd.service getty.target systemd-user-sessions.service"
    return _unit(
        ("Unit", ("Description=Bring the release's own system", f"Requires={others}", f"Requires={_OVERLAY} {_FINISH}"))
    )


ROWS = (
    Row(
        "approve-csr.service",
        _beside_bootkube(
            "Let the cluster's machines join", f"/usr/local/bin/approve-csr.sh {ROOT}/auth/kubeconfig-loopback"
        ),
        enabled=True,
    ),
    Row("bootkube.service", _bootkube),
    Row("chown-gatewayd-key.service", _gateway_key, enabled=True),
    Row("crio-configure.service", _crio_configure),
    Row("kubelet.service", _kubelet, enabled=True),
    Row(_FINISH, _node_image_finish, releases=WITH_NODE_IMAGE),
    Row(_OVERLAY, _node_image_overlay, releases=WITH_NODE_IMAGE),
    Row("node-image-overlay.target", _node_image_target, releases=WITH_NODE_IMAGE),
    Row(_PULL, _node_image_pull, releases=WITH_NODE_IMAGE),
    Row(
        "progress.service",
        _beside_bootkube(
            "Report that the bootstrap machine is done", f"/usr/local/bin/report-progress.sh {ROOT}/auth/kubeconfig"
        ),
        enabled=True,
    ),
    Row("release-image.service", _release_image),
    Row("systemd-journal-gatewayd.service", dropins=(("certs.conf", _GATEWAY_CERTIFICATES),)),
    Row("systemd-journal-gatewayd.socket", enabled=True),
)


def _asset(row: Row) -> Asset:
    paths = (row.path,) if row.text else tuple(row.dropin_path(name) for name, _ in row.dropins)

    def make(inputs: Inputs) -> Content:
        release = inputs[_RELEASE]
        if release not in row.releases:
            return {}
        if row.text:
            return {row.path: row.text(release)}
        return {row.dropin_path(name): text for name, text in row.dropins}

    return Asset(row.path, paths, (_RELEASE,), make)


def units(inputs: Inputs) -> list[ignition.Unit]:
    """Return the units that a release has, as entries of the ignition."""
    return [
        ignition.Unit(
            row.name,
            inputs[row.path].get(row.path, ""),
            row.enabled,
            tuple((name, inputs[row.path][row.dropin_path(name)]) for name, _ in row.dropins),
        )
        for row in ROWS
        if inputs[_RELEASE] in row.releases
    ]


ASSETS = tuple(_asset(row) for row in ROWS)
