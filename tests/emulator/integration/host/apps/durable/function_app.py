"""Orchestrations, one for each behaviour of the durable host, and a client to start them."""
# The SDK's decorators have no types, and the app is written as its users write theirs.
# mypy: disable-error-code="type-arg, untyped-decorator, no-untyped-def, attr-defined, return-value, no-untyped-call, misc, index, arg-type"

import asyncio
import json
import os
import time
from datetime import timedelta
from pathlib import Path

import azure.durable_functions as df
import azure.functions as func

app = df.DFApp(http_auth_level=func.AuthLevel.ANONYMOUS)


def _mark(name: str) -> int:
    """Append the time to a file, so that a test can count executions; return how many there were before."""
    path = Path(os.environ["MARKS"]) / name
    before = len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{time.time()}\n")
    return before


def _wait_for(*names: str) -> None:
    """Wait until each of these marks has been left, by an activity or by the test."""
    limit = time.monotonic() + 200  # More than any test waits, so that the test says what is missing.
    while not all((Path(os.environ["MARKS"]) / name).exists() for name in names):
        if time.monotonic() > limit:
            raise TimeoutError(f"not all of these marks have been left: {', '.join(names)}")
        time.sleep(0.01)


@app.route("start/{name}/{id}", methods=["POST"])
@app.durable_client_input(client_name="client")
async def start(req: func.HttpRequest, client: df.DurableOrchestrationClient) -> func.HttpResponse:
    """Start an orchestration."""
    body = json.loads(req.get_body() or "null")
    instance_id = await client.start_new(req.route_params["name"], req.route_params["id"], body)
    return client.create_check_status_response(req, instance_id)


@app.route("start_late/{name}/{id}", methods=["POST"])
@app.durable_client_input(client_name="client")
async def start_late(req: func.HttpRequest, client: df.DurableOrchestrationClient) -> func.HttpResponse:
    """Start an orchestration once a mark has been left."""
    _mark("start_late")
    await asyncio.to_thread(_wait_for, req.params["until"])
    instance_id = await client.start_new(req.route_params["name"], req.route_params["id"], req.get_json())
    return client.create_check_status_response(req, instance_id)


@app.route("binding", methods=["GET"])
@app.generic_input_binding(arg_name="client", type="durableClient")
def binding(req: func.HttpRequest, client: str) -> func.HttpResponse:
    """Show the client binding as it came."""
    return func.HttpResponse(client, mimetype="application/json")


@app.activity_trigger(input_name="payload")
def step(payload: dict) -> dict:
    """Leave a mark, wait for the marks of others, leave another."""
    _mark(f"{payload['name']}.begun")
    _wait_for(*payload.get("until", ()))
    _mark(f"{payload['name']}.ended")
    return {"name": payload["name"]}


@app.activity_trigger(input_name="payload")
def failing(payload: str) -> None:
    """Raise."""
    raise ValueError(payload)


@app.activity_trigger(input_name="payload")
def silent(payload: str) -> None:
    """Answer nothing."""


@app.orchestration_trigger(context_name="context")
def chain(context: df.DurableOrchestrationContext):
    """Run steps one after the other."""
    results = []
    for work in context.get_input()["steps"]:
        result = yield context.call_activity("step", work)
        context.set_custom_status({"done": result["name"]})
        results.append(result["name"])
    return results


@app.orchestration_trigger(context_name="context")
def fan_out(context: df.DurableOrchestrationContext):
    """Run steps at the same time."""
    steps = [context.call_activity("step", work) for work in context.get_input()["steps"]]
    results = yield context.task_all(steps)
    return [result["name"] for result in results]


@app.orchestration_trigger(context_name="context")
def overlap(context: df.DurableOrchestrationContext):
    """Begin C when A ends, and D when B ends; B ends after C has begun, and C when the mark `until` has been left."""
    given = context.get_input()
    followers = {"A": "C", "B": "D"}
    prefix = given["prefix"]
    until = {"B": [f"{prefix}C.begun"], "C": [given["until"]]}

    def begin(name: str):
        return context.call_activity("step", {"name": prefix + name, "until": until.get(name, [])})

    running = {"A": begin("A"), "B": begin("B")}
    while running:
        wave = list(running.values())
        if given["trick"]:
            # A timer that is already cancelled ends at once, so the host goes on to what is yielded later.
            marker = context.create_timer(context.current_utc_datetime + timedelta(days=5))
            marker.cancel()
            wave.append(marker)
        ended = yield context.task_any(wave)
        name = next(name for name, task in running.items() if task is ended)
        del running[name]
        if name in followers:
            running[followers[name]] = begin(followers[name])
    return "done"


@app.orchestration_trigger(context_name="context")
def uncaught(context: df.DurableOrchestrationContext):
    """Let an activity's failure propagate."""
    yield context.call_activity("failing", context.get_input())


@app.orchestration_trigger(context_name="context")
def caught(context: df.DurableOrchestrationContext):
    """Return the text of an activity's failure."""
    try:
        yield context.call_activity("failing", context.get_input())
    except Exception as error:  # noqa: BLE001 - the SDK raises nothing else
        return str(error)


@app.orchestration_trigger(context_name="context")
def raising(context: df.DurableOrchestrationContext):
    """Raise before any task."""
    if context.get_input() != "go on":
        raise ValueError("wrong from the start")
    yield context.call_activity("silent", "x")


@app.orchestration_trigger(context_name="context")
def parent(context: df.DurableOrchestrationContext):
    """Call a child, then one that fails."""
    first = yield context.call_sub_orchestrator("chain", {"steps": [{"name": "child"}]}, f"{context.instance_id}-child")
    try:
        yield context.call_sub_orchestrator("raising")
    except Exception as error:  # noqa: BLE001 - the SDK raises nothing else
        return [first, str(error)]


@app.orchestration_trigger(context_name="context")
def waiting(context: df.DurableOrchestrationContext):
    """Wait for a day."""
    yield context.create_timer(context.current_utc_datetime + timedelta(days=1))


@app.orchestration_trigger(context_name="context")
def counting(context: df.DurableOrchestrationContext):
    """Continue as new until the count is reached."""
    count = context.get_input()["count"]
    yield context.call_activity("silent", "x")
    context.set_custom_status({"count": count})
    if count < 3:
        context.continue_as_new({"count": count + 1})
        return None
    return count


@app.orchestration_trigger(context_name="context")
def open_timer(context: df.DurableOrchestrationContext):
    """End while a timer is open."""
    given = context.get_input()
    timer = context.create_timer(context.current_utc_datetime + timedelta(seconds=given["seconds"]))
    work = context.call_activity("silent", "x")
    yield context.task_any([work, timer])
    if given["cancel"]:
        timer.cancel()
    return "over"


@app.orchestration_trigger(context_name="context")
def unknown_activity(context: df.DurableOrchestrationContext):
    """Call an activity that does not exist."""
    yield context.call_activity("nobody", "x")


@app.orchestration_trigger(context_name="context")
def talkative(context: df.DurableOrchestrationContext):
    """Set a custom status over the limit."""
    context.set_custom_status("x" * 9000)
    yield context.call_activity("silent", "x")


@app.orchestration_trigger(context_name="context")
def fickle(context: df.DurableOrchestrationContext):
    """Call another activity in a later episode than in the first."""
    has_been_here = _mark(f"{context.instance_id}.episodes")
    yield context.call_activity("silent" if has_been_here else "step", {"name": "fickle"})
    return "never"


@app.orchestration_trigger(context_name="context")
def seeing(context: df.DurableOrchestrationContext):
    """Return the history that the second episode saw."""
    yield context.call_activity("silent", "x")
    return [(event.event_type, event.event_id, event.is_played) for event in context.histories]
