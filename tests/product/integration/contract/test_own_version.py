"""What the provider's own API version adds, over HTTPS: operations, their cancel, dry runs, and conditions on ETags."""

import uuid

import pytest

from shared.json_object import Json
from tests.api_versions import VERSIONS
from tests.local_azure import wait_for
from tests.product.integration.contract.provider import PULL_SECRET, SECRET, Provider

pytestmark = pytest.mark.slow(60)
OWN = VERSIONS[-1]
CALLER = "66666666-0000-4000-8000-000000000006"
FROM_ARM = {"x-ms-client-object-id": CALLER, "x-ms-client-principal-id": "10037FFE"}


def _ended(provider: Provider, path: str) -> Json:
    """Wait until the newest operation on a cluster has ended, and return it."""

    def newest() -> Json:
        found: Json = provider.send("GET", f"{path}/operations", version=OWN).json()["value"][0]
        return found

    wait_for(lambda: "endTime" in newest()["properties"], f"the end of the operation on {path}")
    return newest()


def test_a_create_that_fails_shows_its_rows_and_who_began_it(provider: Provider) -> None:
    """And its error, as the status of the operation has it."""
    path = provider.cluster("shown")
    begun = provider.send("PUT", path, json=provider.body("shown"), version=OWN, headers=FROM_ARM)
    assert begun.status_code == 201, begun.text
    assert begun.json()["etag"] == begun.headers["ETag"]
    operation = _ended(provider, path)
    properties = operation["properties"]
    assert (properties["status"], properties["plan"]) == ("Failed", "create")
    assert (properties["begunBy"]["objectId"], properties["begunBy"]["kind"]) == (CALLER, "User")
    assert [step["name"] for step in properties["steps"] if step["status"] == "Failed"]
    status = provider.send("GET", f"{provider.location}/operationsstatus/{operation['name']}").json()
    assert properties["error"] == status["error"]
    alone = provider.send("GET", operation["id"], version=OWN)
    assert alone.json()["properties"]["steps"] == properties["steps"]
    assert not [secret for secret in (SECRET, PULL_SECRET, "Y2FuYXJ5") if secret in alone.text]
    assert provider.send("GET", f"{path}/operations/{uuid.uuid4()}", version=OWN).status_code == 404


def test_a_create_that_runs_is_canceled(provider: Provider) -> None:
    """The operation ends as canceled; the cluster can be created again by the same body, or deleted."""
    path, body = provider.cluster("canceled"), provider.body("canceled")
    provider.send("PUT", path, json=body, version=OWN).raise_for_status()
    (operation,) = provider.send("GET", f"{path}/operations", version=OWN).json()["value"]
    canceled = provider.send("POST", f"{operation['id']}/cancel", version=OWN)
    assert canceled.status_code == 202, canceled.text
    properties = _ended(provider, path)["properties"]
    assert properties["status"] == "Canceled"
    cluster = provider.send("GET", path).json()["properties"]
    assert cluster["provisioningState"] == "Failed"
    again = provider.send("POST", f"{operation['id']}/cancel", version=OWN)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "Conflict")
    resumed = provider.send("PUT", path, json=body, version=OWN)
    assert (resumed.status_code, resumed.json()["properties"]["provisioningState"]) == (200, "Creating")
    _ended(provider, path)


def test_a_put_is_tried_before_it_is_sent(provider: Provider) -> None:
    """The answer says which rows would refuse it, and nothing exists afterwards."""
    path = provider.cluster("tried")
    reply = provider.send("POST", f"{path}/dryRun", json=provider.body("tried"), version=OWN)
    while reply.status_code == 202:
        # Each answer waits for the dry run itself, for a while.
        reply = provider.send("GET", reply.headers["Location"])
    assert reply.status_code == 200, reply.text
    tried = reply.json()
    assert tried["plan"] == "create"
    assert tried["refused"]
    assert SECRET not in reply.text
    assert provider.send("GET", path).status_code == 404


def test_conditions_on_etags_are_kept(provider: Provider) -> None:
    """HTTP's own status for each, without a body for a GET of what the caller has."""
    path, body = provider.cluster("tagged"), provider.body("tagged")
    assert provider.send("PUT", path, json=body, headers={"If-Match": "*"}).status_code == 412
    provider.send("PUT", path, json=body, headers={"If-None-Match": "*"}).raise_for_status()
    _ended(provider, path)
    refused = provider.send("PUT", path, json=body, headers={"If-None-Match": "*"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (412, "PreconditionFailed")
    etag = provider.send("GET", path).headers["ETag"]
    same = provider.send("GET", path, headers={"If-None-Match": etag})
    assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", etag)
    assert provider.send("DELETE", path, headers={"If-Match": '"x"'}).status_code == 412
    assert provider.send("DELETE", path, headers={"If-Match": etag}).status_code == 202
