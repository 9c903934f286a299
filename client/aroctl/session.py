"""What a verb works with: the settings, the service, Azure Resource Manager, and the cluster that it names."""

from dataclasses import dataclass
from functools import cached_property

from azure.core.credentials import TokenCredential

from aroctl import api, clusters, credentials, settings
from aroctl.api import Api
from aroctl.clusters import Cluster
from aroctl.settings import Settings


@dataclass(frozen=True)
class Session:
    """A caller and the service.

    Args:
        settings: what is configured.
    """

    settings: Settings

    @cached_property
    def service(self) -> Api:
        """The service."""
        return Api(self.settings.service, self.settings.scope, self._credential)

    @cached_property
    def arm(self) -> Api:
        """Azure Resource Manager, as the same caller."""
        return api.of_arm(self._credential)

    @cached_property
    def _credential(self) -> TokenCredential:
        return credentials.find(self.settings.tenant)

    def cluster(self, name: str, group: str, subscription: str) -> Cluster:
        """Return the cluster that a command names."""
        return clusters.named(self.settings, name, group, subscription)


def begin() -> Session:
    """Return the session of a command.

    Raises:
        Problem: nothing is configured.
    """
    return Session(settings.load())
