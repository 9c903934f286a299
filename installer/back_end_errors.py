"""Failures of an install graph's back end that depend on others: a registry, a mirror, a program."""

import errno

# Resources that a machine may have too little of at the moment. A program is busy while somebody still writes it.
_SHORT_OF = {errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ETXTBSY}


class InstallerError(Exception):
    """A step of an installer failed. The error contains no secret.

    Args:
        step: what was done, such as `create manifests`.
        cause: what went wrong, a sentence without its full stop.
        said: the last lines of the installer's output, oldest first.
        passing: whether it may pass by itself, like a problem of a network or a server.
        place: the path on this machine that it is about. Operators read it in the log; customers are not told.
    """

    def __init__(
        self, step: str, cause: str, said: tuple[str, ...] = (), *, passing: bool = False, place: str = ""
    ) -> None:
        super().__init__(step, cause, said)
        self.step = step
        self.cause = cause
        self.said = said
        self.passing = passing
        self.place = place

    def __str__(self) -> str:
        said = f". It said: {' | '.join(self.said)}" if self.said else ""
        place = f" ({self.place})" if self.place else ""
        return f"'{self.step}' failed: {self.cause}{place}{said}"


def may_pass(error: OSError) -> bool:
    """Tell whether this machine later, or another one now, may be able to do it."""
    return error.errno in _SHORT_OF
