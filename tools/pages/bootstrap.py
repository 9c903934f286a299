"""docs/bootstrap.md: the stages of the bootstrap machine, by flavour."""

import re
from dataclasses import replace

from installer.bootstrap.stage import FLAVOURS, FOLDERS, ROOT, Copy, Stage
from installer.bootstrap.stages import IMAGES, RELEASE, STAGES
from installer.release.releases import EVERY, Releases
from tools.pages.markdown import code, table

_HEAD = f"""\
# The bootstrap machine

Written by `make docs` from `installer/bootstrap/stages.py`, from which `bootkube.sh` is made too; a test compares the emulated machine with it. How the machine comes to its ignition stands in [design.md](design.md).

The network is there, `release-image-download.sh` pulls the release image, the container runtime and the kubelet start, then `bootkube.sh` finds the images of the release by their names and goes through the stages below. It begins with the folders {code(FOLDERS)}. Relative paths are below `{ROOT}`, which containers see as `/assets`. A stage that is done leaves its marker and is left out when the unit starts the script again, five seconds after a failure. `report-progress.sh` sees the last marker and writes the ConfigMap `kube-system/bootstrap`, for which the service waits.

## Flavours

{{flavours}}

A flavour is a member of the catalogue's entry of a version. A, T, B, and C up to 4.10 have the stages of upstream's script. Of 4.11 to 4.19 the table has what a program would end at, as changes of that script and other callers of the programs tell it: arguments, images, and the program that renders the definitions of the cluster's configuration. What only node tuning renders is left out, and the machine's image has to bring its kubelet, its container runtime and the command line client.

## Stages

In parentheses: the only flavours that have it, and from or before which release.

{{stages}}

In order:

{{order}}

## Images

Each is looked up before the first stage. A release that lacks one cannot be installed, but for those with a word that stands for it.

{{images}}
"""
_PLATFORM = re.compile(r"mco-bootstrap/(?!bootstrap/|manifests/)[a-z]+/")
_WHAT = {
    "A": ("up to 4.3", "on the masters, which get their certificates from a signer on this machine's port 6443"),
    "T": ("4.4, 4.5", "a member on this machine when the release's operator is managed, else as A; the signer runs"),
    "B": ("4.6, 4.7", "a member on this machine, certificates from the operator's rendering; masters join it"),
    "C": ("from 4.8", "as B; the operator says itself where its files go, and stages are recorded for log collectors"),
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
        images=table(("image", "variable", "what stands for it"), images),
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
        # A command of several lines is one.
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
    # A platform's own are many rows and say one thing.
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
