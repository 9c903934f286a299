"""Site documents: what operators run declared plans on, and the fence of the operations on a site."""

from collections.abc import Iterator

from shared.documents import SiteDocument
from shared.store.fenced_documents import Fence, Fenced

_PREFIX = "/sites/"


def key_of(site_name: str) -> str:
    """Return the key of a site: `/sites/<name>`."""
    return _PREFIX + site_name


def is_site(key: str) -> bool:
    """Tell whether a key is a site's. The others are clusters' resource ids."""
    return key.startswith(_PREFIX)


class Sites(Fenced[SiteDocument]):
    """The container `Sites`; a site's id is its name, in lower case."""

    name = "Sites"
    shape = SiteDocument
    required = ("id", "key", "bundle", "metadata")

    def get(self, key: str) -> SiteDocument | None:
        """Return the site with a key, or None."""
        return self.read(key.removeprefix(_PREFIX))

    def of_fence(self, fence: Fence) -> SiteDocument | None:
        """Return the site that a fence is about, or None."""
        return self.get(fence.key)

    def all(self) -> Iterator[SiteDocument]:
        """Yield every site that can be read."""
        return self.readable(self.query("SELECT * FROM c"))

    def non_terminal(self) -> Iterator[SiteDocument]:
        """Yield every site that names a running operation."""
        return self.query("SELECT * FROM c WHERE IS_DEFINED(c.asyncOperationId)")
