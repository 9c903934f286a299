"""The site of a request: its document, and what its bundle declares."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from frontend.callers.rights import LIST_ADMIN_CREDENTIALS
from frontend.messages import Call
from shared.arm.errors import (
    CloudError,
    ErrorCode,
    authorization_failed,
    forbidden,
    invalid_parameter,
    invalid_request_content,
    shown,
    summarize,
)
from shared.azure.rights import Ask
from shared.bundles.problems import BundleError, Problem
from shared.bundles.storage import NoBundle
from shared.documents import SiteDocument
from shared.phase_documents import kinds
from shared.phase_documents.documents import Name, Phase, PhasePlan
from shared.phase_documents.schemas import Schema, differences
from shared.phase_documents.site import Site
from shared.phase_documents.stored_sites import load_stored

NO_CONTAINER = "This deployment has no container for bundles. Deploy infra/ again: it makes one and sets BUNDLES_URL."


def document(call: Call) -> SiteDocument:
    """Return the document of the site in the path.

    Raises:
        CloudError: 404 `ResourceNotFound`.
    """
    name = call.parameters["siteName"]
    site_document = call.services.store.sites.read(name)
    if site_document is None:
        raise CloudError(404, ErrorCode.RESOURCE_NOT_FOUND, f"There is no site '{shown(name)}'.")
    return site_document


def site(call: Call, of: SiteDocument) -> "Site":
    """Return what the bundle of a site declares.

    Raises:
        CloudError: 400 `InvalidParameter` with every problem of its documents, or if there is no such bundle; 503
            `ServiceUnavailable` if this deployment keeps no bundles.
    """
    require_container(call)
    with explain_problems():
        try:
            return load_stored(call.services.bundles.fetch, of["bundle"], of["metadata"])
        except NoBundle as error:
            raise invalid_parameter("bundle", f"The site '{of['id']}' cannot be read: {error}.") from error


def require_container(call: Call) -> None:
    """Refuse a request that needs bundles if this deployment keeps none.

    Raises:
        CloudError: 503 `ServiceUnavailable`.
    """
    if not call.services.settings.bundles_url:
        raise CloudError(503, ErrorCode.SERVICE_UNAVAILABLE, NO_CONTAINER)


def named(call: Call, parameter: str) -> "Name":
    """Return the name of a document in a request about a site: the path's parameter, and the query's `namespace`."""
    return Name(call.request.query.get("namespace", ""), declared(call, parameter))


def declared(call: Call, parameter: str) -> str:
    """Return a name in the path that a bundle declares. Unlike those of ARM, these differ by their case."""
    return call.request.parameters[parameter]


def phases_of(site: Site, plan_name: Name) -> list[Phase]:
    """Return the phases of a plan, in its order; those that it names and the site does not have are left out.

    Raises:
        BundleError: there is no such plan.
    """
    return [site.phases[one] for one in site.plan(plan_name.name, plan_name.namespace).phases if one in site.phases]


def request_body(call: Call, schema: Schema) -> dict[str, Any]:
    """Return the body of a request about a site, checked against a schema.

    Raises:
        CloudError: 400 `InvalidRequestContent` if it is not an object; 400 `InvalidParameter` with everything in which
            it differs from the schema.
    """
    given = call.content
    if not isinstance(given, dict):
        raise invalid_request_content("The body of the request must be a JSON object.")
    if wrong := [invalid_parameter(where, message) for where, message in differences(given, schema)]:
        raise summarize(wrong)
    return given


def require_sources(call: Call, site: Site, clusters: Iterable[str]) -> list[str]:
    """Refuse work on clusters whose credentials the caller may not have.

    A kubeconfig can come from a cluster that this service has made. The service hands that out only to callers who may
    list the admin credentials of that cluster.

    Returns:
        The ids of the service's clusters whose kubeconfigs the work needs.

    Raises:
        CloudError: 403 `AuthorizationFailed` or `Forbidden`.
    """
    wanted = set(clusters)
    reached = wanted.union(*(site.cluster_map.ancestors(name) for name in wanted))
    reachable = [one for name, one in site.cluster_map.clusters.items() if name in reached]
    named = [
        source["openShiftCluster"]["resourceId"]
        for one in reachable
        for source in one.sources
        if source["type"] == "openShiftCluster"
    ]
    scopes = list(dict.fromkeys(named))
    require_credentials(call, scopes, fresh=True)
    return scopes


def require_credentials(call: Call, scopes: Iterable[str], *, fresh: bool) -> None:
    """Refuse a caller who may not have the admin credentials of clusters of this service.

    Args:
        call: the call.
        scopes: ids of the clusters.
        fresh: whether a right that was revoked a moment ago counts as revoked.

    Raises:
        CloudError: 403 `AuthorizationFailed` or `Forbidden`.
    """
    for scope in scopes:
        if call.signed_in is None:
            raise forbidden(
                f"The site uses the cluster '{shown(scope)}' of this service. Who calls with an operator's "
                "certificate has no role in Azure that would allow that: give the site a kubeconfig in its bundle, "
                "or call with a token."
            )
        action = LIST_ADMIN_CREDENTIALS.action
        if not call.services.rights.may(call.principal.object_id, Ask(action, scope), fresh=fresh):
            raise authorization_failed(call.principal.name, call.principal.object_id, action, scope)


def require_right(site: Site, phases: Iterable[Phase], plans: Iterable[PhasePlan] = ()) -> list[str]:
    """Refuse phases and plans that are meant to run, with everything that is wrong with them.

    Returns:
        What else is wrong with the site, a line each.

    Raises:
        CloudError: 400 `InvalidParameter` with every problem.
    """
    if problems := kinds.problems(site, phases, plans):
        raise as_error(problems)
    return list(map(str, kinds.warnings(site, [])))


@contextmanager
def explain_problems() -> Iterator[None]:
    """Turn what is wrong with a bundle into an error with every problem."""
    try:
        yield
    except BundleError as error:
        raise as_error(error.problems) from error


def as_error(problems: Iterable[Problem]) -> CloudError:
    """Return the error that lists problems, each with its file and field."""
    listed = [
        CloudError(400, ErrorCode.INVALID_PARAMETER, one.message, " ".join(filter(None, (one.file, one.field))))
        for one in problems
    ]
    return summarize(listed)


def title(call: Call) -> str:
    """Return what errors call the site in the path."""
    return f"The site '{call.parameters['siteName']}'"
