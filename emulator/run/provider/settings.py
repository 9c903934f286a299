"""The app settings that an operator of this local Azure chooses; `infra/service.json` has the others."""

# Enough for the activities of a few clusters never to wait for each other, and few enough for two cores.
WORKER_THREADS = 16


def local_settings(time_scale: float) -> dict[str, str]:
    """Return the settings."""
    return {
        "PYTHON_THREADPOOL_THREAD_COUNT": str(WORKER_THREADS),
        "TIME_SCALE": f"{time_scale:g}",
        "WATCHDOG_SCHEDULE": "*/5 * * * * *" if time_scale > 1 else "0 * * * * *",
        "BUILD": "local",
    }
