"""Known failures that are accepted, each with its reason: few, and only of work that Azure or the customer refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tests.faults.scenarios import FAMILIES

Refusal = Literal["quota", "policy", "lock", "removed role"]


@dataclass(frozen=True)
class Accepted:
    """An accepted failure.

    Args:
        family: name of the scenario's family.
        name: name of the scenario.
        refused_by: what refused the work.
        reason: why nothing can be done about it.
    """

    family: str
    name: str
    refused_by: Refusal
    reason: str

    def __post_init__(self) -> None:
        if not FAMILIES[self.family].refused:
            raise ValueError(f"{self.name}: nobody refuses the work of {self.family}, so its failure is never accepted")


ACCEPTED: tuple[Accepted, ...] = ()
BY_NAME: Mapping[tuple[str, str], Accepted] = {(each.family, each.name): each for each in ACCEPTED}
