"""Operations on a cluster: which there are, and how one is followed to its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from aroctl import display, timeline
from aroctl.api import Answer, Api, Json
from aroctl.clusters import PROVIDER, Cluster
from aroctl.display import Display
from aroctl.problems import Exit, Problem

_HEADER = "Azure-AsyncOperation"
# Who has to sign in again needs some time for it.
_SIGN_IN_SECONDS = 15
# Details of an error that are told in another way, or only matter to the service's own people.
_REMEDY, _UNSAID = "Remedy", ("Owner",)
_LABELS = {"Step": "step", "CorrelationId": "correlation id"}
# Actions whose plans have another name.
_PLANS = {"revokeCredentials": "revoke_credentials"}
# The verb that repeats an operation, by its plan. A PUT of the cluster repeats all others.
_REPEATED_BY = {
    **{verb: verb for verb in ("delete", "stop", "start", "renew")},
    "revoke_credentials": "revoke",
}


@dataclass(frozen=True)
class Operation:
    """An operation that has begun.

    Args:
        cluster: its cluster.
        id: its id.
        status_path: the path that tells its status, also when the cluster is gone.
        what: the name of its plan, such as `create`.
    """

    cluster: Cluster
    id: str
    status_path: str
    what: str


def of_answer(cluster: Cluster, answer: Answer, what: str) -> Operation:
    """Return the operation that a request has begun.

    Raises:
        Problem: the answer names none.
    """
    address = answer.headers.get(_HEADER, "")
    if not address:
        raise Problem(
            Exit.REFUSED,
            f"The answer ({answer.status}) names no operation, so this is not the service that was configured.",
            "Behind Azure Resource Manager, use `az aro` instead.",
        )
    path = urlsplit(address).path
    return Operation(cluster, path.rpartition("/")[2], path, what)


def act(service: Api, cluster: Cluster, action: str, *, no_wait: bool) -> None:
    """Begin an action on a cluster, and follow it to its end.

    Args:
        service: the service.
        cluster: the cluster.
        action: the last part of its path, such as `stop`.
        no_wait: whether to leave it alone once it has begun.

    Raises:
        Problem: it is refused, or has failed.
    """
    answer = service.call("POST", f"{cluster.id}/{action}")
    attend(service, of_answer(cluster, answer, _PLANS.get(action, action)), no_wait=no_wait)


def every(service: Api, cluster: Cluster) -> list[Json]:
    """Return the operations on a cluster, the newest first."""
    return service.values(f"{cluster.id}/operations")


def newest(service: Api, cluster: Cluster) -> Json:
    """Return the newest operation on a cluster.

    Raises:
        Problem: there is none.
    """
    page = service.get(f"{cluster.id}/operations").get("value") or []
    if not page:
        raise Problem(Exit.NOT_FOUND, f"There is no operation on '{cluster.name}' any more.")
    first: Json = page[0]
    return first


def of_document(cluster: Cluster, location: str, document: Json) -> Operation:
    """Return the operation that a document of the service describes.

    Args:
        cluster: its cluster.
        location: the cluster's region.
        document: the operation, as the service answers it.
    """
    path = f"/subscriptions/{cluster.subscription}/providers/{PROVIDER}/locations/{location}/operationsstatus"
    name = document["name"]
    return Operation(cluster, name, f"{path}/{name}", document["properties"].get("plan", "operation"))


def find(service: Api, cluster: Cluster, operation_id: str) -> Json:
    """Return an operation on a cluster; the newest if none is named.

    Raises:
        Problem: there is none.
    """
    return service.get(f"{cluster.id}/operations/{operation_id}") if operation_id else newest(service, cluster)


def attend(service: Api, operation: Operation, *, no_wait: bool = False) -> None:
    """Follow an operation to its end, or say how to follow it.

    Raises:
        Problem: it has failed or was canceled; it may not be read any more; somebody has pressed Ctrl-C.
    """
    if no_wait:
        service.progress.note(f"The {operation.what} has begun. {_watch(operation)}")
        return
    status = follow(service, operation)
    if status["status"] != "Succeeded":
        raise problem(operation, status)


def follow(service: Api, operation: Operation) -> Json:
    """Show an operation until it ends; return its status, with the error if it has failed.

    Raises:
        Problem: it may not be read any more; somebody has pressed Ctrl-C.
    """
    try:
        with display.operation_display(operation.cluster.name) as shown:
            before, service.progress = service.progress, shown
            try:
                return _until_ended(service, operation, shown)
            finally:
                service.progress = before
    except KeyboardInterrupt:
        goes_on = f"The {operation.what} of '{operation.cluster.name}' goes on."
        raise Problem(Exit.INTERRUPTED, goes_on, _watch(operation)) from None


def _watch(operation: Operation) -> str:
    return f"Follow it: {operation.cluster.command('watch', operation.id)}"


def _until_ended(service: Api, operation: Operation, shown: Display) -> Json:
    while True:
        answer = _patiently(service, operation, operation.status_path)
        status = answer.body
        details = _patiently(service, operation, f"{operation.cluster.id}/operations/{operation.id}", missing=True)
        # When a delete has ended, its cluster is gone, and the cluster's operations with it.
        shown.show(details.body["properties"] if "properties" in details.body else _bare(operation, status))
        if status["status"] in timeline.ENDED:
            return status
        service.pause(answer.seconds)


def _bare(operation: Operation, status: Json) -> Json:
    begun = str(status["startTime"])
    lasted = datetime.fromisoformat(str(status.get("endTime", begun))) - datetime.fromisoformat(begun)
    return {"plan": operation.what, "phases": [], "steps": [], "durationSeconds": lasted.total_seconds(), **status}


def _patiently(service: Api, operation: Operation, path: str, *, missing: bool = False) -> Answer:
    """Return the answer of a path, whatever happens to the network, the service and the caller's sign-in.

    Args:
        service: the service.
        operation: the operation.
        path: the path.
        missing: whether it may be gone.
    """
    while True:
        try:
            answer = service.send("GET", path, forever=True)
            if answer.status != HTTPStatus.UNAUTHORIZED:
                break
            problem = service.problem(answer)
        except Problem as met:
            if met.exit_code != Exit.SIGNED_OUT:
                raise
            problem = met
        service.progress.note(
            f"Your sign-in has ended. {problem.remedy} The {operation.what} goes on; "
            f"asking again in {_SIGN_IN_SECONDS} s."
        )
        service.pause(_SIGN_IN_SECONDS)
    if answer.refused and not (missing and answer.status == HTTPStatus.NOT_FOUND):
        refused = service.problem(answer)
        goes_on = f"The {operation.what} goes on. {_watch(operation)}"
        raise Problem(refused.exit_code, refused.cause, goes_on, refused.details)
    return answer


def problem(operation: Operation, status: Json) -> Problem:
    """Return the problem of an operation that has not succeeded: its cause whole, the remedy, and how to go on."""
    error = status.get("error") or {}
    details = [each for each in error.get("details") or [] if each["code"] not in _UNSAID]
    remedy = "\n".join(each["message"] for each in details if each["code"] == _REMEDY)
    again = f"To repeat the request: {operation.cluster.command(repeating_verb(operation.what))}"
    return Problem(
        Exit.FAILED,
        _sentence(error, f"The {operation.what} of '{operation.cluster.name}' has ended: {status['status']}."),
        "\n".join(filter(None, [remedy, again])),
        [_detail(each) for each in details if each["code"] != _REMEDY],
    )


def repeating_verb(plan: str) -> str:
    """Return the verb that repeats an operation with a plan."""
    return _REPEATED_BY.get(plan, "resume")


def _sentence(error: Mapping[str, str], otherwise: str) -> str:
    return f"{error['code']}: {error['message']}" if "code" in error else otherwise


def _detail(detail: Mapping[str, str]) -> str:
    return f"{_LABELS.get(detail['code'], detail['code'])}: {detail['message']}"
