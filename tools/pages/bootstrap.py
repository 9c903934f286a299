"""docs/bootstrap.md: the stages of the bootstrap machine, by flavour."""

import re
from dataclasses import replace

from installer.bootstrap.stage import FLAVOURS, FOLDERS, ROOT, Copy, Stage
from installer.bootstrap.stages import IMAGES, RELEASE, STAGES
from installer.release.releases import EVERY, Releases
from tools.pages.markdown import code, table

_HEAD = f"""\
# The bootstrap machine

This page shows what the bootstrap machine does at boot, stage by stage, for people who debug a create or support a new release. `make docs` writes it from `installer/bootstrap/stages.py`. `bootkube.sh` is generated from the same table, and a test compares the emulated machine with it. [documents.md](documents.md#cluster-document) says how long it may fetch its ignition (`install.now`).

Once the network is up, `release-image-download.sh` pulls the release image. The container runtime and the kubelet start. Then `bootkube.sh` looks up the images of the release by their names and runs the stages below. It first creates the folders {code(FOLDERS)}. Relative paths are below `{ROOT}`, which containers see as `/assets`.

A stage that is done leaves a marker. If the script fails, its unit starts it again after five seconds, and it skips stages that have a marker. `report-progress.sh` sees the last marker and writes the ConfigMap `kube-system/bootstrap`, which the service waits for.

## Flavours

{{flavours}}

The catalogue's entry of a version names its flavour. A, T, B, and C up to 4.10 have the stages of upstream's script.

From 4.11 on, the table covers only the changes without which a program would fail: arguments, images, and the program that renders the definitions of the cluster's configuration. They come from changes to that script, from other callers of these programs, and from the programs' sources. What only node tuning renders is left out. From 4.19 on, the boot image has no kubelet, container runtime or command line client: `node-image-pull.sh` and `node-image-overlay.sh` first lay the release's own system over it.

## Stages

Parentheses name the flavours that have a stage, if not all of them do, and the release from which or before which it exists.

{{stages}}

In order:

{{order}}

## Images

The script looks up every image before the first stage. A release that lacks one cannot be installed, unless the table names a substitute.

{{images}}
"""
_PLATFORM = re.compile(r"mco-bootstrap/(?!bootstrap/|manifests/)[a-z]+/")
_WHAT = {
    "A": ("up to 4.3", "on the masters, which get their certificates from a signer on this machine's port 6443"),
    "T": ("4.4, 4.5", "a member on this machine if the release's operator is managed, otherwise as A; the signer runs"),
    "B": ("4.6, 4.7", "a member on this machine, with certificates that the operator renders; masters join it"),
    "C": ("from 4.8", "as B; the operator decides where its files go, and stages are recorded for log collectors"),
}


def page() -> str:
    """Return the whole page."""
    flavours = [(f"`{flavour}`", *_WHAT[flavour]) for flavour in FLAVOURS]
    images = [
        (
            f"`{image.component}`{_only(image.releases)}",
            f"`{image.variable}`",
            f"`{image.absent}`{_only(image.absent_in)}" if image.absent else "",
        )
        for image in IMAGES
    ]
    return _HEAD.format(
        flavours=table(("flavour", "releases", "etcd during bootstrap"), flavours),
        order="\n".join(f"* `{flavour}`: {_order(flavour)}" for flavour in FLAVOURS),
        stages=table(
            ("stage", "runs", "reads", "then", "waits for", "marker", "seen from outside"),
            [_cells(stage) for stage in STAGES],
        ),
        images=table(("image", "variable", "substitute"), images),
    )


def _order(flavour: str) -> str:
    having = [stage for stage in STAGES if flavour in stage.releases.flavours]
    return ", ".join(
        dict.fromkeys(f"{stage.name}{_only(replace(stage.releases, flavours=FLAVOURS))}" for stage in having)
    )


def _cells(stage: Stage) -> tuple[str, ...]:
    managed = {"yes": "; T: if managed", "no": "; T: unless managed", "": ""}[
        stage.when if "T" in stage.releases.flavours else ""
    ]
    return (
        f"`{stage.name}`{_only(stage.releases)}{managed}",
        _runs(stage),
        code(sorted(_reads(stage))),
        "; ".join(dict.fromkeys(_copy(one) for one in stage.copies)),
        stage.waits,
        f"`{stage.marker}`" if stage.marker else "none",
        ", ".join(stage.shows),
    )


def _runs(stage: Stage) -> str:
    if not stage.image:
        # Show a command that spans several lines on one.
        return code([" ".join(" ".join(stage.first).replace("\\", "").split())] if stage.first else [])
    component = next((image.component for image in IMAGES if image.variable == stage.image), "the release image")
    how = {"once": "", "until": ", until it succeeds", "background": ", in the background"}[stage.how]
    image = component if stage.image == RELEASE else f"`{component}`"
    return f"{image}: {code([' '.join(stage.command)])}{how}"


def _reads(stage: Stage) -> set[str]:
    """Return the files of the ignition that a stage reads in any flavour."""
    flags = " ".join(flag.value for flag in stage.flags)
    found = re.findall(r"(?:/assets|\$\{PWD\})/((?:tls|manifests|auth)/[\w./-]+)", flags)
    return {*found, *stage.needs}


def _copy(one: Copy) -> str:
    # The files of single platforms have many rows; one line covers them.
    source = _PLATFORM.sub("mco-bootstrap/<platform>/", one.source)
    if source != one.source:
        return f"`{source}` to `{one.target}`, for platforms that have them (Azure has none)"
    return f"`{source}` to `{one.target}`{', if there' if one.optional else ''}{_only(one.releases)}"


def _only(releases: Releases) -> str:
    parts = [] if releases.flavours == FLAVOURS else [", ".join(releases.flavours)]
    if releases.since != EVERY.since:
        parts.append("from {}.{}".format(*releases.since))
    if releases.until != EVERY.until:
        parts.append("before {}.{}".format(*releases.until))
    return f" ({'; '.join(parts)})" if parts else ""
