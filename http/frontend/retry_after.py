"""When a client should ask again."""

from datetime import timedelta

# For an operation that goes on, divided by the time scale where it is used. The SDKs ask every 30 seconds when nothing
# is said. A step takes seconds to minutes.
RETRY_AFTER = timedelta(seconds=15)
# For a request that met an outage. Short, because most outages are, and real: no time scale ends one sooner.
RETRY_AFTER_OUTAGE_SECONDS = 5
