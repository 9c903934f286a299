"""HTTP functions, a timer, and functions that a host refuses."""
# The SDK's decorators have no types, and the app is written as its users write theirs.
# mypy: disable-error-code="untyped-decorator, no-untyped-def, attr-defined, return-value, no-untyped-call, misc"

import json
import logging
import os
import time
from pathlib import Path

import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


@app.route("echo/{name}/{*rest}", methods=["GET", "POST"])
def echo(req: func.HttpRequest) -> func.HttpResponse:
    """Describe the request in the answer."""
    logging.getLogger("echo").info("echo called", extra={"correlation_id": req.headers.get("x-correlation-id", "")})
    described = {
        "method": req.method,
        "url": req.url,
        "headers": dict(req.headers),
        "params": dict(req.params),
        "route": dict(req.route_params),
        "body": req.get_body().decode(),
    }
    return func.HttpResponse(json.dumps(described), status_code=201, mimetype="application/json")


@app.route("items/{id}", methods=["GET"])
def a_item(req: func.HttpRequest) -> func.HttpResponse:
    """Shadow the literal route of the next function by name."""
    return func.HttpResponse(f"item {req.route_params['id']}")


@app.route("items/recent", methods=["GET"])
def b_recent(req: func.HttpRequest) -> func.HttpResponse:
    """Never be reached."""
    return func.HttpResponse("recent")


@app.route("broken", methods=["GET"])
def broken(req: func.HttpRequest) -> func.HttpResponse:
    """Raise."""
    raise ValueError("broken on purpose")


@app.route("none", methods=["GET"])
def nothing(req: func.HttpRequest) -> func.HttpResponse:
    """Answer nothing."""
    return None


@app.route("die", methods=["POST"])
def die(req: func.HttpRequest) -> func.HttpResponse:
    """End the worker process."""
    os._exit(137)


@app.route("slow/{name}", methods=["GET"])
def slow(req: func.HttpRequest) -> func.HttpResponse:
    """Leave a mark, and answer once the test has left one too."""
    marks, name = Path(os.environ["MARKS"]), req.route_params["name"]
    (marks / f"{name}.begun").touch()
    limit = time.monotonic() + 200  # More than any test waits, so that the test says what is missing.
    while not (marks / f"{name}.go").exists() and time.monotonic() < limit:
        time.sleep(0.01)
    return func.HttpResponse("late")


@app.route("cookies", methods=["GET"])
def cookies(req: func.HttpRequest) -> func.HttpResponse:
    """Set two cookies and a header twice."""
    response = func.HttpResponse("x")
    response.headers.add("Set-Cookie", "a=1")
    response.headers.add("Set-Cookie", "b=2")
    response.headers.add("X-Once", "1")
    response.headers.add("X-Once", "2")
    return response


@app.route("secret", methods=["GET"], auth_level=func.AuthLevel.FUNCTION)
def secret(req: func.HttpRequest) -> func.HttpResponse:
    """Answer callers with a key."""
    return func.HttpResponse("open")


@app.route("root", methods=["GET"], auth_level=func.AuthLevel.ADMIN)
def root(req: func.HttpRequest) -> func.HttpResponse:
    """Answer callers with the master key."""
    return func.HttpResponse("open")


@app.route("switched-off", methods=["GET"])
def switched_off(req: func.HttpRequest) -> func.HttpResponse:
    """Be disabled by a setting."""
    return func.HttpResponse("on")


@app.route("admin/things", methods=["GET"])
def reserved(req: func.HttpRequest) -> func.HttpResponse:
    """Be refused: the host keeps this route for itself."""
    return func.HttpResponse("never")


@app.route("ECHO/{other}/{*rest}", methods=["POST"])
def same_route(req: func.HttpRequest) -> func.HttpResponse:
    """Be refused: an earlier function has this route."""
    return func.HttpResponse("never")


@app.function_name("Twin")
@app.route("twin1", methods=["GET"])
def twin_one(req: func.HttpRequest) -> func.HttpResponse:
    """Be served."""
    return func.HttpResponse("first")


@app.function_name("twin")
@app.route("twin2", methods=["GET"])
def twin_two(req: func.HttpRequest) -> func.HttpResponse:
    """Be refused: names are unique without regard to case."""
    return func.HttpResponse("second")


@app.route("wrong_binding", methods=["GET"], trigger_arg_name="the_request")
def wrong_binding(the_request: func.HttpRequest) -> func.HttpResponse:
    """Be refused: a binding name holds no underscore."""
    return func.HttpResponse("never")


@app.timer_trigger(arg_name="timer", schedule="%TICK_SCHEDULE%", run_on_startup=True, use_monitor=False)
def tick(timer: func.TimerRequest) -> None:
    """Leave a mark."""
    with (Path(os.environ["MARKS"]) / "tick").open("a", encoding="utf-8") as file:
        file.write(f"{time.time()}\n")
    logging.getLogger("tick").info("past due: %s", timer.past_due)
