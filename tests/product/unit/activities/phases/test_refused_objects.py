"""Answers of a cluster's API server to an object: those that end a phase, and those after which it is tried again."""

from typing import Any

import pytest

from activities.phases.contract import PhaseRun
from activities.phases.executors import perform
from activities.phases.object_results import applied
from activities.phases.objects import Cluster, Served
from activities.runtime.executor import TryAgain
from shared import fence
from shared.arm.errors import CloudError
from shared.json_object import Json
from shared.phase_documents.kubeconfigs import NoKubeconfigError
from shared.steps import Outcome
from tests.product.unit.openshift.api_fake import FakeApi, failure

DOCUMENT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "default"}}
NAMED = "ConfigMap default/one"
SERVED = {("v1", "ConfigMap"): Served("/api/v1/{namespace}configmaps", namespaced=True)}


class Phase:
    """As much of a phase as an error names."""

    cluster = "managed"


RUN: Any = type("Run", (), {"phase": Phase})


@pytest.fixture(autouse=True)
def _fence() -> Any:
    token = fence.check.set(lambda: None)
    yield
    fence.check.reset(token)


def apply_to(answer: tuple[int, Json]) -> Any:
    """Apply the object to a cluster that has none of it and answers so; return what becomes of it."""
    missing = failure(404, "NotFound", "not found")
    api = FakeApi(first=lambda method, _path: answer if method == "PATCH" else missing)
    return applied(Cluster(api.client, _served=SERVED), DOCUMENT, [])


@pytest.mark.parametrize(
    ("status", "reason", "message"),
    [
        (400, "BadRequest", "metadata.managedFields must be nil"),
        (403, "Forbidden", 'configmaps "one" is forbidden: exceeded quota: small'),
        (403, "Forbidden", 'admission webhook "validate.example.com" denied the request: no owner'),
        (413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"),
        (422, "Invalid", 'ConfigMap "one" is invalid: data[a b]: Invalid value'),
        (500, "", "failed to create typed patch object: .dat: field not declared in schema"),
        (500, "", "failed to create typed patch object (default/one; v1, Kind=ConfigMap): .dat: field not declared"),
        (500, "", "failed to merge config: expected objects of the same type"),
        (500, "", "etcdserver: request is too large"),
    ],
)
def test_an_answer_that_finds_the_object_wrong_refuses_it(status: int, reason: str, message: str) -> None:
    """The phase ends with the object and the server's words."""
    change = apply_to(failure(status, reason, message))
    assert (str(change.object), change.verb) == (NAMED, "refused")
    assert message in change.message


@pytest.mark.parametrize(
    ("status", "reason", "message", "answers"),
    [
        (
            403,
            "Forbidden",
            "forbidden: unable to create new content in namespace default because it is being terminated",
            True,
        ),
        (403, "Forbidden", 'configmaps "one" is forbidden: not yet ready to handle request', True),
        (404, "NotFound", 'namespaces "default" not found', True),
        (500, "InternalError", 'Internal error occurred: failed calling webhook "validate.example.com"', False),
        (500, "", "etcdserver: request timed out", False),
        (429, "TooManyRequests", "The server has received too many requests", False),
        (503, "ServiceUnavailable", "apiserver is shutting down.", False),
    ],
)
def test_an_answer_that_may_pass_is_told_with_the_object(
    status: int, reason: str, message: str, *, answers: bool
) -> None:
    """So people see at once what is waited for; a server that gives no answer does not use up the phase's time."""

    def work(_run: PhaseRun) -> Outcome | None:
        apply_to(failure(status, reason, message))
        raise AssertionError("it was applied")

    if not answers:
        outcome: Any = perform(work, RUN)
        assert outcome["unanswered"]
        told = outcome["message"]
    else:
        with pytest.raises(TryAgain) as caught:
            perform(work, RUN)
        told = caught.value.error.message
    assert told.startswith(f"managed: {NAMED}: the API server answers {status} ")
    assert message in told


@pytest.mark.parametrize(("may_come", "want"), [(True, TryAgain), (False, CloudError)])
def test_a_kubeconfig_that_never_comes_ends_the_phase(may_come: bool, want: type[Exception]) -> None:
    """A file does not appear by waiting, a Secret of Cluster API may."""

    def work(_run: PhaseRun) -> Outcome | None:
        raise NoKubeconfigError("there is no file", may_come=may_come)

    with pytest.raises(want, match=r"managed: there is no file\."):
        perform(work, RUN)
