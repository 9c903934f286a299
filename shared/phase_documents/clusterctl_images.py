"""Images of providers: other repositories and tags than their components name.

Source: kubernetes-sigs/cluster-api `cmd/clusterctl/client/config/imagemeta_client.go`.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from shared.json_object import Json

# By component, such as `bootstrap-kubeadm`, or by component and image: `bootstrap-kubeadm/manager`.
Overrides = Mapping[str, Mapping[str, str]]

EVERY_COMPONENT = "all"
_KINDS = frozenset({"Deployment", "DaemonSet"})


@dataclass(frozen=True)
class Image:
    """The reference of an image.

    Args:
        repository: all before the last slash; "" if there is none.
        name: its name.
        tag: its tag; "" if it has none.
        digest: its digest; "" if it has none.
    """

    repository: str
    name: str
    tag: str
    digest: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the parts of a reference."""
        tagged, _, digest = text.partition("@")
        repository, _, last = tagged.rpartition("/")
        name, _, tag = last.partition(":")
        return cls(repository, name, tag, digest)

    def __str__(self) -> str:
        """Return the reference."""
        path = f"{self.repository}/{self.name}" if self.repository else self.name
        return path + (f":{self.tag}" if self.tag else "") + (f"@{self.digest}" if self.digest else "")


def with_images(document: Json, component: str, overrides: Overrides) -> Json:
    """Return an object with the images that are wanted.

    Args:
        document: the object.
        component: the component that it belongs to.
        overrides: what is wanted; what names an image wins over what names its component, and that over `all`.
    """
    if document.get("kind") not in _KINDS or not overrides:
        return document
    changed = copy.deepcopy(document)
    spec = changed.get("spec", {}).get("template", {}).get("spec", {})
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        if isinstance(container.get("image"), str):
            container["image"] = _overridden(container["image"], component, overrides)
    return changed


def _overridden(text: str, component: str, overrides: Overrides) -> str:
    image = Image.of(text)
    wanted: dict[str, str] = {}
    for key in (EVERY_COMPONENT, component, f"{component}/{image.name}"):
        wanted |= {member: value for member, value in overrides.get(key, {}).items() if value}
    if not wanted:
        return text
    repository = wanted.get("repository", image.repository).rstrip("/")
    return str(Image(repository, image.name, wanted.get("tag", image.tag), image.digest))
