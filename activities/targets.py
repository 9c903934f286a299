"""The module and the function of each activity, by the activity's name."""

from shared.executors import BY_MODULE, FORMER_NAMES

_TARGETS = {name: f"activities.{module}:{name}" for module, names in BY_MODULE.items() for name in names}
ACTIVITIES = _TARGETS | {former: _TARGETS[name] for former, name in FORMER_NAMES.items()}
