"""Health, for the platform's probes. Neither asks for a particular certificate, and neither tells anything."""

from frontend.messages import Call, Reply
from shared.clusters import catalogue


def alive(_call: Call) -> Reply:
    """Say that this process answers."""
    return Reply(200, {})


def ready(call: Call) -> Reply:
    """Say whether requests can be served: ARM is known, the documents and a default version can be read.

    An uptime is not asked for, because the app scales to zero; a failure of any part is logged and answered with 500.
    """
    services = call.services
    now = services.now()
    if not any(each.not_before <= now <= each.not_after for each in services.arm_certificates()):
        raise RuntimeError("no current client certificate of Azure Resource Manager is known")
    catalogue.default_version(services.store.versions())
    return Reply(200, {})
