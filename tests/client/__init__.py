"""Tests of the command for callers, `client/`."""
