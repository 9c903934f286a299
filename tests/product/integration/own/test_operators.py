"""What the app roles of the service's registration open, and what Azure's roles do not."""

import re

import pytest

from tests.entra_azure import Caller, EntraAzure
from tests.product.integration.own.conftest import Stored

pytestmark = pytest.mark.xdist_group("own-stored")

# The status of each operators' route, by the caller's role. `durable` has addresses that control every orchestration,
# and `ssh key` the key of all machines. Actions come with an ETag that the cluster does not have, and the operation to
# cancel has ended.
TABLE = """
                     versions  operation  durable  ready  ssh key  list  ends  cancel  stop  renew  revoke
Operator             200       200        403      200    403      200   200   409     412   412    403
OperatorAdmin        200       200        200      200    200      200   200   409     412   412    412
Owner without a role 403       403        403      403    403      403   403   403     403   403    403
"""


def _answers(caller: Caller, stored: Stored) -> list[str]:
    """Return what each operators' route answers, in the order of the table's columns."""
    cluster = f"/sre{stored.owner.cluster_id}"
    operation = f"{cluster}/operations/{stored.operation_id}"
    requests = (
        ("GET", "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions"),
        ("GET", operation),
        ("GET", f"{operation}/durable"),
        ("GET", "/sre/healthz/ready"),
        ("POST", f"{cluster}/getSshKey"),
        ("GET", f"{cluster}/operations"),
        ("GET", f"{cluster}/expirations"),
        ("POST", f"{operation}/cancel"),
        *(("POST", f"{cluster}/{action}") for action in ("stop", "renew", "revokeCredentials")),
    )
    other = {"If-Match": '"other"'}
    return [str(caller.send(method, path, headers=other).status_code) for method, path in requests]


def test_only_operators_use_operators_routes(entra_azure: EntraAzure, stored: Stored) -> None:
    """An Owner of the subscription is a customer of the service; a role of the registration makes an operator."""
    azure = entra_azure
    heading, *_ = TABLE.strip("\n").splitlines()
    rows = [heading]
    for number, role in enumerate(("Operator", "OperatorAdmin", "Owner without a role")):
        caller = azure.user(f"{stored.owner.cluster}-operator-{number}")
        azure.assign(caller.object_id, "Owner", stored.owner.group_id, kind="User")
        if role in ("Operator", "OperatorAdmin"):
            azure.make_operator(caller.object_id, role)
        columns = zip(re.split(r"\s{2,}", heading.strip()), _answers(caller, stored), strict=True)
        row = role
        for name, answer in columns:
            row = row.ljust(heading.index(f" {name}") + 1) + answer
        rows.append(row)
    assert rows == TABLE.strip("\n").splitlines()
