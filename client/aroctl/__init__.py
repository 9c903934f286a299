"""A command for people who have clusters in their own subscription: a client of the service's public API, no more."""
