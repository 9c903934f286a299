"""The rehearsed bootstrap machine: the files of its ignition in a folder, and its own script, run there.

The script runs unmodified as root of that folder, in namespaces of its own: it sees this computer's programs, can write
nothing outside the folder, and reaches no network. `stand_ins/` answers its calls of podman and oc.
"""

import ipaddress
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from emulator.openshift.boot.ignition import IgnitionError
from emulator.openshift.boot.installation import ROOT, Installation, InstallationError
from emulator.openshift.kubernetes.go_yaml import FastLoader
from shared.json_object import Json
from tools.rehearse import programs

TOOLS = ("bash", "chroot", "ip", "jq", "mount", "unshare")
SCRIPT = "/usr/local/bin/bootkube.sh"
RECORDS = "/var/log/openshift/bootkube.json"
STATIC_PODS = "/etc/kubernetes/manifests"
# A stage's marker, and its name, as the installer's script and this service's write them.
_STAGE = re.compile(r"! -f (\S+\.done)[^\n]*\n(?:\s*then\n)?\s*(?:record_service_stage_start|begin_stage) \"?([\w-]+)")
_RELEASE = re.compile(r"(?:podman inspect |^release=)[\"']?([^\s\"']+)", re.MULTILINE)
_IMAGE_FOR = re.compile(r"image_for ([\w-]+)")
_WARNING = re.compile(r"[WE]\d{4} |level=(?:warning|error)|\bwarning\b", re.IGNORECASE)
# What the script and the programs need of this computer's configuration.
_ETC = ("alternatives", "group", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "nsswitch.conf", "passwd")
# They are the machine's own; everything else of /usr is this computer's, and what lies beside it.
_OWN_USR = {"local", "share", "etc", "src", "games", "include"}
_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_STAND_INS = Path(__file__).parent / "stand_ins"
_INSIDE = "/rehearsal"
_RUN_SECONDS, _LOOK_SECONDS = 600, 0.05
_LINES, _CHARACTERS = 3, 300
# The address of the machine in its network, counted from the beginning; and one for a machine without a network.
_HOST, _ANY_ADDRESS = 10, "10.0.0.10/24"
_ENTER = """
set -e
root=$1 address=$2
shift 2
ip link set lo up
if [ -n "$address" ]; then ip address add "$address" dev lo; fi
while IFS=$(printf '\\t') read -r kind source target; do
    mount --"$kind" "$source" "$root$target"
    # Another user than root may not do that, and cannot write there anyway.
    if [ "$kind" = bind ]; then mount --options remount,bind,ro "$root$target" || true; fi
done <"$root/rehearsal/mounts"
exec chroot "$root" /usr/bin/env --ignore-environment --chdir=/opt/openshift HOME=/root SERVICE_NAME=bootkube \
    PATH=/rehearsal/bin:/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin "$@"
"""


class MachineError(Exception):
    """The machine cannot be rehearsed; the message says why."""


@dataclass(frozen=True)
class Stage:
    """What came of a stage.

    Args:
        name: name of the stage.
        verdict: `accepted`, `failed`, `left out`.
        reason: what the program or the script said; the program that is not given.
        said: the warnings of a program that accepted.
    """

    name: str
    verdict: str
    reason: str = ""
    said: tuple[str, ...] = ()


class Machine:
    """A bootstrap machine in a folder."""

    def __init__(self, root: Path, texts: list[str], folder: Path) -> None:
        """Unpack the machine's ignition.

        Args:
            root: folder of the machine, which is emptied first.
            texts: configs of the machine, as it fetches them.
            folder: folder of programs.

        Raises:
            MachineError: if the ignition cannot be read, or has no script.
            ProgramsError: if the release's own files are not readable.
        """
        self._root = root
        try:
            installation = Installation.read(texts, "")
        except IgnitionError as error:
            raise MachineError(f"the ignition cannot be read: {error}") from None
        script = installation.text(SCRIPT)
        release = _RELEASE.search(installation.text("/usr/local/bin/release-image.sh"))
        if not script or not release:
            raise MachineError(f"the ignition has no {SCRIPT}, or no release-image.sh that names a release")
        self._markers = stages(script)
        self._address = _address(installation)
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(mode=0o700, parents=True)
        for path, file in installation.files.items():
            self._write(path, file.content, file.mode)
        self._prepare(folder, release[1], installation.version, _IMAGE_FOR.findall(script))

    def rehearse(self) -> Iterator[Stage]:
        """Run the script up to where it waits for the cluster; yield what came of each stage.

        A stage that fails, or whose program is not given, gets its marker from here, so that the script continues with
        the next one. The next ones then lack what it would have made.

        Raises:
            MachineError: if the script cannot be run, or ends outside of its stages.
        """
        told: set[str] = set()
        while True:
            ended, last = self._run(SCRIPT)
            runs = self._take_runs()
            begun, done = self._take_records()
            for name in done:
                if name in self._markers and name not in told:
                    told.add(name)
                    yield Stage(name, "accepted", said=_warnings(name, runs))
            if ended:
                return
            if begun not in self._markers or begun in told:
                raise MachineError(f"{SCRIPT} ended outside of its stages: {last}")
            told.add(begun)
            yield self._failure(begun, runs[-1] if runs else {}, last)
            self._write(f"{ROOT}/{self._markers[begun]}", b"", 0o644)

    def run_static_pods(self) -> Iterator[Stage]:
        """Run what static pods do before they serve, as the kubelet would; yield what came of each.

        Raises:
            MachineError: if a pod cannot be read.
        """
        known = {program.name for program in programs.PROGRAMS}
        for file in sorted((self._root / STATIC_PODS[1:]).glob("*.yaml")):
            for container in _init_containers(file):
                words = [*(container.get("command") or []), *(container.get("args") or [])]
                name = Path(str(words[0])).name if words else ""
                if name not in known:
                    continue
                ended, last = self._run(f"{_INSIDE}/bin/podman", "in-image", name, *map(str, words[1:]))
                yield Stage(name, "accepted") if ended else self._failure(name, {}, last)

    def _failure(self, stage: str, run: Json, last: str) -> Stage:
        left_out = self._root / "rehearsal/left-out"
        if left_out.exists():
            name = left_out.read_text(encoding="utf-8").strip()
            left_out.unlink()
            return Stage(stage, "left out", f"the program of image '{name}' is not given")
        # If the program of the stage has accepted, the script's own command failed.
        said = _end(run["said"]) if run.get("code") and run["stage"] == stage else ""
        return Stage(stage, "failed", said or last)

    def _run(self, *words: str) -> tuple[bool, str]:
        """Run a command of the machine; tell whether it reached its end, and the last thing that it printed."""
        end, log = self._root / "rehearsal/end", self._root.parent / "bootkube.log"
        end.unlink(missing_ok=True)
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        command = ["unshare", "--mount", "--net", *user, "sh", "-c", _ENTER, "sh", str(self._root), self._address]
        until = time.monotonic() + _RUN_SECONDS
        with log.open("a+", encoding="utf-8", errors="replace") as output:
            begin = output.seek(0, os.SEEK_END)
            process = subprocess.Popen(
                [*command, *words], stdout=output, stderr=output, stdin=subprocess.DEVNULL, start_new_session=True
            )
            try:
                while process.poll() is None and not end.exists() and time.monotonic() < until:
                    time.sleep(_LOOK_SECONDS)
                code = process.poll()
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(begin)
            said = _end(output.read())
        if code is None and not end.exists():
            return False, f"it did not end within {_RUN_SECONDS} seconds"
        return code in {None, 0}, said or f"code {code}, without a word"

    def _take_runs(self) -> list[Json]:
        """Return what the programs ended with since the last call."""
        file = self._root / "rehearsal/runs"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [json.loads(line) for line in lines]

    def _take_records(self) -> tuple[str, list[str]]:
        """Return the stage that the script began last, and the stages that it ended well, since the last call."""
        file = self._root / RECORDS[1:]
        records = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        file.unlink(missing_ok=True)
        begun = [each["stage"] for each in records if each.get("phase") == "stage start"]
        ended = [each for each in records if each.get("phase") == "stage end" and each.get("result") == "success"]
        return begun[-1] if begun else "", [each["stage"] for each in ended]

    def _write(self, path: str, content: bytes, mode: int) -> None:
        place = self._root / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(mode)

    def _prepare(self, folder: Path, release: str, version: str, asked: list[str]) -> None:
        """Put in place what the stand-ins answer, and list what is mounted from this computer."""
        images = programs.image_list(folder, release, version, asked)
        for name, content in (
            ("release", release),
            ("version", version),
            ("version-of-kubernetes", programs.version_of_kubernetes(images)),
            (programs.IMAGE_LIST, json.dumps(images)),
            (programs.METADATA, json.dumps(programs.metadata(folder, version))),
            ("reads", json.dumps({program.name: program.reads for program in programs.PROGRAMS})),
        ):
            self._write(f"{_INSIDE}/{name}", content.encode(), 0o644)
        for stand_in in _STAND_INS.iterdir():
            self._write(f"{_INSIDE}/bin/{stand_in.name}", stand_in.read_bytes(), 0o755)
        for name in _ETC:
            _copy(Path("/etc", name), self._root / "etc" / name)
        mounts = [("rbind", Path("/proc")), ("rbind", Path("/dev"))]
        for place in (*sorted(Path("/usr").iterdir()), *(Path("/", name) for name in _LINKED)):
            if place.is_symlink():
                _copy(place, self._root / str(place)[1:])
            elif place.is_dir() and place.name not in _OWN_USR:
                mounts.append(("bind", place))
        rows = [(kind, str(place), str(place)) for kind, place in mounts]
        rows.append(("bind", str(folder.resolve()), f"{_INSIDE}/programs"))
        for _, _, target in rows:
            (self._root / target[1:]).mkdir(parents=True, exist_ok=True)
        # The version operator looks for the release's manifests even if it takes none of them.
        of_release = f"/{programs.OF_RELEASE}"
        _copy(folder / programs.OF_RELEASE, self._root / of_release[1:])
        reads = [path for program in programs.PROGRAMS for path in program.reads]
        for path in ("/tmp", "/var/log", of_release, *reads):  # noqa: S108 - below the machine's own root
            (self._root / path[1:]).mkdir(parents=True, exist_ok=True)
        (self._root / "assets").symlink_to(ROOT)
        self._write(f"{_INSIDE}/mounts", "".join("\t".join(row) + "\n" for row in rows).encode(), 0o644)


def stages(script: str) -> dict[str, str]:
    """Return the markers of a script's stages, by the stages' names, in order."""
    return {name: marker for marker, name in _STAGE.findall(script)}


def check() -> None:
    """Check that this computer can rehearse a machine.

    Raises:
        MachineError: if it lacks a command, or the right to use namespaces.
    """
    if lacking := [name for name in TOOLS if shutil.which(name) is None]:
        raise MachineError(f"this computer lacks {', '.join(lacking)} (Debian: bash coreutils iproute2 jq util-linux)")
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    done = subprocess.run(
        ["unshare", "--mount", "--net", *user, "true"], capture_output=True, text=True, check=False, timeout=30
    )
    if done.returncode:
        raise MachineError(f"this user may not make namespaces, root may: {done.stderr.strip()}")


def _address(installation: Installation) -> str:
    """Return an address for the machine, with its prefix: one of the first machine network, as etcd's operator asks."""
    try:
        network = ipaddress.ip_network(installation.install_config["networking"]["machineNetwork"][0]["cidr"])
    except (InstallationError, LookupError, TypeError, ValueError):
        # The stages say what is wrong.
        return _ANY_ADDRESS
    return _ANY_ADDRESS if network.is_loopback else f"{network[_HOST]}/{network.prefixlen}"


def _init_containers(file: Path) -> list[Json]:
    try:
        pod = yaml.load(file.read_text(encoding="utf-8"), FastLoader)  # noqa: S506 - a safe loader
        return list((pod.get("spec") or {}).get("initContainers") or [])
    except (yaml.YAMLError, AttributeError, OSError) as error:
        raise MachineError(f"static pod '{file.name}' cannot be read: {error}") from None


def _warnings(stage: str, runs: list[Json]) -> tuple[str, ...]:
    """Return the warnings of a stage's program."""
    lines = [line for run in runs if run["stage"] == stage for line in run["said"].splitlines()]
    return tuple(line.strip()[:_CHARACTERS] for line in lines if _WARNING.search(line))[:_LINES]


def _end(text: str) -> str:
    """Return the last lines of an output, in one; of a program in Go that broke, the line that says why."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if line.startswith("panic: ")] or lines
    return " | ".join(line[:_CHARACTERS] for line in lines[-_LINES:])


def _copy(source: Path, target: Path) -> None:
    """Copy a file, a folder or a link, as it is."""
    if target.exists() or target.is_symlink() or not (source.exists() or source.is_symlink()):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)
