"""One round: several clusters created at once, and the resources that this took."""

import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import requests
from azure.core.exceptions import HttpResponseError
from azure.mgmt.redhatopenshift import models as aro

from bench import history, identities
from bench.history import Instance
from bench.quantities import JOURNAL, Meter, Quantities
from demo import customer, watch
from demo.customer import Customer
from shared.json_object import Json

NO_OPS = 20


class CreateFailedError(Exception):
    """A create of a round failed, so there is nothing to compare. The message is the service's own."""


@dataclass
class Round:
    """The figures of one round, for all its creates together unless stated otherwise.

    Args:
        creates: how many at once.
        no_op: median seconds of a function that does nothing.
        puts: seconds of each PUT.
        walls: seconds of each create.
        instances: the orchestrations of all creates.
        activities: number of activities that ran for rows.
        calls: number of calls to Azure, by service.
        cpu: CPU seconds, by process.
        peak: largest memory of all processes together, in MiB.
        used: what Azure charges for.
        kind: what the clusters have that others do not: "identities", or "" for a principal.
    """

    creates: int
    no_op: float
    puts: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    activities: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    cpu: dict[str, float] = field(default_factory=dict)
    peak: float = 0
    used: Quantities = field(default_factory=Quantities)
    kind: str = ""

    @property
    def name(self) -> str:
        """The round's name, for the report."""
        return f"{self.creates} with ids" if self.kind else str(self.creates)


@dataclass(frozen=True)
class _Create:
    person: Customer
    put: float
    operation_id: str
    poller: Any


@dataclass(frozen=True)
class Wanted:
    """The clusters of a round.

    Args:
        name: prefix of their names.
        creates: how many at once.
        kind: as for `Round`.
    """

    name: str
    creates: int
    kind: str = ""


Prepared = tuple[Customer, aro.OpenShiftCluster | None]


def measure(endpoints: Json, state: Path, wanted: Wanted, pause: float) -> Round:
    """Create clusters at once and return the figures.

    Args:
        endpoints: endpoints of the local Azure.
        state: its folder.
        wanted: the clusters.
        pause: seconds until Azure knows the customers' roles; they do not count as the creates'.

    Raises:
        CreateFailedError: if not all have succeeded.
    """
    creates, prepare = wanted.creates, KINDS[wanted.kind]
    with ThreadPoolExecutor(creates) as pool:
        people = list(pool.map(lambda number: prepare(endpoints, f"{wanted.name}x{number}"), range(creates)))
        time.sleep(pause)
        found = Round(creates, _no_op_seconds(endpoints), kind=wanted.kind)
        journal, meter = state / JOURNAL, Meter(state)
        begin, cpu = journal.stat().st_size, _cpu(endpoints)
        begun = list(pool.map(_begin, people))
        _await(begun)
    found.cpu = {process: after - cpu.get(process, 0) for process, after in _cpu(endpoints).items()}
    found.calls = _calls(journal, begin)
    for create in begun:
        operation = watch.Operations(endpoints, create.person.cluster_id).get(create.operation_id)
        found.puts.append(create.put)
        found.walls.append(operation["durationSeconds"])
        found.activities += sum(1 + step.get("polls", 0) for step in operation["steps"])
        found.instances += history.instances(state, create.operation_id)
    found.used = meter.read(found.instances, found.activities)
    return found


def _with_principal(endpoints: Json, name: str) -> Prepared:
    person = Customer(endpoints, group=name, cluster=name)
    person = replace(person, own_principal=customer.make_principal(person, name))
    customer.register_provider(person, lambda: time.sleep(0.1))
    customer.create_network(person)
    customer.assign_roles(person, [endpoints["rp_object_id"], person.principal["object_id"]])
    return person, None


def _with_identities(endpoints: Json, name: str) -> Prepared:
    person = Customer(endpoints, group=name, cluster=name)
    customer.register_provider(person, lambda: time.sleep(0.1))
    return person, identities.prepare(person)


KINDS: dict[str, Callable[[Json, str], Prepared]] = {"": _with_principal, "identities": _with_identities}


def _begin(prepared: Prepared) -> _Create:
    person, body = prepared
    began = time.perf_counter()
    operation_id, poller = customer.begin_create(person, body)
    return _Create(person, time.perf_counter() - began, operation_id, poller)


def _await(creates: list[_Create]) -> None:
    """Wait until all have ended, and report now and then how many have."""
    began, told = time.monotonic(), -1
    while not all(create.poller.done() for create in creates):
        done = sum(create.poller.done() for create in creates)
        if done != told:
            print(
                f"  {time.monotonic() - began:4.0f} s: {done} of {len(creates)} are done", file=sys.stderr, flush=True
            )
            told = done
        time.sleep(1)
    failures = [failure for create in creates if (failure := _failure(create))]
    if failures:
        raise CreateFailedError(f"{len(failures)} of {len(creates)} creates failed. {failures[0]}")


def _failure(create: _Create) -> str:
    """Return why a create has failed, in the words of the operation; "" if it has not."""
    try:
        create.poller.result()
    except HttpResponseError as failure:
        operation = watch.Operations(create.person.endpoints, create.person.cluster_id).get(create.operation_id)
        error = operation.get("error") or {"code": type(failure).__name__, "message": str(failure.message)}
        details = "".join(f"\n  {detail['code']}: {detail['message']}" for detail in error.get("details", []))
        return f"{create.person.cluster}, operation {create.operation_id}: {error['code']}: {error['message']}{details}"
    return ""


def _no_op_seconds(endpoints: Json) -> float:
    """Return the median time of a function that does nothing, through the same front end."""
    with requests.Session() as session:
        session.cert = (endpoints["rp_client_cert"], endpoints["rp_client_key"])
        session.verify = endpoints["rp_ca_bundle"]
        times = []
        for _ in range(NO_OPS):
            began = time.perf_counter()
            session.get(endpoints["rp"] + "/healthz", timeout=30).raise_for_status()
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def _calls(journal: Path, begin: int) -> Counter[str]:
    """Count the calls to each service in the journal after the given number of bytes."""
    with journal.open("rb") as lines:
        lines.seek(begin)
        return Counter(service for line in lines if (service := json.loads(line)["service"]) != "control")


def _cpu(endpoints: Json) -> dict[str, float]:
    health = requests.get(endpoints["control"] + "/health", timeout=30).json()
    return {entry["name"]: entry["cpuSeconds"] for entry in health["processes"]}
