"""`host.json` as the host reads it, with the host's defaults."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFAULT_TIMEOUT_SECONDS = 30 * 60
_HUB_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{2,44}")


class HostConfigurationError(Exception):
    """host.json cannot be used; the message names the value."""


@dataclass(frozen=True)
class HostConfig:
    """The settings of host.json that this host honours."""

    route_prefix: str
    function_timeout_seconds: float | None
    hub_name: str
    max_concurrent_activities: int
    max_concurrent_orchestrators: int
    max_orchestration_actions: int


def resolve_settings(text: str) -> str:
    """Replace each `%SETTING%` with the app setting of that name.

    Raises:
        HostConfigurationError: there is no such setting.
    """

    def resolve(match: re.Match[str]) -> str:
        name = match.group(1)
        value = os.environ.get(name)
        if value is None:
            raise HostConfigurationError(f"'%{name}%' does not resolve to a value: there is no such app setting.")
        return value

    return re.sub(r"%([^%\s]+)%", resolve, text)


def parse_time_span(text: str) -> float:
    """Return the seconds of a .NET time span, `[d.]hh:mm:ss[.fff]`.

    Raises:
        HostConfigurationError: the text is not a time span.
    """
    match = re.fullmatch(r"(?:(\d+)\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?", text.strip())
    if match is None:
        raise HostConfigurationError(f"'{text}' is not a time span (hh:mm:ss).")
    days, hours, minutes, seconds = match.groups()
    return int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + float(seconds or 0)


def load_host_config(app_directory: Path) -> HostConfig:
    """Read host.json of the app.

    Raises:
        HostConfigurationError: the file is missing, is not JSON, or has a value that the host refuses.
    """
    path = app_directory / "host.json"
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise HostConfigurationError(f"{path} does not exist.") from None
    except ValueError as error:
        raise HostConfigurationError(f"{path} is not JSON: {error}") from error
    if document.get("version") != "2.0":
        raise HostConfigurationError(f'{path}: "version" must be "2.0".')
    extensions = document.get("extensions", {})
    durable = extensions.get("durableTask", {})
    ten_per_core = 10 * (os.cpu_count() or 1)
    return HostConfig(
        route_prefix=str(extensions.get("http", {}).get("routePrefix", "api")).strip("/"),
        function_timeout_seconds=_function_timeout(document.get("functionTimeout")),
        hub_name=_hub_name(durable.get("hubName")),
        max_concurrent_activities=int(durable.get("maxConcurrentActivityFunctions", ten_per_core)),
        max_concurrent_orchestrators=int(durable.get("maxConcurrentOrchestratorFunctions", ten_per_core)),
        max_orchestration_actions=int(durable.get("maxOrchestrationActions", 100_000)),
    )


def _function_timeout(value: str | None) -> float | None:
    if value is None:
        return _DEFAULT_TIMEOUT_SECONDS
    return None if value == "-1" else parse_time_span(value)


def _hub_name(value: str | None) -> str:
    if value is None:
        letters = re.sub(r"[^A-Za-z0-9]", "", os.environ.get("WEBSITE_SITE_NAME", ""))
        return letters[:45] if _HUB_NAME.fullmatch(letters[:45]) else "TestHubName"
    name = resolve_settings(value)
    if not _HUB_NAME.fullmatch(name):
        raise HostConfigurationError(
            f"Task hub name '{name}' must have 3 to 45 letters or digits and begin with a letter."
        )
    return name
