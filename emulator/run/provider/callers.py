"""Who calls the service: the values of the parameter `callers` of `infra/`."""

from enum import StrEnum


class Callers(StrEnum):
    """Who calls the service."""

    ARM = "arm"
    ENTRA = "entra"
