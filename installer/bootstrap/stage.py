"""What a stage of the bootstrap machine is. Relative paths are below /opt/openshift."""

from dataclasses import dataclass
from typing import Literal

from installer.release.releases import EVERY, Releases

ROOT = "/opt/openshift"
KUBERNETES = "/etc/kubernetes"
# They are there before the first stage; the third is never filled.
FOLDERS = (f"{KUBERNETES}/manifests", f"{KUBERNETES}/bootstrap-configs", f"{KUBERNETES}/bootstrap-manifests")
MANIFESTS, PODS = "manifests/", "bootstrap-manifests/"
STATIC_PODS = f"{KUBERNETES}/manifests/"
FLAVOURS = "ATBC"
DONE = ".bootkube.done"
# Where the script keeps what it finds out: the members of etcd, in flavour T "yes" where the operator is managed, and
# what the release calls itself.
ETCD_ENDPOINTS, ETCD_MANAGED, PAYLOAD_VERSION = "ETCD_ENDPOINTS", "ETCD_MANAGED", "PAYLOAD_VERSION"
# What can be seen from outside before the first stage.
BEFORE = ("release-image", "image-names")


@dataclass(frozen=True)
class Image:
    """An image of the release.

    Args:
        variable: of the script.
        component: its name in the release.
        releases: which ask for it.
        absent: what stands for it in a release that has none; "" where that ends the script.
        absent_in: releases in which its absence is borne.
    """

    variable: str
    component: str
    releases: Releases = EVERY
    absent: str = ""
    absent_in: Releases = EVERY


@dataclass(frozen=True)
class Flag:
    """An argument of a stage's program.

    Args:
        name: with its dashes.
        value: as the shell reads it between double quotes.
        releases: which have it.
        where: file without which it is left out.
    """

    name: str
    value: str
    releases: Releases = EVERY
    where: str = ""


@dataclass(frozen=True)
class Copy:
    """Files that go where others look for them; a target that ends in a slash is a folder.

    Args:
        source: file or pattern.
        target: file or folder; made where it is not there.
        releases: which have it.
        optional: whether they may be missing; otherwise that ends the script.
    """

    source: str
    target: str
    releases: Releases = EVERY
    optional: bool = False


@dataclass(frozen=True)
class Stage:
    """One step of the machine.

    Args:
        name: of the step, and of what stands in the journal.
        says: line of the journal.
        image: variable of the image that it runs; "" for none.
        how: once; until it succeeds, every five seconds; or in the background.
        container: its name. From flavour C on all have one, before that those alone that are removed by it.
        podman: options of the container.
        command: program and verb; nothing for those of the image.
        flags: its arguments.
        output: folder that the program fills, which is emptied before; "" where it is kept.
        first: lines of shell before the program.
        copies: what is copied afterwards.
        needs: files of the ignition that it reads, beside those in flags.
        waits: what has to come true meanwhile.
        marker: file that says that it is done, so that a restart leaves it out; "" for a step that is always taken.
        releases: which have it, in this place.
        when: value of `ETCD_MANAGED` for which flavour T has it; "" for both.
        shows: what can be seen of it from outside, in order.
    """

    name: str
    says: str
    image: str = ""
    how: Literal["once", "until", "background"] = "once"
    container: str = ""
    podman: tuple[str, ...] = ("--volume=${PWD}:/assets:z",)
    command: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    output: str = ""
    first: tuple[str, ...] = ()
    copies: tuple[Copy, ...] = ()
    needs: tuple[str, ...] = ()
    waits: str = ""
    marker: str = ""
    releases: Releases = EVERY
    when: str = ""
    shows: tuple[str, ...] = ()
