"""Runs activities: the wrapper, its fence and progress, and the error and advice of a failure."""
