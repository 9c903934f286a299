"""Clusters by name: their ids, and the commands that people are told to run about them."""

import shlex
from dataclasses import dataclass

from aroctl.problems import wrong
from aroctl.settings import NAME, Settings

PROVIDER = "Microsoft.RedHatOpenShift"
TYPE = f"{PROVIDER}/openShiftClusters"
_PARTS = 9


@dataclass(frozen=True)
class Cluster:
    """A cluster, which need not exist.

    Args:
        subscription: id of its subscription.
        group: name of its resource group.
        name: its name.
        settings: what commands need not say.
    """

    subscription: str
    group: str
    name: str
    settings: Settings

    @property
    def id(self) -> str:
        """Its resource id."""
        return f"/subscriptions/{self.subscription}/resourceGroups/{self.group}/providers/{TYPE}/{self.name}"

    def command(self, verb: str, *words: str) -> str:
        """Return a command about it, to paste."""
        where = []
        if self.group != self.settings.resource_group:
            where += ["-g", self.group]
        if self.subscription != self.settings.subscription:
            where += ["--subscription", self.subscription]
        return shlex.join([NAME, verb, self.name, *words, *where])


def named(settings: Settings, name: str, group: str, subscription: str) -> Cluster:
    """Return the cluster that a command names.

    Args:
        settings: what the command need not say.
        name: its name, or its resource id.
        group: its resource group; "" for the configured one.
        subscription: its subscription; "" for the configured one.

    Raises:
        Problem: the name is not the id of a cluster, or no group is known.
    """
    if "/" in name:
        return _by_id(settings, name)
    group = group or settings.resource_group
    if not group:
        raise wrong(
            f"The resource group of '{name}' is not known.",
            f"Add --resource-group GROUP, or name it once: {NAME} configure --resource-group GROUP",
        )
    return Cluster(subscription or settings.subscription, group, name, settings)


def _by_id(settings: Settings, resource_id: str) -> Cluster:
    parts = resource_id.split("/")
    words = [part.lower() for part in parts]
    if len(parts) != _PARTS or words[1::2][:3] != ["subscriptions", "resourcegroups", "providers"]:
        raise wrong(f"'{resource_id}' is neither a name nor the id of a cluster.", "The id of a cluster ends /NAME.")
    if f"{words[6]}/{words[7]}" != TYPE.lower():
        raise wrong(f"'{resource_id}' is of another type.", f"Give the id of a {TYPE}.")
    return Cluster(parts[2], parts[4], parts[8], settings)
