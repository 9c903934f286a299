"""What `configure` has found out, in the user's configuration folder. Nothing in it is secret."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from aroctl.problems import wrong

NAME = "aroctl"
CONFIGURE = f"Run: {NAME} configure https://ADDRESS-OF-THE-SERVICE"


@dataclass(frozen=True)
class Settings:
    """Which service to call, as whom, and about what.

    Args:
        service: address of the service.
        scope: scope of tokens for it.
        tenant: the tenant that issues them.
        subscription: id of the subscription that commands are about, if they name none.
        resource_group: the resource group that they are about, if they name none; "" for none.
    """

    service: str
    scope: str
    tenant: str
    subscription: str
    resource_group: str = ""

    def save(self) -> Path:
        """Keep the settings; return the file."""
        path = file()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
        return path


def file() -> Path:
    """Return the file that keeps the settings."""
    return Path(typer.get_app_dir(NAME)) / "settings.json"


def load() -> Settings:
    """Return the settings.

    Raises:
        Problem: nothing is configured, or the file cannot be read.
    """
    path = file()
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Settings(**found)
    except FileNotFoundError:
        raise wrong(f"It is not known which service to call: {path} does not exist.", CONFIGURE) from None
    except (OSError, ValueError, TypeError) as error:
        raise wrong(f"{path} cannot be read: {error}", CONFIGURE) from error
