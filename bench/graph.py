"""The cost of the install graph: made completely in a separate process, on one core and on two.

`python -m bench.graph` prints only these lines.
"""

import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from cryptography.hazmat.primitives.asymmetric import rsa

from bench.report import row
from installer import all_assets, graph, manifest_yaml, pki
from installer.command import command_inputs, install_config_draft
from installer.graph import Content, Graph
from shared import seal

ROUNDS = 7
CORES = (1, 2)
_GUID = "00000000-0000-0000-0000-000000000000"
_PRINCIPAL = {f"AZURE_{name}": _GUID for name in ("SUBSCRIPTION_ID", "TENANT_ID", "CLIENT_ID", "CLIENT_SECRET")}


# The time that the original, in Go, takes for the same graph on two cores, and the aims: share of that time, seconds
# outside RSA, memory in MiB.
ORIGINAL_GRAPH_SECONDS = 2.8
AIM_GRAPH, AIM_GRAPH_REST, AIM_GRAPH_MEMORY = 0.4, 0.15, 150
# Aim for the boot check of the emulated machine, in seconds.
AIM_CHECK = 1


@dataclass(frozen=True)
class Figures:
    """Medians of several resolutions, and the results of the last.

    Args:
        cores: number of cores that the process may use.
        wall: wall seconds of a resolution.
        cpu: CPU seconds of all its threads.
        rsa_cpu: how many of these made RSA keys.
        rest: wall seconds of a resolution whose keys were made before.
        memory: the process's peak memory, MiB.
        assets: number of assets.
        plain: bytes of all contents as JSON.
        compressed: bytes after compression.
        sealed: bytes after sealing.
        checked: seconds in which the emulated bootstrap machine checks the ignition in it.
    """

    cores: int
    wall: float
    cpu: float
    rsa_cpu: float
    rest: float
    memory: float
    assets: int
    plain: int
    compressed: int
    sealed: int
    checked: float


def measure() -> list[Figures]:
    """Measure with each number of cores that this machine has; empty if a process cannot be pinned to cores."""
    if not hasattr(os, "sched_setaffinity"):
        return []
    there = len(os.sched_getaffinity(0))
    return [_child(cores) for cores in CORES if cores <= there]


def _child(cores: int) -> Figures:
    command = [sys.executable, "-m", "bench.graph", "--measure", str(cores)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return Figures(**json.loads(ran.stdout))


def _measure(cores: int) -> Figures:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    given = _given()
    made, walls, cpus, rsa_cpus = _rounds(given, cores)
    # Measured before the keys below are made, because a process that only makes a graph has one set of keys.
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    dumped = made.dump()
    return Figures(
        cores=cores,
        wall=statistics.median(walls),
        cpu=statistics.median(cpus),
        rsa_cpu=statistics.median(rsa_cpus),
        rest=_without_rsa(given, cores),
        memory=memory,
        assets=len(all_assets.ASSETS),
        plain=len(json.dumps(made.contents)),
        compressed=len(dumped),
        sealed=len(seal.seal_text(dumped, seal.new_key(), "https://vault.example.com/secrets/graph/version")),
        checked=_check(made.file("bootstrap.ign")),
    )


def _given() -> dict[str, Content]:
    """Return the inputs of the example's graph, read as the command reads them."""
    config = install_config_draft.draft().config
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, command_inputs.INSTALL_CONFIG).write_text(manifest_yaml.to_yaml(config), encoding="utf-8")
        return command_inputs.read_inputs(Path(folder), _PRINCIPAL, command_inputs.Asked())


def _rounds(given: dict[str, Content], cores: int) -> tuple[Graph, list[float], list[float], list[float]]:
    walls, cpus, rsa_cpus = [], [], []
    for _round in range(ROUNDS):
        with _Keys(pki.new_key) as keys:
            begin, cpu = time.perf_counter(), time.process_time()
            made = _resolve(given, cores)
            walls.append(time.perf_counter() - begin)
            cpus.append(time.process_time() - cpu)
        rsa_cpus.append(keys.seconds)
    return made, walls, cpus, rsa_cpus


def _without_rsa(given: dict[str, Content], cores: int) -> float:
    """Return the seconds of a resolution that gets ready-made keys."""
    with ThreadPoolExecutor(cores) as pool:
        made = itertools.cycle(list(pool.map(lambda _: pki.new_key(), range(len(all_assets.ASSETS)))))
    walls = []
    for _round in range(ROUNDS):
        with _Keys(lambda: next(made)):
            begin = time.perf_counter()
            _resolve(given, cores)
            walls.append(time.perf_counter() - begin)
    return statistics.median(walls)


def _check(ignition: str) -> float:
    """Return the seconds in which the emulated bootstrap machine checks its ignition.

    Raises:
        ValueError: if the check fails.
    """
    # Imported here and not above, so that the measured memory is the product's.
    from emulator.openshift.boot.checks import boot_check  # noqa: PLC0415 - see the line before

    begin = time.perf_counter()
    if found := boot_check([ignition], "", datetime.now(UTC)):
        raise ValueError(f"the bootstrap machine would stumble: {found[0]}")
    return time.perf_counter() - begin


def _resolve(given: dict[str, Content], cores: int) -> Graph:
    with ThreadPoolExecutor(cores) as pool:
        return graph.resolve(all_assets.ASSETS, all_assets.TARGETS, given, pool)


class _Keys:
    """Makes the graph's keys with the given function, and measures its CPU time."""

    def __init__(self, make: Callable[[], rsa.RSAPrivateKey]) -> None:
        self._make, self._before = make, pki.new_key
        self._lock = threading.Lock()
        self.seconds = 0.0

    def __enter__(self) -> Self:
        pki.new_key = self._counted
        return self

    def __exit__(self, *_: object) -> None:
        pki.new_key = self._before

    def _counted(self) -> rsa.RSAPrivateKey:
        begin = time.thread_time()
        key = self._make()
        with self._lock:
            self.seconds += time.thread_time() - begin
        return key


def graph_lines(measured: list[Figures]) -> Iterator[str]:
    """Yield the cost of the install graph, with a column for each number of cores."""
    if not measured:
        return
    last = measured[-1]
    figures: tuple[tuple[str, Callable[[Figures], str]], ...] = (
        ("wall seconds of an install graph", lambda each: f"{each.wall:.2f}"),
        ("  of these outside RSA", lambda each: f"{each.rest:.2f}"),
        ("CPU seconds", lambda each: f"{each.cpu:.2f}"),
        ("  of these outside RSA", lambda each: f"{each.cpu - each.rsa_cpu:.2f}"),
        ("memory of the process, MiB", lambda each: f"{each.memory:.0f}"),
    )
    yield row("install graph, cores", [str(each.cores) for each in measured])
    for name, figure in figures:
        yield row(name, [figure(each) for each in measured])
    yield (
        f"Install graph against the original's {ORIGINAL_GRAPH_SECONDS} s: {last.wall / ORIGINAL_GRAPH_SECONDS:.2f} x "
        f"(aim: at most {AIM_GRAPH} x on two cores, {AIM_GRAPH_REST} s outside RSA, {AIM_GRAPH_MEMORY} MiB)."
    )
    yield (
        f"It has {last.assets} assets, {last.plain / 1024:.0f} KiB; "
        f"compressed {last.compressed / 1024:.0f} KiB, sealed {last.sealed / 1024:.0f} KiB."
    )
    yield f"The emulated bootstrap machine checks its ignition in {last.checked:.2f} s (aim: {AIM_CHECK} s)."


def main() -> None:
    """Print the lines; with `--measure`, print one process's figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.graph", description=__doc__)
    parser.add_argument("--measure", type=int, metavar="CORES", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(asdict(_measure(options.measure))))
        return
    for line in graph_lines(measure()):
        print(line)


if __name__ == "__main__":
    main()
