"""How long clients should wait before they ask again."""

from datetime import timedelta

# For a running operation; divided by the time scale where it is used. Without it the SDKs ask every 30 seconds. A step
# takes seconds to minutes.
RETRY_AFTER = timedelta(seconds=15)
# For a request that met an outage. Short, because most outages are; unscaled, because no time scale shortens one.
RETRY_AFTER_OUTAGE_SECONDS = 5
