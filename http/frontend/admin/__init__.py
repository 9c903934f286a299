"""Handlers for operators of the service."""
