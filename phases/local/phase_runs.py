"""Runs phases on this machine: the activities that the interpreter calls, and what people see meanwhile."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from kubernetes.client import ApiClient
from kubernetes.config import new_client_from_config_dict

from activities.phases.contract import PhaseRun
from activities.phases.executors import EXECUTORS, perform
from activities.phases.object_results import Change
from activities.phases.objects import Cluster
from activities.runtime.executor import TryAgain, wait
from orchestrators.plans.site_plans import DeclaredPhase, resolve
from phases.local.engine import Engine
from phases.local.interrupts import interrupts
from phases.local.operations import Operation
from shared import fence
from shared.arm.errors import CloudError, ErrorCode
from shared.bundles.problems import BundleError
from shared.json_object import Json
from shared.openshift.client import NotDone
from shared.phase_documents.apply_options import Options
from shared.phase_documents.documents import Phase
from shared.phase_documents.kinds import KINDS, waits_for
from shared.phase_documents.kubeconfigs import Kubeconfigs, NoKubeconfigError
from shared.phase_documents.site import Site
from shared.settings import AZURES_PACE
from shared.steps import (
    FINISH,
    Outcome,
    PhaseReference,
    ProgressItem,
    ResolvedPlan,
    ResolvedRow,
    RetryClass,
    StepStatus,
    Verb,
)

Say = Callable[[str], None]

# What people see of a call that failed and may not fail the next time.
_AGAIN = " It is tried again."


class Cancelled(Exception):  # noqa: N818 - what happened, not an error
    """The person who runs the plan has stopped it."""


@dataclass
class Runner:
    """Runs phases of a site.

    Args:
        site: the site.
        kubeconfigs: the kubeconfigs of its clusters.
        say: shows a line to whoever watches.
        timeout: how long each phase waits for its objects, instead of what its executor says.
    """

    site: Site
    kubeconfigs: Kubeconfigs
    say: Say
    timeout: timedelta | None = None
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _clients: dict[str, ApiClient] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cluster(self, name: str) -> Cluster:
        """Return a cluster of the cluster map.

        Raises:
            BundleError: there is none of that name.
            NotDone: there is no kubeconfig, at least not yet.
        """
        with self._lock:
            if name not in self._clients:
                self._clients[name] = _client(self.kubeconfigs.of(name))
            return Cluster(self._clients[name])

    def dry_run(self, phases: Sequence[Phase]) -> Iterator[Json]:
        """Yield what phases would do, one after the other; change nothing.

        Each is told what the ones before it would make, such as namespaces and definitions. If a cluster cannot be
        asked, the verb is `later` where an earlier phase works on one that manages it, and may give its kubeconfig;
        otherwise `unknown`.

        Returns:
            A row for each object: `phase`, `object`, `change` as in `Change`, and `message`.
        """
        before: dict[str, list[Json]] = {}
        for phase in phases:
            executor, row = EXECUTORS[phase.executor.kind], {"phase": phase.name.name}
            run = replace(self._run(phase), before=before.get(phase.cluster, ()))
            try:
                with self._fenced():
                    changes = executor.dry_run(run)
            except NotDone as error:
                prepared = not before.keys().isdisjoint(self.site.cluster_map.ancestors(phase.cluster))
                may_come = prepared and isinstance(error, NoKubeconfigError)
                yield row | {"object": "", "change": "later" if may_come else "unknown", "message": f"{error}."}
            else:
                for one in changes:
                    yield row | {"object": str(one.object), "change": one.verb, "message": one.message}
            before.setdefault(phase.cluster, []).extend(KINDS[phase.executor.kind].applies(self.site, phase))

    def status(self, phase: Phase) -> Outcome | None:
        """Return what a phase still waits for, or None."""
        with self._fenced():
            try:
                return perform(EXECUTORS[phase.executor.kind].status, self._run(phase))
            except TryAgain as error:
                return wait(error.error.message)
            except CloudError as error:
                return wait(error.message)

    def run(self, operation: Operation, done: Sequence[str]) -> Operation:
        """Run an operation to its end, or until somebody presses Ctrl-C; return it.

        Args:
            operation: the operation.
            done: names of the phases that need not run.
        """
        plan = operation.document["plan"]
        engine = Engine(lambda name, call: self._activity(operation, name, call))
        start = {
            "operationId": operation.id,
            "attempt": operation.document["attempt"],
            "clusterKey": "",
            "clusterDocumentId": "",
            "correlationId": operation.id,
            "clientRequestId": "",
            "traceparent": "",
            "plan": plan,
            "done": list(done),
        }
        with interrupts(self.cancel):
            engine.run(start)
        return operation

    def cancel(self) -> None:
        """Let nothing more be changed; what runs ends at its next call."""
        if not self._cancelled.is_set():
            self._cancelled.set()
            self.say("Cancelling: nothing more is changed. What runs ends at its next step.")

    def _run(self, phase: Phase) -> PhaseRun:
        return PhaseRun(self.site, phase, self.cluster, lambda changes: self._show(phase, changes), self.timeout)

    def _show(self, phase: Phase, changes: Sequence[Change]) -> None:
        for change in changes:
            if change.verb != "unchanged":
                self.say(f"{phase.name}: {change}")

    def _activity(self, operation: Operation, name: str, call: Json) -> Json:
        """Do what the interpreter calls for; every failure is an outcome."""
        if name == "stop_operation":
            self._cancelled.set()
            self._record(operation, {**call, "step": call["failedStep"]}, StepStatus.FAILED, call["error"]["message"])
            return {"outcome": "done"}
        if name == FINISH:
            operation.end(_status(call["error"]), call["error"])
            return {"outcome": "done"}
        if call["verb"] == Verb.CANCEL:
            # The phase has failed, which is told next; nothing of it goes on by itself.
            return {"outcome": "stopped"}
        named = call["row"]["document"]
        outcome = self._phase(self.site.phase(named["name"], named["namespace"]), call)
        status, message = _seen(outcome)
        self._record(operation, call, status, message)
        return dict(outcome)

    def _phase(self, phase: Phase, call: Json) -> Outcome:
        executor = EXECUTORS[phase.executor.kind]
        if self._cancelled.is_set():
            return {"outcome": "stopped"}
        work = executor.run if call["verb"] == Verb.RUN else executor.proceed
        try:
            with self._fenced():
                return perform(work, self._run(phase)) or {"outcome": "done"}
        except Cancelled:
            return {"outcome": "stopped"}
        except TryAgain as error:
            return _failed(call, error.error, error.retry_class)
        except CloudError as error:
            return _failed(call, error, RetryClass.NONE)
        except BundleError as error:
            return _failed(call, CloudError(400, ErrorCode.INVALID_PARAMETER, str(error)), RetryClass.NONE)

    @contextmanager
    def _fenced(self) -> Iterator[None]:
        token = fence.check.set(self._check)
        try:
            yield
        finally:
            fence.check.reset(token)

    def _check(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled

    def _record(self, operation: Operation, call: Json, status: StepStatus, message: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row: ResolvedRow = next(one for one in operation.document["plan"]["rows"] if one["name"] == call["step"])
        item: ProgressItem = {
            "id": f"{call['step']}-{call['attempt']}",
            "operationId": operation.id,
            "step": call["step"],
            "attempt": call["attempt"],
            "phase": row["phase"],
            "kind": row["kind"],
            "status": status,
            "startTime": call.get("startTime", now),
            "polls": call.get("polls", 0),
            "deadline": call.get("deadline", now),
            "waitsFor": row["waitsFor"],
            "message": message,
            "error": call.get("error"),
            "lastProgressTime": now,
        }
        if status is not StepStatus.RUNNING:
            item["endTime"] = now
        before = {one["step"]: one for one in operation.items()}.get(call["step"])
        operation.write(item)
        if before is None or (before["status"], before["message"]) != (status, message):
            self.say(f"{call['step']}: {status}" + (f": {message}" if message else ""))


def plan_of(
    site: Site, name: str, phases: Sequence[Phase], timeout: timedelta | None, resume_from: str
) -> ResolvedPlan:
    """Return phases as the engine runs them.

    Args:
        site: the site.
        name: name of the plan.
        phases: its phases, in its order.
        timeout: how long each waits for its objects, instead of what its executor says.
        resume_from: the phase to begin with.

    Raises:
        LookupError: there is no phase of that name.
        ValueError: phases wait for each other.
    """
    return resolve(name, [_declared(site, phase, timeout) for phase in phases], AZURES_PACE, resume_from)


def _declared(site: Site, phase: Phase, timeout: timedelta | None) -> DeclaredPhase:
    options = Options.of(phase.executor.document)
    named: PhaseReference = {"namespace": phase.name.namespace, "name": phase.name.name}
    return DeclaredPhase(
        named, waits_for(site, phase), options.timeout if timeout is None else timeout, options.poll, phase.needs
    )


def read_secret(kubeconfig: Json, namespace: str, name: str) -> Mapping[str, str] | None:
    """Return the data of a Secret in the cluster of a kubeconfig, or None."""
    client = _client(kubeconfig)
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace}}
    stored = Cluster(client).read(secret)
    return None if stored is None else stored.get("data") or {}


def _client(kubeconfig: Json) -> ApiClient:
    """Return a client for the current context of a kubeconfig; on this machine it may run programs and read files."""
    made: ApiClient = new_client_from_config_dict(kubeconfig)  # type: ignore[no-untyped-call]  # the package has no types
    made.configuration.retries = False
    return made


def _status(error: Json | None) -> StepStatus:
    if error is None:
        return StepStatus.SUCCEEDED
    return StepStatus.CANCELED if error["code"] == ErrorCode.CANCELED else StepStatus.FAILED


def _seen(outcome: Outcome) -> tuple[StepStatus, str]:
    match outcome["outcome"]:
        case "done":
            return StepStatus.SUCCEEDED, outcome.get("message", "")
        case "wait":
            return StepStatus.RUNNING, outcome["message"] + (_AGAIN if outcome.get("unanswered") else "")
        case "failed":
            message = outcome["error"].get("message", "")
            passes = outcome.get("retryClass", RetryClass.NONE) != RetryClass.NONE
            return (StepStatus.RUNNING, message + _AGAIN) if passes else (StepStatus.FAILED, message)
        case _:
            return StepStatus.CANCELED, ""


def _failed(call: Json, error: CloudError, retry_class: RetryClass) -> Outcome:
    body = {"code": error.code, "message": f"Phase '{call['step']}' failed: {error.message}", "details": error.details}
    return {"outcome": "failed", "error": body, "retryClass": retry_class}  # type: ignore[typeddict-item]  # JSON
