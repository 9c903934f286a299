"""The bundles of sites, for operators: an archive is stored under its digest, and never changes."""

from frontend.messages import Call, Reply
from frontend.sites import requested_site
from shared.arm.errors import conflict, invalid_parameter, shown
from shared.bundles import archive


def put(call: Call) -> Reply:
    """Answer PUT of a bundle: store it, 201 for a new one, 200 if it is there already.

    Raises:
        CloudError: 503 `ServiceUnavailable` if there is no container; 400 `InvalidParameter` if the body is not the
            archive of the digest in the path, or with every problem of the archive.
    """
    requested_site.require_container(call)
    digest, packed = call.parameters["digest"], call.request.body
    if (actual := archive.digest(packed)) != digest:
        raise invalid_parameter(
            "digest",
            f"The digest in the path is '{shown(digest)}', and that of the body is '{actual}'. They must be equal.",
        )
    with requested_site.explain_problems():
        archive.check(packed)
    bundles = call.services.bundles
    is_new = not bundles.has(digest)
    if is_new:
        bundles.store(packed)
    return Reply(201 if is_new else 200, {"digest": digest, "bytes": len(packed)})


def delete(call: Call) -> Reply:
    """Answer DELETE of a bundle: 204, also if there is none. A site keeps its bundle while it runs an operation.

    If a site gets the bundle at the same moment, its next request says that the bundle is gone; store it again then.

    Raises:
        CloudError: 503 `ServiceUnavailable` if there is no container; 409 `Conflict` if sites have it.
    """
    requested_site.require_container(call)
    digest = call.parameters["digest"]
    if having := sorted(one["id"] for one in call.services.store.sites.all() if one["bundle"] == digest):
        raise conflict(
            f"Sites have the bundle '{digest}': {', '.join(having)}. Give them another one, or delete them, first."
        )
    call.services.bundles.remove(digest)
    return Reply(204)
