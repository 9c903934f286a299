"""Durable Functions for the local host: store, episodes, replay against history, management API."""
