"""The error of an operation: its cause, with everything that a person needs to act.

`details` has the causes first, then the step and the Azure resource where there is one, then always what to do next,
the correlation id, and who is responsible.
"""

from collections.abc import Iterable

from shared.arm.errors import CloudErrorBody, Owner


def operation_error(  # noqa: PLR0917 - the order of the members
    code: str,
    message: str,
    details: Iterable[CloudErrorBody],
    remedy: str,
    correlation_id: str,
    owner: Owner,
) -> CloudErrorBody:
    """Return the error of an operation that has failed or was canceled.

    Args:
        code: the code of the cause.
        message: what happened.
        details: the causes, then the step and the resource.
        remedy: what to do next.
        correlation_id: the id of the request.
        owner: who is responsible.
    """
    return {
        "code": str(code),
        "message": message,
        "details": [
            *details,
            {"code": "Remedy", "message": remedy},
            {"code": "CorrelationId", "message": correlation_id},
            {"code": "Owner", "message": str(owner)},
        ],
    }


def step_detail(name: str, section: str) -> CloudErrorBody:
    """Return the entry of `details` that names the step.

    Args:
        name: the name of its row.
        section: the heading of its row.
    """
    return {"code": "Step", "message": name, "target": section}
