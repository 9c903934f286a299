"""Tell which of the bootstrap machine's systemd units start, and why one does not.

Units and programs that no config contains (`crio.service`, `/usr/bin/...`) belong to the image and always work. A config
may also bring units as files, and a generator, which starts them instead of the usual ones.
"""

import re
from collections.abc import Iterable, Mapping

from emulator.openshift.boot.ignition import File, Unit
from emulator.openshift.boot.script_walk import walk
from emulator.openshift.boot.shell import ShellError

_PROGRAM = re.compile(r"^ExecStart(?:Pre)?=[-@:+!]*(/usr/local/\S+)", re.MULTILINE)
_PULLS = re.compile(r"^(Wants|Requires)=(.*)$", re.MULTILINE)
_INSTALLED = re.compile(r"^(?:WantedBy|RequiredBy)=\S", re.MULTILINE)
_UNIT_FILE = re.compile(r"/etc/systemd/system/([\w.@-]+\.(?:service|target|socket))")
GENERATORS = "/etc/systemd/system-generators/"
_RUN_BY_ALL = 0o111
_OF_THE_IMAGE = {
    *("crio.service", "network-online.target", "rpc-statd.service"),
    *("basic.target", "getty.target", "network.target"),
    *("NetworkManager.service", "sshd.service", "systemd-user-sessions.service"),
}


def failure(name: str, units: Mapping[str, Unit], files: Mapping[str, File]) -> str:
    """Return why a unit does not run, in systemd's words; "" if it does."""
    units = {found[1]: Unit(file.text) for path, file in files.items() if (found := _UNIT_FILE.fullmatch(path))} | {
        **units
    }
    if name not in units:
        return f"Unit {name} not found."
    generated = _generated(files)
    started = _started(units, generated)
    if name not in started:
        wanted = {one for found in started for one in _pulled(units[found].contents, "Wants", "Requires")}
        missing = sorted({*wanted, *generated} - units.keys() - _OF_THE_IMAGE)
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
    refusal = f"Failed at step EXEC spawning {program}: {{}} (status=203/EXEC)"
    if file is None:
        return refusal.format("No such file or directory")
    if not file.mode & _RUN_BY_ALL:
        return refusal.format("Permission denied")
    if not file.text.startswith("#!"):
        return refusal.format("Exec format error")
    return _sources(program, file.text, files)


def _sources(program: str, text: str, files: Mapping[str, File]) -> str:
    try:
        sourced = [event.text for event in walk(text, frozenset(files)) if event.kind == "source"]
    except ShellError as error:
        return f"{program}: {error}"
    for path in sourced:
        if path.startswith("/usr/local/") and path not in files:
            return f"{program}: {path}: No such file or directory"
        if path in files and not files[path].content.strip():
            return f"{program}: command not found: {path} says nothing"
    return ""


def _generated(files: Mapping[str, File]) -> list[str]:
    """Return the units that the config's generators start: those that they name."""
    return [
        name
        for path, file in files.items()
        if path.startswith(GENERATORS) and file.mode & _RUN_BY_ALL and file.text.startswith("#!")
        for name in _UNIT_FILE.findall(file.text)
    ]


def _started(units: Mapping[str, Unit], generated: Iterable[str]) -> set[str]:
    """Return the units that start with the machine: enabled or generated ones, and those that they want or require."""
    started: set[str] = set()
    waiting = [name for name, unit in units.items() if unit.enabled and _INSTALLED.search(unit.contents)]
    waiting += generated
    while waiting:
        name = waiting.pop()
        if name in units and name not in started:
            started.add(name)
            waiting += _pulled(units[name].contents, "Wants", "Requires")
    return started


def _pulled(contents: str, *kinds: str) -> list[str]:
    return [name for kind, names in _PULLS.findall(contents) if kind in kinds for name in names.split()]
