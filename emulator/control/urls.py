"""The routes of the control service."""

from starlette.routing import Route

from emulator.control.responses import Responses


def routes(responses: Responses) -> list[Route]:
    """Return the routes."""
    return [
        Route("/health", responses.health, methods=["GET"], name="GET health"),
        Route("/clock", responses.clock, methods=["GET"], name="GET clock"),
        Route("/faults", responses.list_faults, methods=["GET"], name="GET faults"),
        Route("/faults", responses.add_fault, methods=["POST"], name="POST faults"),
        Route("/faults", responses.clear_faults, methods=["DELETE"], name="DELETE faults"),
        Route("/faults/{fault_id}", responses.clear_fault, methods=["DELETE"], name="DELETE fault"),
        Route("/quotas", responses.list_quotas, methods=["GET"], name="GET quotas"),
        Route("/quotas", responses.set_quota, methods=["PUT"], name="PUT quotas"),
        Route("/deny-assignments", responses.deny, methods=["PUT"], name="PUT deny-assignments"),
        Route("/deny-assignments", responses.lift_denial, methods=["DELETE"], name="DELETE deny-assignments"),
        Route("/provider", responses.get_provider, methods=["GET"], name="GET provider"),
        Route("/provider", responses.put_provider, methods=["PUT"], name="PUT provider"),
        Route("/arm/certificate/rollover", responses.roll_over, methods=["POST"], name="POST certificate rollover"),
        Route("/journal", responses.journal, methods=["GET"], name="GET journal"),
    ]
