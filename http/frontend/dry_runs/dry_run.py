"""Dry runs: what a request on a cluster would do, row by row, and for operators what a row would send to Azure."""

import hashlib
from dataclasses import replace

from frontend.dry_runs.trial_operation import as_put, planned, planned_put
from frontend.messages import Call, Reply, Trial, error_reply
from frontend.retry_after import RETRY_AFTER
from orchestrators.plans import PLANS
from shared import durations
from shared.arm import links
from shared.arm.errors import CloudError, ErrorCode, conflict, shown
from shared.clusters.api_versions import find_api_version
from shared.json_object import Json
from shared.steps import DryRunInput, DryRunResult, Verdict

_SECONDS, _SECONDS_OF_PUT = durations.DRY_RUN.total_seconds(), durations.DRY_RUN_OF_PUT.total_seconds()


def begin_put(call: Call) -> Reply:
    """Answer POST of dryRun on a cluster: tell what its PUT would do; 202 and where to ask again if it takes long.

    The body is that of the PUT. Its secrets are left out, so what needs them is not checked.

    Raises:
        CloudError: what the PUT itself would be refused for.
    """
    given = planned_put(as_put(call))
    return _answered(call, f"{given['plan']['name']}-{given['operationId']}", given)


def get_put(call: Call) -> Reply:
    """Answer GET of the dry run of a cluster's PUT: return the result of one that took long, once.

    Raises:
        CloudError: 404 `NotFound` if this cluster has none.
    """
    return _answered(call, call.parameters["dryRunId"], None)


def _answered(call: Call, identifier: str, given: DryRunInput | None) -> Reply:
    """Return the reply that a dry run of a PUT will replace.

    The instance's id also depends on the cluster, so whoever may write one cluster finds no dry run of another.
    """
    cluster = hashlib.sha256(call.key.encode()).hexdigest()[:16]
    trial = _trial(call, identifier, given)
    return Reply(202, trial=replace(trial, instance_id=_instance(f"{cluster}-{identifier}"), seconds=_SECONDS_OF_PUT))


def begin(call: Call) -> Reply:
    """Answer POST of dryRun on a plan: tell what each row would do; 202 and where to ask again if it takes long.

    The body is that of the PUT. Its secrets are left out, so what needs them is not checked.

    Raises:
        CloudError: what the request itself would be refused for.
    """
    given = _planned(call)
    return Reply(202, trial=_trial(call, given["operationId"], given))


def get(call: Call) -> Reply:
    """Answer GET of the dry run of a plan: return the result of one that took long, once.

    Raises:
        CloudError: 404 `NotFound` if there is none.
    """
    return Reply(202, trial=_trial(call, call.parameters["operationId"], None))


def render(call: Call) -> Reply:
    """Answer POST of render on a plan's row: return what it would send to Azure as a list, with secrets masked.

    Raises:
        CloudError: what the request itself would be refused for; 404 `NotFound` for a row that the plan has not, or
            would skip; 409 `Conflict` if the row cannot be rendered.
    """
    given = _planned(call)
    row, plan = call.parameters["rowName"], given["plan"]
    skipped = {each["name"]: each["reason"] for each in plan["skipped"]}
    if row not in {each["name"] for each in plan["rows"]}:
        why = f" It would be skipped: {skipped[row]}." if row in skipped else ""
        raise CloudError(404, ErrorCode.NOT_FOUND, f"The plan '{plan['name']}' runs no row '{shown(row)}'.{why}")

    def answer(result: DryRunResult | None, _running: bool) -> Reply:
        if result is None:
            return _without_result("The row was not rendered. Try again.")
        if result["rendered"]:
            return Reply(200, {"value": result["rendered"]})
        return error_reply(conflict(result["rows"][0]["message"]))

    return Reply(202, trial=Trial(_instance(given["operationId"]), answer, {**given, "render": row}, _SECONDS))


def _planned(call: Call) -> DryRunInput:
    put = replace(as_put(call), version=find_api_version(call.request.query.get("api-version", "")))
    return planned(put, call.parameters["planName"])


def _trial(call: Call, identifier: str, given: DryRunInput | None) -> Trial:
    def answer(result: DryRunResult | None, running: bool) -> Reply:
        if result is None and not running and given is not None:
            return _without_result("The dry run has failed. Begin it again.")
        if result is None and not running:
            gone = f"There is no result of the dry run '{identifier}': it has failed, or was answered. Begin it again."
            return error_reply(CloudError(404, ErrorCode.NOT_FOUND, gone))
        if result is None:
            address = call.public_url._replace(query="")
            path = address.path.partition("/dryRun")[0] + f"/dryRuns/{identifier}"
            seconds = call.services.settings.retry_after_seconds(RETRY_AFTER)
            headers = {"Location": links.with_path(address, path), "Retry-After": str(seconds)}
            return Reply(202, {"id": identifier, "status": "Running"}, headers)
        # The id of a dry run of a PUT begins with the plan.
        return Reply(200, _report(call.parameters.get("planName") or identifier.partition("-")[0], result))

    return Trial(_instance(identifier), answer, given, _SECONDS)


def _without_result(message: str) -> Reply:
    return error_reply(CloudError(503, ErrorCode.SERVICE_UNAVAILABLE, message))


def _instance(identifier: str) -> str:
    return f"dry-run-{identifier}"


def _report(plan_name: str, result: DryRunResult) -> Json:
    """Return the answer: the rows in the order of the plan."""
    results = {row["row"]: row for row in result["rows"]}
    rows = [{**results[row.name], "phase": row.section} for row in PLANS[plan_name] if row.name in results]
    return {"plan": plan_name, "refused": refused(result), "rows": rows}


def refused(result: DryRunResult) -> list[str]:
    """Return the names of the rows that would be refused."""
    return [row["row"] for row in result["rows"] if row["verdict"] == Verdict.REFUSED]
