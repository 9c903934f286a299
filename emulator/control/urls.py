"""The routes of the control service."""

from starlette.routing import Route

from emulator.control import page_files
from emulator.control.page_files import guarded
from emulator.control.responses import Responses


def routes(responses: Responses) -> list[Route]:
    """Return the routes: the page, and what the page and programs ask."""
    table = (
        ("GET", "/health", responses.health, "health"),
        ("GET", "/clock", responses.clock, "clock"),
        ("GET", "/faults", responses.list_faults, "faults"),
        ("POST", "/faults", responses.add_fault, "faults"),
        ("DELETE", "/faults", responses.clear_faults, "faults"),
        ("DELETE", "/faults/{fault_id}", responses.clear_fault, "fault"),
        ("GET", "/quotas", responses.list_quotas, "quotas"),
        ("PUT", "/quotas", responses.set_quota, "quotas"),
        ("PUT", "/deny-assignments", responses.deny, "deny-assignments"),
        ("DELETE", "/deny-assignments", responses.lift_denial, "deny-assignments"),
        ("GET", "/provider", responses.get_provider, "provider"),
        ("PUT", "/provider", responses.put_provider, "provider"),
        ("POST", "/arm/certificate/rollover", responses.roll_over, "certificate rollover"),
        ("GET", "/journal", responses.journal, "journal"),
        ("GET", "/overview", responses.overview, "overview"),
        ("GET", "/resources", responses.resources, "resources"),
    )
    return [
        *page_files.routes(),
        *(Route(path, guarded(ask), methods=[verb], name=f"{verb} {name}") for verb, path, ask, name in table),
    ]
