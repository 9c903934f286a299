"""Lets the back end `openshift-install` run programs of tests."""

from pathlib import Path
from typing import Self

import pytest

from installer.openshift_install import back_end, program
from installer.openshift_install.gateway import Azure, Gateway
from tests.openshift_install import ROOT


def let_run(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the back end run programs of tests, without a network.

    Args:
        patch: undoes it.
        folder: where they leave notes.
    """
    patch.setattr(program, "_WRITABLE", ("/dev/null", str(folder)))
    # The stand-in is this repository's code.
    patch.setattr(program, "_STARTABLE", (*program._STARTABLE, str(ROOT)))
    patch.setattr(back_end, "Gateway", NoGateway)


class NoGateway(Gateway):
    """A gateway to nowhere."""

    def __init__(self, azure: Azure) -> None:
        self.azure = azure
        self.failure = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        return None

    @property
    def port(self) -> int:
        """A port that nobody is asked for."""
        return 0

    @property
    def environment(self) -> dict[str, str]:
        """The variables, with a place where nobody answers."""
        return {"IDENTITY_ENDPOINT": "http://127.0.0.1:0/identity", "IDENTITY_HEADER": "canary-identity-header"}
