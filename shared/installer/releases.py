"""Which releases have what."""

from dataclasses import dataclass

from shared.installer import install_config
from shared.installer.graph import Content


@dataclass(frozen=True)
class Releases:
    """Which releases have something: `release in Releases(...)`.

    Args:
        flavours: how they boot: A up to 4.3, T 4.4 and 4.5, B 4.6 and 4.7, C from 4.8 on.
        since: the first minor version.
        until: the first minor version that has it no more.
    """

    flavours: str = "ATBC"
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] = (1_000, 0)

    def __contains__(self, release: Content) -> bool:
        minor = install_config.minor(release["version"])
        return release["flavour"] in self.flavours and self.since <= minor < self.until


EVERY = Releases()
# There the kubelet takes its pause image from the release, so it runs after that is pulled.
WITH_PAUSE_IMAGE = Releases("TBC", since=(4, 5))
