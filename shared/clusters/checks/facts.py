"""The context of a check: the cluster as the request wants it, and its place. No store, no Azure."""

from dataclasses import dataclass
from typing import Any

from shared.arm.errors import CloudError, invalid_parameter, shown
from shared.clusters.checks.unknown import ALL_KNOWN, NotKnownError, Unknown
from shared.clusters.member_types import ApiVersion
from shared.documents import Cluster


@dataclass(frozen=True)
class Facts:
    """The context of one validation.

    Args:
        cluster: the whole internal cluster, secrets included, as it would be after the request.
        version: the API version of the request.
        resource_id: the id in the request's path, with its casing.
        location: the region of this deployment.
        domain: the DNS zone of this deployment, `<location>.<parent>`; empty if it has none.
        creating: whether the cluster does not exist yet.
        versions: the OpenShift versions that can be installed.
        pulled_from: the registries of which the customer's pull secret must name one, because a new cluster pulls its
            release from there; empty if the service's own registry mirrors it.
        installer: the program that makes the install graph of a new cluster; empty if its version is not offered.
        unknown: the members whose values are not known yet. They are not checked.
    """

    cluster: Cluster
    version: ApiVersion
    resource_id: str
    location: str
    domain: str
    creating: bool
    versions: tuple[str, ...] = ()
    pulled_from: tuple[str, ...] = ()
    installer: str = ""
    unknown: Unknown = ALL_KNOWN

    def get(self, path: str) -> Any:
        """Return the value at a path without arrays, or None if an object on the way is missing.

        Raises:
            NotKnownError: the value, or a part of it, is not known yet.
        """
        if self.unknown.touches(path):
            raise NotKnownError(path)
        value: Any = self.cluster
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value


def refuse(target: str, value: object, wanted: str) -> CloudError:
    """Build `InvalidParameter` in the usual form: the member, its value, and what it must be.

    Args:
        target: JSON path of the member.
        value: the value in the request.
        wanted: what the value must be, as the end of a sentence.
    """
    return invalid_parameter(
        target, f"The provided value '{shown(value)}' of '{target}' is invalid: it must be {wanted}."
    )
