"""Tell which of the bootstrap machine's systemd units start, and why one does not.

Units and programs that no config contains (`crio.service`, `/usr/bin/...`) belong to the image and always work.
"""

import re
from collections.abc import Mapping

from emulator.openshift.boot.ignition import File, Unit

_PROGRAM = re.compile(r"^ExecStart(?:Pre)?=[-@:+!]*(/usr/local/\S+)", re.MULTILINE)
_PULLS = re.compile(r"^(Wants|Requires)=(.*)$", re.MULTILINE)
_INSTALLED = re.compile(r"^(?:WantedBy|RequiredBy)=\S", re.MULTILINE)
_SOURCED = re.compile(r"^\s*(?:\.|source) +(/\S+)", re.MULTILINE)
_RUN_BY_ALL = 0o111
_OF_THE_IMAGE = {"crio.service", "network-online.target", "rpc-statd.service"}


def failure(name: str, units: Mapping[str, Unit], files: Mapping[str, File]) -> str:
    """Return why a unit does not run, in systemd's words; "" if it does.

    Args:
        name: the unit's name.
        units: the config's units, by name.
        files: the config's files, by path.
    """
    if name not in units:
        return f"Unit {name} not found."
    started = _started(units)
    if name not in started:
        wanted = {one for found in started for one in _pulled(units[found].contents, "Wants", "Requires")}
        missing = sorted(wanted - units.keys() - _OF_THE_IMAGE)
        hint = f"; not found: {', '.join(missing)}" if missing else ""
        return f"{name}: inactive (dead): no enabled unit wants it{hint}"
    return _failure(name, units, files, ())


def _failure(name: str, units: Mapping[str, Unit], files: Mapping[str, File], path: tuple[str, ...]) -> str:
    if name not in units or name in path:
        return ""
    for required in _pulled(units[name].contents, "Requires"):
        if required not in units and required not in _OF_THE_IMAGE:
            return f"Dependency failed for {name}: Unit {required} not found."
        if why := _failure(required, units, files, (*path, name)):
            return f"Dependency failed for {name}: {why}"
    for program in _PROGRAM.findall(units[name].contents):
        if why := _cannot_run(program, files):
            return f"{name}: {why}"
    return ""


def _cannot_run(program: str, files: Mapping[str, File]) -> str:
    """Return why a program, or a file that it sources, cannot run; "" if both can."""
    file = files.get(program)
    if file is None:
        return f"Failed at step EXEC spawning {program}: No such file or directory (status=203/EXEC)"
    if not file.mode & _RUN_BY_ALL:
        return f"Failed at step EXEC spawning {program}: Permission denied (status=203/EXEC)"
    text = file.text
    if not text.startswith("#!"):
        return f"Failed at step EXEC spawning {program}: Exec format error (status=203/EXEC)"
    for sourced in _SOURCED.findall(text):
        if sourced.startswith("/usr/local/") and sourced not in files:
            return f"{program}: {sourced}: No such file or directory"
        if sourced in files and not files[sourced].content.strip():
            return f"{program}: command not found: {sourced} says nothing"
    return ""


def _started(units: Mapping[str, Unit]) -> set[str]:
    """Return the units that start with the machine: the enabled ones, and those that they want or require."""
    started: set[str] = set()
    waiting = [name for name, unit in units.items() if unit.enabled and _INSTALLED.search(unit.contents)]
    while waiting:
        name = waiting.pop()
        if name in units and name not in started:
            started.add(name)
            waiting += _pulled(units[name].contents, "Wants", "Requires")
    return started


def _pulled(contents: str, *kinds: str) -> list[str]:
    return [name for kind, names in _PULLS.findall(contents) if kind in kinds for name in names.split()]
