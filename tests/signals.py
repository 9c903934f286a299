"""Signals for the programs that tests start."""

import signal


def listens() -> None:
    """Let a new process react to Ctrl-C, for `preexec_fn`.

    A shell lets what it runs in the background ignore it, and every process hands that down to its children.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
