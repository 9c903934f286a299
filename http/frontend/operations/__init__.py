"""Handlers of asynchronous operations, and how an operation looks to a person."""
