"""What plans, the engine and activities tell each other: the rows of a plan, and the words in them.

Everything here travels as JSON, where an enum's member becomes its value: compare with `==`, never with `is`. The types
name the members that this build knows; what a newer build has added stays where it is.
"""

from enum import StrEnum
from typing import NotRequired, TypedDict

from shared.arm.errors import Owner


class RowKind(StrEnum):
    """How a row is run: once, begun and then asked about, or only asked about."""

    ACTION = "action"
    BEGIN_AND_POLL = "begin-and-poll"
    CONDITION = "condition"


class RetryPolicy(StrEnum):
    """The policies that a row may name; `orchestrators/retry.py` says what they hold."""

    NONE = "none"
    AZURE = "azure"
    SERVICE_PRINCIPAL = "service-principal"
    PERMISSIONS = "permissions"


class RowTerms(TypedDict):
    """What every form of a row holds under the same name; members that say nothing are left out."""

    needs: list[str]
    deadlineSeconds: float
    pollSeconds: float
    retry: RetryPolicy
    waitsFor: str
    message: str
    shortestSeconds: NotRequired[float]
    together: NotRequired[bool]
    owner: NotRequired[Owner]
    when: NotRequired[str]


class RowMembers(RowTerms):
    """What a row holds besides its name and its executor."""

    phase: str
    kind: RowKind


class SerialisedRow(RowMembers):
    """A row as JSON."""

    name: str
    executor: str


class ResolvedRow(SerialisedRow):
    """A row as an operation stores it: scaled, and without `when` and `shortestSeconds`, which are decided."""

    firstPollSeconds: float
    cancelSeconds: float
