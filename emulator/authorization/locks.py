"""The resource type of management locks, and their list. `arm/policy/locks.py` says which calls they stop."""

from starlette.responses import Response

from emulator.arm.call import Call, page
from emulator.arm.exceptions import INVALID_FILTER
from emulator.arm.policy.locks import CAN_NOT_DELETE, LOCKS, READ_ONLY, held
from emulator.arm.resources import Change, ResourceType
from emulator.arm.schema import Choice, Required
from emulator.authorization.scopes import enter, require_scope

VERSIONS = ("2015-01-01", "2016-09-01", "2017-04-01", "2020-05-01")
_AT_SCOPE = "atscope()"


async def list_locks(call: Call) -> Response:
    """GET {scope}/…/locks: those on the scope, above it and below it; `atScope()` omits those below."""
    scope = enter(call, f"{LOCKS}/read")
    text = call.request.query_params.get("$filter", "")
    if text.lower() not in ("", _AT_SCOPE):
        raise INVALID_FILTER(text)
    found = list(held(call.arm, scope))
    if not text:
        own = {lock["id"] for lock in found}
        found += [lock for lock in call.arm.scan(f"{scope}/", LOCKS) if lock["id"] not in own]
    return page(call, [call.arm.render(lock) for lock in found])


def _prepare(change: Change) -> None:
    """Check that the locked resource exists."""
    require_scope(change)


MANAGEMENT_LOCKS = ResourceType(
    name=LOCKS,
    api_versions=VERSIONS,
    properties={
        "level": Required(Choice((CAN_NOT_DELETE, READ_ONLY))),
        "notes": str,
        "owners": [{"applicationId": str}],
    },
    name_pattern=r"[^<>%&:?/\\]{1,260}",
    has_state=False,
    prepare=_prepare,
)
