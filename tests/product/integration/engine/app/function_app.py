"""The product's orchestrators, and activities that do what a row's name is: `A_do`, `B_wait_2`, `C_until_released`."""
# The SDK's decorators have no types, and the worker refuses the precise ones.
# mypy: disable-error-code="type-arg, untyped-decorator, no-untyped-def"

import json
import os
import sys
import time
from pathlib import Path

import azure.durable_functions as df
import azure.functions as func

sys.path.insert(0, str(Path(__file__).parents[5]))

import orchestrators

app = df.DFApp(http_auth_level=func.AuthLevel.ANONYMOUS)
orchestrators.register(app, ("work", "finish_operation", "stop_operation"))


def _mark(name: str) -> int:
    """Append the time to a file, so that a test can count executions; return the number of earlier ones."""
    path = Path(os.environ["MARKS"]) / name
    before = len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{time.time()}\n")
    return before


@app.route("start/{name}/{id}", methods=["POST"])
@app.durable_client_input(client_name="client")
async def start(req: func.HttpRequest, client: df.DurableOrchestrationClient) -> func.HttpResponse:
    """Start an orchestration as the frontend does."""
    body = json.loads(req.get_body() or "null")
    instance_id = await client.start_new(req.route_params["name"], req.route_params["id"], body)
    return client.create_check_status_response(req, instance_id)


@app.activity_trigger(input_name="call")
def work(call: dict) -> dict:
    """Do what the row's name says, and mark its beginning and its end."""
    step = call["step"]
    _, deed, *figure = step.split("_")
    begun = _mark(f"{step}.begun")
    if deed == "fail":
        error = {"code": "Broken", "message": "broken", "details": []}
        return {"outcome": "failed", "error": error, "retryClass": "none"}
    if deed == "wait" and begun < int(figure[0]):
        return {"outcome": "wait", "message": f"poll {begun}"}
    while deed == "until" and not (Path(os.environ["MARKS"]) / f"{step}.released").exists():
        time.sleep(0.02)
    _mark(f"{step}.ended")
    return {"outcome": "done"}


@app.activity_trigger(input_name="call")
def stop_operation(call: dict) -> dict:
    """Mark the call by which the engine stops the operation."""
    _mark(f"stop.{call['failedStep']}")
    return {"outcome": "done"}


@app.activity_trigger(input_name="call")
def finish_operation(call: dict) -> dict:
    """Mark the call by which the engine finishes the operation."""
    _mark(f"finish.{call['error']['code']}")
    return {"outcome": "done"}
