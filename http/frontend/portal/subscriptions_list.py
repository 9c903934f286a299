"""The subscriptions whose clusters a caller with a token can ask for."""

from frontend.messages import Call, Reply


def list_all(call: Call) -> Reply:
    """Answer GET of subscriptions like ARM: return those that the service serves and where the caller has a role.

    Raises:
        CloudError: 503 `ServiceUnavailable` if ARM is away.
    """
    found = call.services.rights.subscriptions(call.principal.object_id)
    return Reply(200, {"value": [{"id": f"/subscriptions/{each}", "subscriptionId": each} for each in found]})
