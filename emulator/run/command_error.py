"""The error of commands, for the person who typed one."""


class RunError(Exception):
    """A command cannot be executed; the message says why and what to do."""
