"""Handlers of clusters, of what they can be made with, and of the subscriptions they are in."""
