"""While operators prepare an update that running operations must not see, no operation begins."""

from frontend.messages import Call, Handler, Reply
from shared.arm.errors import service_unavailable


def draining(call: Call, handle: Handler) -> Reply:
    """Refuse a verb that begins an operation if the setting `DRAINING` says so.

    Raises:
        CloudError: 503 `ServiceUnavailable`.
    """
    verb = call.route.verbs.get(call.request.method)
    if verb is not None and verb.begins and call.services.settings.draining:
        raise service_unavailable("The service is being updated and begins no operation. Try again in a few minutes.")
    return handle(call)
