"""What can go wrong around the services, told to the person who typed the command."""


class RunError(Exception):
    """The command cannot be carried out; the message says why and what to do."""
