"""One round: some clusters created at once, and what that took of everything."""

import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import requests

from demo import customer, watch
from demo.customer import Customer

Json = dict[str, Any]
NO_OPS = 20


@dataclass
class Round:
    """The figures of one round, of all its creates together unless said otherwise.

    Args:
        creates: how many at once.
        no_op: seconds of a function that does nothing, the median.
        puts: seconds of each PUT.
        walls: seconds of each create.
        events: events in all histories.
        history_bytes: of these.
        activities: run by all.
        calls: to Azure, by service.
        cpu: seconds, by process.
        peak: most memory that all processes held together, in MiB.
    """

    creates: int
    no_op: float
    puts: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    events: int = 0
    history_bytes: int = 0
    activities: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    cpu: dict[str, float] = field(default_factory=dict)
    peak: float = 0


def measure(endpoints: Json, name: str, creates: int, pause: float) -> Round:
    """Create clusters at once and return what it took.

    Args:
        endpoints: of the local Azure.
        name: with which names begin.
        creates: how many.
        pause: seconds in which Azure learns of the customers' roles: theirs, not the creates'.
    """
    with ThreadPoolExecutor(creates) as pool:
        people = list(pool.map(lambda number: _prepare(endpoints, f"{name}x{number}"), range(creates)))
        time.sleep(pause)
        found = Round(creates, _no_op_seconds(endpoints))
        calls, cpu = len(_journal(endpoints)), _cpu(endpoints)
        begun = list(pool.map(_begin, people))
        for _, _, poller in begun:
            poller.result()
    found.cpu = {process: after - cpu.get(process, 0) for process, after in _cpu(endpoints).items()}
    found.calls = Counter(call["service"] for call in _journal(endpoints)[calls:] if call["service"] != "control")
    for person, (seconds, operation_id, _) in zip(people, begun, strict=True):
        found.puts.append(seconds)
        found.walls.append(watch.Operations(endpoints, person.cluster_id).get(operation_id)["durationSeconds"])
        events, size, activities = _history(endpoints, operation_id)
        found.events, found.history_bytes = found.events + events, found.history_bytes + size
        found.activities += activities
    return found


def _prepare(endpoints: Json, name: str) -> Customer:
    person = Customer(endpoints, group=name, cluster=name)
    person = replace(person, own_principal=customer.make_principal(person, name))
    customer.register_provider(person, lambda: time.sleep(0.1))
    customer.create_network(person)
    customer.assign_roles(person, [endpoints["rp_object_id"], person.principal["object_id"]])
    return person


def _begin(person: Customer) -> tuple[float, str, Any]:
    began = time.perf_counter()
    operation_id, poller = customer.begin_create(person)
    return time.perf_counter() - began, operation_id, poller


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


def _journal(endpoints: Json) -> list[Json]:
    calls: list[Json] = requests.get(endpoints["control"] + "/journal", timeout=30).json()["value"]
    return calls


def _cpu(endpoints: Json) -> dict[str, float]:
    health = requests.get(endpoints["control"] + "/health", timeout=30).json()
    return {entry["name"]: entry["cpuSeconds"] for entry in health["processes"]}


def _history(endpoints: Json, operation_id: str) -> tuple[int, int, int]:
    """Return (events, bytes of them, activities run) of an operation's orchestration and its waits."""
    with requests.Session() as session:
        session.headers["x-functions-key"] = endpoints["durable_key"]
        base = f"{endpoints['functions']}/runtime/webhooks/durabletask/instances"
        found = session.get(base, params={"instanceIdPrefix": operation_id}, timeout=30).json()
        events, size, activities = 0, 0, 0
        for instance in found:
            answer = session.get(
                f"{base}/{instance['instanceId']}",
                params={"showHistory": "true", "showHistoryOutput": "true"},
                timeout=30,
            ).json()["historyEvents"]
            events += len(answer)
            size += len(str(answer))
            activities += sum(event["EventType"] in ("TaskCompleted", "TaskFailed") for event in answer)
    return events, size, activities
