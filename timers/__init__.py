"""Timer functions. They look for work and start it; orchestrations do the work."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import azure.durable_functions as df
import azure.functions as func

from shared import settings
from shared.settings import SettingsError
from timers import conditions, deleted_groups, leftovers, renewals
from timers.deleted_subscriptions import sweep
from timers.power_schedules import switch
from timers.purge import purge
from timers.watchdog import watch

_log = logging.getLogger(__name__)

# Function: what it runs, and the setting with its schedule.
TIMERS: dict[str, tuple[Callable[[Any], Awaitable[None]], str]] = {
    # Each run looks whether the clusters are due; a schedule of its own would be one more setting of each deployment.
    "conditions": (conditions.observe, "%WATCHDOG_SCHEDULE%"),
    "groups": (deleted_groups.report, "%PURGE_SCHEDULE%"),
    "leftovers": (leftovers.sweep, "%PURGE_SCHEDULE%"),
    "purge": (purge, "%PURGE_SCHEDULE%"),
    "renewals": (renewals.renew, "%PURGE_SCHEDULE%"),
    # These look every minute for work that has to begin or to continue.
    "power_schedules": (switch, "%WATCHDOG_SCHEDULE%"),
    "subscriptions": (sweep, "%WATCHDOG_SCHEDULE%"),
    "watchdog": (watch, "%WATCHDOG_SCHEDULE%"),
}


def register(app: df.DFApp) -> None:
    """Register every timer with a durable client."""
    for name, (work, schedule) in TIMERS.items():
        bound = app.durable_client_input(client_name="client")(_timer(name, work))
        app.function_name(name)(app.timer_trigger(arg_name="timer", schedule=schedule)(bound))


def _timer(name: str, work: Callable[[Any], Awaitable[None]]) -> Callable[..., Any]:
    """Return the function of a timer. With invalid settings it touches nothing."""

    # The worker refuses a timer function that returns a value.
    async def run(timer: func.TimerRequest, client: str) -> None:  # noqa: ARG001 - a trigger's name is its binding
        try:
            settings.load()
        except SettingsError as error:
            _log.error("timer %s does not run: %s", name, error)
            return
        await work(client)

    run.__name__ = name
    return run
