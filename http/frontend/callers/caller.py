"""Whose requests a route is for."""

from enum import Enum


class Caller(Enum):
    """The callers that a route may require. Where callers have tokens, `ARM` stands for all who have one."""

    ARM = "Azure Resource Manager's"
    ADMIN = "an operator's"
    ANY = "any"
