"""The releases that have a feature."""

from dataclasses import dataclass

from installer.graph import Content
from shared.release import release_rules


@dataclass(frozen=True)
class Releases:
    """A set of releases: `release in Releases(...)`.

    Args:
        flavours: how they boot: A up to 4.3, T 4.4 and 4.5, B 4.6 and 4.7, C from 4.8 on.
        since: the first minor version.
        until: the first minor version that is no longer included.
    """

    flavours: str = "ATBC"
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] = (1_000, 0)

    def __contains__(self, release: Content) -> bool:
        minor = release_rules.minor(release["version"])
        return release["flavour"] in self.flavours and self.since <= minor < self.until


EVERY = Releases()
# In these the kubelet takes its pause image from the release, so it runs after that is pulled.
WITH_PAUSE_IMAGE = Releases("TBC", since=(4, 5))
# In these the bootstrap machine also admits the holder of a key made for it, not only the customer's.
WITH_SSH_KEY = Releases("TBC", since=(4, 5))
# In these units keep a list of what they began and ended, which log collectors read.
WITH_RECORDS = Releases("C")
# In these every container of the bootstrap machine has a name, by which people find its logs.
WITH_NAMES = Releases("C")
# In these the cluster version operator ignores the installer's objects until the bootstrap machine is done with them.
WITH_OVERRIDES = Releases("C", since=(4, 10))
# In these a FeatureGate says, from the first stage on, which features the release has.
WITH_FEATURE_GATE = Releases("C", since=(4, 14))
# In these the boot image is a plain system, on which the release's own is laid before the kubelet starts.
WITH_NODE_IMAGE = Releases("C", since=(4, 19))
