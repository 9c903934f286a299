"""Which API servers of a cluster accept a client certificate.

The service reaches them through one load balancer, which chooses a server for each connection. An API server that
accepts the certificate says at which address it is, so acceptance is known for each master. One that refuses says
nothing about itself. So refusal is known by numbers: while all masters answer to one certificate, another is refused on
so many new connections that hardly ever one of three masters was not among them.
"""

from dataclasses import dataclass
from http import HTTPStatus

from shared import durations
from shared.json_object import Json
from shared.openshift import reads
from shared.openshift.client import Endpoint, NotDone, Read
from shared.openshift.reads import Ask

MASTERS = Read("Node", labels="node-role.kubernetes.io/master")
# One of three masters is missed by all with a probability of (2/3)^40, which is less than one in ten million.
CONNECTIONS = 40
_VERSIONS = Read("APIVersions")


@dataclass(frozen=True)
class Answers:
    """What API servers have answered to a client certificate.

    Args:
        accepted: the addresses of those that have accepted it.
        refused: how often it was refused.
        failed: why there was no answer, once for each reason.
    """

    accepted: frozenset[str]
    refused: int
    failed: tuple[str, ...]


def ask(endpoint: Endpoint) -> Answers:
    """Ask the API servers of a cluster on many new connections whether they accept the certificate of an endpoint."""
    asks = [Ask(endpoint, _VERSIONS, _address)] * CONNECTIONS
    found = reads.read_all(asks, durations.API_SERVERS_ASKED.total_seconds())
    missed = [each for each in found if isinstance(each, NotDone)]
    refused = [each for each in missed if each.status == HTTPStatus.UNAUTHORIZED]
    failed = [str(each) for each in missed if each.status != HTTPStatus.UNAUTHORIZED]
    return Answers(
        frozenset(each for each in found if isinstance(each, str)), len(refused), tuple(dict.fromkeys(failed))
    )


def _address(versions: Json) -> str:
    """Return the address in the answer of an API server: that of its machine, without the port."""
    host: str = versions["serverAddressByClientCIDRs"][0]["serverAddress"].rpartition(":")[0]
    return host.strip("[]")


def addresses(masters: list[Json]) -> frozenset[str]:
    """Return the addresses of master nodes.

    Raises:
        NotDone: a node has none, or there are no masters.
    """
    found = set()
    for node in masters:
        listed = (node.get("status") or {}).get("addresses") or []
        inside = [str(each["address"]) for each in listed if each.get("type") == "InternalIP"]
        if not inside:
            raise NotDone(f"Node '{node['metadata']['name']}' has no address yet")
        found.add(inside[0])
    if not found:
        raise NotDone("there are no masters among the nodes")
    return frozenset(found)


def not_accepted(masters: frozenset[str], answers: Answers, which: str) -> str:
    """Return why not all masters are known to accept a certificate, or "".

    Args:
        masters: their addresses.
        answers: what API servers have answered to it.
        which: what the message calls the credentials.
    """
    missing = sorted(masters - answers.accepted)
    if not missing:
        return ""
    why = f": {'; '.join(answers.failed)}" if answers.failed else ""
    refused = f" {answers.refused} of {CONNECTIONS} connections were refused." if answers.refused else ""
    return f"the API servers at {', '.join(missing)} have not accepted the {which} yet{why}.{refused}".rstrip(".")


def not_refused(answers: Answers, which: str) -> str:
    """Return why not all masters are known to refuse a certificate, or "".

    Args:
        answers: what API servers have answered to it, while all of them accept another one.
        which: what the message calls the credentials.
    """
    if answers.accepted:
        return f"the API servers at {', '.join(sorted(answers.accepted))} still accept the {which}"
    if answers.refused < CONNECTIONS:
        why = f": {'; '.join(answers.failed)}" if answers.failed else ""
        return f"only {answers.refused} of {CONNECTIONS} connections with the {which} were answered{why}"
    return ""
