"""Callers with a token of Entra ID: who they are, what they may do, and the middleware of their requests alone."""
