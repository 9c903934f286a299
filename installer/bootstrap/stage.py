"""The type of a stage of the bootstrap machine. Relative paths are below /opt/openshift."""

from dataclasses import dataclass
from typing import Literal

from installer.release.releases import EVERY, Releases

ROOT = "/opt/openshift"
KUBERNETES = "/etc/kubernetes"
# They exist before the first stage; the third is never filled.
FOLDERS = (f"{KUBERNETES}/manifests", f"{KUBERNETES}/bootstrap-configs", f"{KUBERNETES}/bootstrap-manifests")
MANIFESTS, PODS = "manifests/", "bootstrap-manifests/"
STATIC_PODS = f"{KUBERNETES}/manifests/"
FLAVOURS = "ATBC"
DONE = ".bootkube.done"
# Variables in which the script stores what it finds out: the members of etcd; in flavour T, "yes" if the operator is
# managed; the release's name; and the version of its Kubernetes.
ETCD_ENDPOINTS, ETCD_MANAGED, PAYLOAD_VERSION = "ETCD_ENDPOINTS", "ETCD_MANAGED", "PAYLOAD_VERSION"
KUBERNETES_VERSION = "KUBERNETES_VERSION"


@dataclass(frozen=True)
class Image:
    """An image of the release.

    Args:
        variable: its variable in the script.
        component: its name in the release.
        releases: the releases that ask for it.
        absent: the substitute in a release that has none; "" if that ends the script.
        absent_in: releases that tolerate its absence.
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
        releases: the releases that have it.
        where: file without which it is left out.
    """

    name: str
    value: str
    releases: Releases = EVERY
    where: str = ""


@dataclass(frozen=True)
class Copy:
    """Files to copy to where others look for them; a target that ends in a slash is a folder.

    Args:
        source: file or pattern.
        target: file or folder; made if it does not exist.
        releases: the releases that have it.
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
        name: name of the step, also in the journal.
        says: line of the journal.
        image: variable of the image that it runs; "" for none.
        how: once; until it succeeds, every five seconds; or in the background.
        container: its name. From flavour C on all have one; before that, only those that are removed by name.
        podman: options of the container.
        command: program and verb; empty for those of the image.
        flags: its arguments.
        output: folder that the program fills, which is emptied first; "" if it is kept.
        first: lines of shell before the program.
        copies: what is copied afterwards.
        needs: files of the ignition that it reads, besides those in flags.
        waits: what has to come true meanwhile.
        marker: file that marks it as done, so that a restart skips it; "" for a step that always runs.
        releases: the releases that have it, in this place.
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
