"""Who calls, what a route requires of callers, and whose a token is."""
