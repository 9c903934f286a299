"""How long clients should wait before they ask again."""

from shared import durations

RETRY_AFTER = durations.CLIENT_POLL
RETRY_AFTER_OUTAGE_SECONDS = int(durations.OUTAGE_POLL.total_seconds())
