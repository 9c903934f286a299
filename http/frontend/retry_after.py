"""How often a client should ask; divided by the time scale where it is used."""

from datetime import timedelta

# The SDKs ask every 30 seconds when nothing is said. A step takes seconds to minutes.
RETRY_AFTER = timedelta(seconds=15)
