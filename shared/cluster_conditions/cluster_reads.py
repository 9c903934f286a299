"""What is read of a live cluster for its conditions. All reads begin at the same time, within one time limit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from shared import durations
from shared.cluster_conditions import facts
from shared.cluster_conditions.derivations import Observation, Stop
from shared.clusters.power import power_states
from shared.clusters.private_access import private_access
from shared.clusters.secrets import SERVICE_KUBECONFIG
from shared.clusters.states import ProvisioningState
from shared.documents import ClusterDocument
from shared.openshift import admission_webhooks, client, handshakes
from shared.openshift.client import Endpoint, NotDone, Read
from shared.openshift.conditions import CLUSTER_VERSION, MACHINES
from shared.openshift.reads import MOST_BYTES, Ask, Form
from shared.vault import Bundle

# More nodes than a cluster may have. A longer list is not judged at all, rather than in part.
_MOST = 250
_MOST_NAMESPACES = 5000
# Of 250 nodes, each with its images. One answer is taken apart after the other.
_MOST_BYTES_OF_NODES = 8 << 20
# The states in which an operation of the service changes a cluster.
_CHANGING = (ProvisioningState.UPDATING, ProvisioningState.ADMIN_UPDATING)

# Routers of public clusters listen there.
ROUTER_PORT = 443
_CONSOLE = "console-openshift-console"
# From this HTTP status on, the server itself is in trouble.
_SERVER_ERROR = 500

# What members of an observation are made of.
_WEBHOOKS = ("mutating_webhooks", "validating_webhooks", "namespaces")
_NO_MEMBERS = ("readiness", *_WEBHOOKS)

ReadAll = Callable[[Sequence[Ask], float], list[Any]]


@dataclass(frozen=True)
class _Source:
    """Where a member of an observation comes from."""

    what: Read
    pick: Callable[[Any], Any]
    most_bytes: int = MOST_BYTES
    form: Form = Form.OBJECTS


_SOURCES: Mapping[str, _Source] = {
    "readiness": _Source(Read("readyz"), facts.text, form=Form.TEXT),
    "operators": _Source(Read("ClusterOperator", limit=_MOST), facts.things),
    "version": _Source(CLUSTER_VERSION, facts.thing),
    "pools": _Source(Read("MachineConfigPool", limit=_MOST), facts.things),
    "nodes": _Source(Read("Node", limit=_MOST), facts.things, _MOST_BYTES_OF_NODES),
    "machines": _Source(Read("Machine", namespace=MACHINES, limit=_MOST), facts.machines, _MOST_BYTES_OF_NODES),
    "mutating_webhooks": _Source(Read("MutatingWebhookConfiguration", limit=_MOST), list),
    "validating_webhooks": _Source(Read("ValidatingWebhookConfiguration", limit=_MOST), list),
    "namespaces": _Source(Read("Namespace", limit=_MOST_NAMESPACES), list, _MOST_BYTES_OF_NODES),
    "machine_sets": _Source(Read("MachineSet", namespace=MACHINES, limit=_MOST), facts.machine_sets),
}


def _stop_of(document: ClusterDocument) -> Stop | None:
    """Return the stop of a cluster, or None if its machines run."""
    if power_states.is_running(document):
        return None
    return Stop(power_states.state_of(document["openShiftCluster"]), power_states.until(document))


def observe(
    document: ClusterDocument, now: datetime, read_secret: Callable[[str], Bundle], read_all: ReadAll
) -> Observation:
    """Return what a cluster reports about itself. A stopped one is not asked. It never raises.

    Args:
        document: the cluster document.
        now: the time.
        read_secret: reads a bundle, as `Vault.get_secret` does.
        read_all: reads from clusters, as `shared.openshift.reads.read_all` does.
    """
    state = document["openShiftCluster"]["properties"].get("provisioningState", "")
    operation = state if state in _CHANGING else ""
    if (stop := _stop_of(document)) is not None:
        return Observation(now, stop=stop, operation=operation)
    try:
        reached = endpoint(document, read_secret)
    except NotDone as error:
        return Observation(now, operation=operation, unread=dict.fromkeys((*_SOURCES, "webhooks"), str(error)))
    asks = [Ask(reached, each.what, each.pick, each.most_bytes, each.form) for each in _SOURCES.values()]
    answers = dict(zip(_SOURCES, read_all(asks, durations.CONDITIONS_READS.total_seconds()), strict=True))
    console, console_reached = _console(document)
    failed = {name: answer for name, answer in answers.items() if isinstance(answer, NotDone)}
    readiness = failed.get("readiness")
    # An API server that answers so is there, and is not ready. One that is silent, or refuses the service, is unknown.
    not_ready = facts.text(str(readiness)) if readiness is not None and readiness.status >= _SERVER_ERROR else ""
    unread = {name: facts.text(str(error)) for name, error in failed.items()}
    members = {name: answer for name, answer in answers.items() if name not in failed and name not in _NO_MEMBERS}
    webhooks, why = _webhooks(answers)
    if why:
        unread["webhooks"] = why
    return Observation(
        now,
        operation=operation,
        unread=unread,
        not_ready=not_ready,
        console=console,
        console_reached=console_reached,
        webhooks=webhooks,
        **members,
    )


def _webhooks(answers: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return the webhooks that would keep a cluster from starting, or why they are not known."""
    for name in _WEBHOOKS:
        if isinstance(answers[name], NotDone):
            return [], facts.text(str(answers[name]))
    mutating, validating, namespaces = (answers[name] for name in _WEBHOOKS)
    try:
        return [facts.text(each) for each in admission_webhooks.blocking([*mutating, *validating], namespaces)], ""
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # An administrator of the cluster wrote these objects.
        return [], f"the API server's answer is not understood: {type(error).__name__}"


def _console(document: ClusterDocument) -> tuple[str, bool]:
    """Return why a public router does not end a handshake with the console's name, or "", and whether it does."""
    address, domain = router_of(document)
    if not address:
        return "", False
    try:
        handshakes.presented(address, ROUTER_PORT, f"{_CONSOLE}.{domain}")
    except NotDone as error:
        return facts.text(str(error)), False
    return "", True


def router_of(document: ClusterDocument) -> tuple[str, str]:
    """Return the public address of a cluster's router, or "", and the domain of its routes."""
    properties = document["openShiftCluster"]["properties"]
    console = urlsplit((properties.get("consoleProfile") or {}).get("url") or "").hostname or ""
    profiles = properties.get("ingressProfiles") or []
    public = [each.get("ip") or "" for each in profiles if each.get("visibility") == "Public"]
    domain = console.partition(".")[2]
    return (public[0] if public and domain else ""), domain


def endpoint(document: ClusterDocument, read_secret: Callable[[str], Bundle]) -> Endpoint:
    """Return how to reach a cluster, as activities do.

    Raises:
        NotDone: its credentials are not stored, or cannot be read.
    """
    try:
        access = private_access(document)
    except LookupError as error:
        raise NotDone(f"its {error} are not stored") from error
    try:
        return client.endpoint(access.secret_id, SERVICE_KUBECONFIG, access.address, read_secret)
    except Exception as error:
        # The type alone, because the text may quote the credentials.
        raise NotDone(f"its credentials cannot be used ({type(error).__name__})") from error
