"""Operations on a site: a plan or a phase is run, tried or looked at; what runs is shown and cancelled."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import cast

from frontend.clusters.operation_begin import new_request, write_operation
from frontend.clusters.undo import undoing
from frontend.messages import Call, Reply, Start
from frontend.operations import cancellation, operation_report
from frontend.races import repeat_until_written
from frontend.retry_after import RETRY_AFTER
from frontend.sites import requested_site
from frontend.sites.sites import busy
from orchestrators import plans
from orchestrators.plans import site_plans
from orchestrators.plans.operation_start import begin_site_operation
from orchestrators.plans.site_plans import DeclaredPhase, Work
from shared import durations
from shared.arm import links
from shared.arm.errors import CloudError, ErrorCode, conflict, invalid_parameter, operation_not_found, shown
from shared.documents import OperationDocument, SiteDocument
from shared.json_object import Json
from shared.phase_documents import kinds
from shared.phase_documents.apply_options import Options
from shared.phase_documents.documents import Phase
from shared.phase_documents.schemas import PHASE_RUN, PLAN_RUN
from shared.phase_documents.site import Site
from shared.steps import PhaseName, PhaseReference, ResolvedPlan, StepStatus

# The plan, and the service's clusters whose kubeconfigs it needs.
Resolved = tuple[ResolvedPlan, list[str]]
Resolve = Callable[[SiteDocument, Site], Resolved]


# What names the operations on a single phase or cluster. Those on plans have the plan's name, which has no slash.
_PHASE, _CLUSTER = "phase/", "cluster/"


def run_plan(call: Call) -> Reply:
    """Answer POST of run on a site's plan: run it, resume its last run, or tell what it would do; return 202.

    Raises:
        CloudError: 400 `InvalidParameter` with everything that is wrong; 403 `Forbidden`; 409 `Conflict`.
    """
    options = requested_site.request_body(call, PLAN_RUN)

    def resolve(document: SiteDocument, site: Site) -> Resolved:
        plan_name = requested_site.named(call, "planName")
        phases = requested_site.phases_of(site, plan_name)
        requested_site.require_right(site, phases, [site.plan(plan_name.name, plan_name.namespace)])
        sources = requested_site.require_sources(call, site, [phase.cluster for phase in phases])
        if options.get("resume"):
            return _resumed(call, document, str(plan_name)), sources
        work = Work.DRY_RUN if options.get("dryRun") else Work.RUN
        return _plan(call, document, site, str(plan_name), phases, work=work, options=options), sources

    return _begin(call, resolve)


def run_phase(call: Call) -> Reply:
    """Answer POST of run on a site's phase: run it; return 202 and where the operation is."""
    return _phase(call, Work.RUN)


def try_phase(call: Call) -> Reply:
    """Answer POST of dryRun on a site's phase: tell what it would do to each object, by an operation."""
    return _phase(call, Work.DRY_RUN)


def phase_status(call: Call) -> Reply:
    """Answer POST of status on a site's phase: tell what it still waits for, by an operation."""
    return _phase(call, Work.STATUS)


def cluster_status(call: Call) -> Reply:
    """Answer POST of status on a site's cluster: tell whether it answers, and with which version, by an operation."""

    def resolve(document: SiteDocument, site: Site) -> Resolved:
        name = requested_site.declared(call, "clusterName")
        if name not in site.cluster_map.clusters:
            known = ", ".join(site.cluster_map.clusters) or "none"
            raise invalid_parameter("clusterName", f"There is no cluster '{shown(name)}'. There are: {known}.")
        sources = requested_site.require_sources(call, site, [name])
        named = _reference(document, name)
        asked = DeclaredPhase(named, f"the API server of {name}", timedelta(), durations.PHASE_POLL)
        return site_plans.resolve(f"{_CLUSTER}{name}", [asked], call.services.settings, work=Work.CLUSTER), sources

    return _begin(call, resolve)


def get(call: Call) -> Reply:
    """Answer GET of a site's operation: return it as operators see those on clusters.

    Raises:
        CloudError: 404 `NotFound`.
    """
    return _report(call, 200, _operation(call), call.services.store.sites.read(call.parameters["siteName"]))


def cancel(call: Call) -> Reply:
    """Answer POST of cancel on a site's operation: let it change nothing more, and end; 202, also if canceled before.

    Raises:
        CloudError: 404 `NotFound`; 409 `Conflict` if it has ended, or after five lost races.
    """
    operation = _operation(call)
    document = cancellation.mark_canceling(call, operation, requested_site.title(call))
    return _report(call, 202, operation, cast("SiteDocument", document))


def last_run(call: Call) -> Reply:
    """Answer GET of the status of a site's plan: return its last run.

    Raises:
        CloudError: 404 `NotFound`.
    """
    document = requested_site.document(call)
    operation = _last(call, document, str(requested_site.named(call, "planName")))
    return _report(call, 200, operation, document)


def _phase(call: Call, work: Work) -> Reply:
    options = requested_site.request_body(call, PHASE_RUN)

    def resolve(document: SiteDocument, site: Site) -> Resolved:
        name = requested_site.named(call, "phaseName")
        phase = site.phase(name.name, name.namespace)
        requested_site.require_right(site, [phase])
        sources = requested_site.require_sources(call, site, [phase.cluster])
        return _plan(call, document, site, f"{_PHASE}{name}", [phase], work=work, options=options), sources

    return _begin(call, resolve)


def _begin(call: Call, resolve: Resolve) -> Reply:
    """Begin an operation with the plan that `resolve` makes; nothing is stored if it refuses."""
    return repeat_until_written(requested_site.title(call), lambda: _begin_once(call, resolve))


def _begin_once(call: Call, resolve: Resolve) -> Reply:
    document = requested_site.document(call)
    if document.get("asyncOperationId"):
        raise busy(document["asyncOperationId"])
    with requested_site.explain_problems():
        plan, sources = resolve(document, requested_site.site(call, document))
    operation = begin_site_operation(new_request(call), document, plan, call.services.settings)
    operation["sourceClusters"] = sources
    if not plan["name"].startswith((_PHASE, _CLUSTER)) and plan["rows"][0]["executor"] == Work.RUN:
        document["runs"] = {**document.get("runs", {}), plan["name"]: operation["id"]}
    with undoing() as undo:
        write_operation(call, document, operation, call.services.store.sites.replace, undo)
    return _accepted(call, document, operation)


def _plan(
    call: Call,
    document: SiteDocument,
    site: Site,
    name: str,
    phases: Sequence[Phase],
    *,
    work: Work,
    options: Json,
) -> ResolvedPlan:
    """Return phases as the engine runs them.

    Raises:
        CloudError: 400 `InvalidParameter` for a phase to begin with that the plan does not have.
    """
    timeout = timedelta(seconds=options["waitTimeoutSeconds"]) if "waitTimeoutSeconds" in options else None
    earlier: list[PhaseName] = []
    declared_phases = []
    for phase in phases:
        declared_phases.append(_declared(document, site, phase, timeout, earlier if work is Work.DRY_RUN else []))
        earlier = [*earlier, {"namespace": phase.name.namespace, "name": phase.name.name}]
    try:
        return site_plans.resolve(name, declared_phases, call.services.settings, options.get("resumeFrom", ""), work)
    except LookupError as error:
        raise invalid_parameter("resumeFrom", str(error.args[0])) from error


def _declared(
    document: SiteDocument, site: Site, phase: Phase, timeout: timedelta | None, before: list[PhaseName]
) -> DeclaredPhase:
    options = Options.of(phase.executor.document)
    named = _reference(document, phase.name.name, phase.name.namespace)
    if timeout is not None:
        named["timeoutSeconds"] = timeout.total_seconds()
    if before:
        named["before"] = before
    waits = options.timeout if timeout is None else timeout
    return DeclaredPhase(named, kinds.waits_for(site, phase), waits, options.poll, phase.needs)


def _reference(document: SiteDocument, name: str, namespace: str = "") -> PhaseReference:
    return {"namespace": namespace, "name": name, "bundle": document["bundle"], "metadata": document["metadata"]}


def _resumed(call: Call, document: SiteDocument, plan_name: str) -> ResolvedPlan:
    """Return the plan of the last run, without the phases that it has done.

    Raises:
        CloudError: 404 `NotFound` if there was none; 409 `Conflict` if it has succeeded, or the bundle or the
            service has changed since.
    """
    operation = _last(call, document, plan_name)
    if operation["asyncOperation"]["status"] == StepStatus.SUCCEEDED:
        raise conflict(f"The last run of the plan '{plan_name}' has succeeded. Run it again from the start.")
    if operation["bundle"] != document["bundle"]:
        raise conflict(
            "The site has another bundle since that run. Run the plan again from its beginning, or from a phase, with "
            "resumeFrom. Objects "
            "that are already as wanted are left alone."
        )
    plan = operation["plan"]
    items = call.services.store.progress.list(operation["id"])
    ended = [item["step"] for item in items if item["status"] == StepStatus.SUCCEEDED]
    if missing := plans.missing_activities(plan, ended):
        raise conflict(
            "That run was planned by another version of the service. The deployed version cannot do these steps of "
            f"its plan: {', '.join(missing)}. Run the plan again from its beginning, or from a phase, with "
            "resumeFrom. Objects that are already as wanted are left alone."
        )
    return {**plan, "done": list(dict.fromkeys([*plan.get("done", []), *ended]))}


def _operation(call: Call) -> OperationDocument:
    """Return the operation in the path.

    Raises:
        CloudError: 404 `NotFound`, also if it is about something else; 403 as for a caller who begins it.
    """
    operation_id = call.parameters["operationId"]
    operation = call.services.store.operations.read(operation_id)
    if operation is None or operation.get("siteName") != call.parameters["siteName"]:
        raise operation_not_found(operation_id)
    return _visible(call, operation)


def _last(call: Call, document: SiteDocument, plan_name: str) -> OperationDocument:
    operation_id = document.get("runs", {}).get(plan_name, "")
    operations = call.services.store.operations
    operation = operations.read(operation_id) if operation_id else None
    if operation is None or "plan" not in operations.with_plan(operation):
        never = (
            f"There is no run of the plan '{plan_name}' on the site '{document['id']}' in the last "
            f"{durations.OPERATIONS_KEPT.days} days."
        )
        raise CloudError(404, ErrorCode.NOT_FOUND, never)
    return _visible(call, operation)


def _visible(call: Call, operation: OperationDocument) -> OperationDocument:
    """Return an operation with its plan if the caller may begin it: its messages tell what clusters answer.

    Raises:
        CloudError: 403 `AuthorizationFailed` or `Forbidden`.
    """
    requested_site.require_credentials(call, operation.get("sourceClusters", ()), fresh=False)
    return call.services.store.operations.with_plan(operation)


def _report(call: Call, status: int, operation: OperationDocument, document: SiteDocument | None) -> Reply:
    items = call.services.store.progress.list(operation["id"])
    body = operation_report.report(operation, document, items, call.services.now())
    return Reply(status, body, _polling(call, operation))


def _accepted(call: Call, document: SiteDocument, operation: OperationDocument) -> Reply:
    return Reply(
        202,
        operation_report.report(operation, document, [], call.services.now()),
        _polling(call, operation),
        start=Start(
            plans.instance_id(operation["id"], document["attempt"]),
            plans.start_input(operation, document, operation["plan"].get("done")),
        ),
    )


def _polling(call: Call, operation: OperationDocument) -> dict[str, str]:
    """Return the headers that say where the operation is, and how often to ask."""
    address = call.public_url._replace(query="")
    seconds = call.services.settings.retry_after_seconds(RETRY_AFTER)
    return {"Location": links.with_path(address, operation["asyncOperation"]["id"]), "Retry-After": str(seconds)}
