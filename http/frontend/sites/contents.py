"""What a site declares: its phases, plans and clusters, what a phase renders, and whether all of it is right."""

from frontend.messages import Call, Reply
from frontend.sites import requested_site
from shared.phase_documents import entry_points, site_views


def list_phases(call: Call) -> Reply:
    """Answer GET of a site's phases: return them with the members that `phase list` prints."""
    site = requested_site.site(call, requested_site.document(call))
    return Reply(200, {"value": [site_views.phase_row(one) for one in site.phases.values()]})


def list_plans(call: Call) -> Reply:
    """Answer GET of a site's plans: return them with the members that `plan list` prints."""
    site = requested_site.site(call, requested_site.document(call))
    return Reply(200, {"value": [site_views.plan_row(one) for one in site.plans.values()]})


def list_clusters(call: Call) -> Reply:
    """Answer GET of a site's clusters: return them with the members that `cluster list` prints."""
    site = requested_site.site(call, requested_site.document(call))
    return Reply(200, {"value": [site_views.cluster_row(one) for one in site.cluster_map.clusters.values()]})


def tree(call: Call) -> Reply:
    """Answer POST of tree on a site's phase: return what the entry point of the phase is made from.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    site = requested_site.site(call, requested_site.document(call))
    with requested_site.explain_problems():
        phase = site.phase(*_short(call, "phaseName"))
        return Reply(200, site_views.tree(entry_points.tree(site.bundle, site.entry_point(phase) or ".")))


def render(call: Call) -> Reply:
    """Answer POST of render on a site's phase: return its documents, or those of `source`, with Secrets masked.

    Raises:
        CloudError: 400 `InvalidParameter`.
    """
    site = requested_site.site(call, requested_site.document(call))
    with requested_site.explain_problems():
        shown = site_views.documents(
            site, call.request.query.get("source", "phase"), requested_site.named(call, "phaseName")
        )
    return Reply(200, {"value": [site_views.mask(one) for one in shown]})


def validate_phase(call: Call) -> Reply:
    """Answer POST of validate on a site's phase: return 200 if it is right.

    Raises:
        CloudError: 400 `InvalidParameter` with every problem.
    """
    site = requested_site.site(call, requested_site.document(call))
    with requested_site.explain_problems():
        warnings = requested_site.require_right(site, [site.phase(*_short(call, "phaseName"))])
    return Reply(200, {"problems": [], "warnings": warnings})


def validate_plan(call: Call) -> Reply:
    """Answer POST of validate on a site's plan: return 200 if the plan and its phases are right.

    Raises:
        CloudError: 400 `InvalidParameter` with every problem.
    """
    site = requested_site.site(call, requested_site.document(call))
    with requested_site.explain_problems():
        name = requested_site.named(call, "planName")
        plan = site.plan(name.name, name.namespace)
        warnings = requested_site.require_right(site, requested_site.phases_of(site, name), [plan])
    return Reply(200, {"problems": [], "warnings": warnings})


def _short(call: Call, parameter: str) -> tuple[str, str]:
    name = requested_site.named(call, parameter)
    return name.name, name.namespace
