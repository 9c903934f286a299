"""Verbs: the host passes every verb of a path to one function, and its own answer to a wrong one is a bare 404."""

from dataclasses import replace

from frontend.messages import Call, Handler, Reply, error_reply
from shared.arm.errors import method_not_allowed


def method(call: Call, handle: Handler) -> Reply:
    """Refuse a verb that the path does not have. Answer HEAD as GET, and OPTIONS with the verbs.

    The server leaves out the body of an answer to HEAD. Without one from here, it would say that a GET has none.
    """
    asked, verbs = call.request.method, call.route.verbs
    if not verbs:  # The routes of unknown paths have none, and answer all of them.
        return handle(call)
    allowed = (*verbs, "HEAD", "OPTIONS") if "GET" in verbs else (*verbs, "OPTIONS")
    allow = {"Allow": ", ".join(allowed)}
    if asked == "OPTIONS":
        return Reply(204, headers=allow)
    if asked not in allowed:
        return error_reply(method_not_allowed(asked, call.path, allowed), allow)
    if asked != "HEAD":
        return handle(call)
    return handle(replace(call, request=replace(call.request, method="GET")))
