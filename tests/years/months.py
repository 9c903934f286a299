"""One cluster from its create on: the time moves in steps, and after each everybody's handshakes are verified."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import requests

from shared.json_object import Json
from tests import local_azure
from tests.entra_azure import EntraAzure
from tests.local_azure import LocalAzure
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.own.stage import OwnCluster, create_records
from tests.product.integration.own.stage import prepare as prepare_tenant
from tests.product.integration.service.copies import copied
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, prepare
from tests.product.integration.service.stage import begun as begun_operation
from tests.years.faked_time import FakedTime

NAME = "years"
OPERATORS = "/apis/config.openshift.io/v1/clusteroperators"
OWN_VERSION = "2026-12-01-preview"
# The days on which the cluster is stopped, and for how long: not in its first hours, and never past its limits.
STOPS = {100: 1, 200: 30, 400: 90}
ROUTER_CA = ("openshift-ingress-operator", "router-ca")
NOT_AFTER = "auth.openshift.io/certificate-not-after"


@dataclass(frozen=True)
class Run:
    """What a run is.

    Args:
        folder: its folder.
        callers: the deployment: who calls the service, `arm` or `entra`.
        finished: state folder of a local Azure with a finished cluster, which is copied; None creates one.
        time_scale: how many times faster than Azure everything is that the moved time does not cover.
    """

    folder: Path
    callers: str
    finished: Path | None
    time_scale: float

    @property
    def time(self) -> FakedTime:
        """The time in which it runs."""
        return FakedTime(self.folder)

    @contextmanager
    def cluster(self) -> Iterator[Cluster]:
        """Give the cluster, on a running local Azure."""
        state = self.folder / "local-azure"
        if self.finished is not None:
            with copied(self.finished, state, self.time_scale) as cluster:
                yield cluster
            return
        azure = LocalAzure(state) if self.callers == "arm" else EntraAzure(state)
        local_azure.start(azure, self.time_scale, "--callers", self.callers)
        try:
            begun = time.monotonic()
            cluster = _own(azure) if isinstance(azure, EntraAzure) else prepare(azure, NAME)[0]
            cluster.succeed(cluster.create())
            if isinstance(cluster, OwnCluster) and isinstance(azure, EntraAzure):
                create_records(azure, cluster.customer, cluster.send("GET").json())
            _tell(self.time, f"the cluster exists, after {time.monotonic() - begun:.0f} s")
            yield cluster
        finally:
            azure.command("down")


def _own(azure: EntraAzure) -> OwnCluster:
    return OwnCluster(azure, prepare_tenant(azure, NAME, azure.user(NAME)))


def live(run: Run, days: int, step: int) -> None:
    """Let a cluster live for some days, and move the time by a step of days at once.

    Raises:
        AssertionError: if anything has expired, or is not well a while after a step.
    """
    with run.cluster() as cluster:
        while run.time.passed < timedelta(days=days):
            before = run.time.passed.days
            run.time.move(min(timedelta(days=step), timedelta(days=days) - run.time.passed))
            _wait_until_well(run, cluster)
            for day, rest in STOPS.items():
                if before < day <= run.time.passed.days:
                    _stop(run, cluster, rest)


def _stop(run: Run, cluster: Cluster, days: int) -> None:
    """Stop the cluster for some days, and start it again."""
    for action, rest in (("stop", days), ("start", 0)):
        begun = time.monotonic()
        answer = replace(cluster).send("POST", f"{cluster.customer.cluster_id}/{action}?api-version={OWN_VERSION}")
        assert answer.status_code == HTTPStatus.ACCEPTED, answer.text
        replace(cluster).succeed(begun_operation(answer))
        _tell(run.time, f"{action}, after {time.monotonic() - begun:.0f} s")
        run.time.move(timedelta(days=rest))
    _wait_until_well(run, cluster)


def _tell(moved: FakedTime, what: str) -> None:
    sys.stdout.write(f"day {moved.passed.days:4}, {datetime.now(UTC):%Y-%m-%d %H:%M}: {what}\n")
    sys.stdout.flush()


def _wait_until_well(run: Run, cluster: Cluster) -> None:
    """Wait until the service and the cluster are well for their callers, all of whom verify certificates.

    Raises:
        AssertionError: if they are not, in time.
    """
    begun = time.monotonic()
    # Sessions end long before the next look.
    while problem := _problem(replace(cluster), run.folder):
        assert time.monotonic() < begun + PATIENCE_SECONDS, problem
        time.sleep(1)
    _tell(run.time, f"all is well, after {time.monotonic() - begun:.0f} s")


def _problem(cluster: Cluster, folder: Path) -> str:
    """Return what is not well, "" if all is."""
    try:
        shown = cluster.send("GET").json()
        state = shown.get("properties", {}).get("provisioningState")
        if state != "Succeeded":
            return f"the service says {shown}"
        api = KubernetesApi(cluster.customer, folder)
        ill = [_name(one) for one in api.list("/api/v1/nodes") if not _has(one, "Ready", "True")]
        ill += [_name(one) for one in api.list(OPERATORS) if not _has(one, "Available", "True")]
        ill += [_name(one) for one in api.list(OPERATORS) if not _has(one, "Degraded", "False")]
        ill += [_name(one) for one in api.list("/api/v1/secrets") if _has_ended(one)]
        _look(cluster, shown["properties"]["consoleProfile"]["url"], _authorities(cluster, api, folder))
    except (requests.RequestException, AssertionError, OSError) as error:
        return f"{type(error).__name__}: {error}"[:500]
    return f"not well: {', '.join(ill)}" if ill else ""


def _authorities(cluster: Cluster, api: KubernetesApi, folder: Path) -> Path:
    """Return a file with the authorities that browsers trust: the public ones, and the cluster's for its routes."""
    own = api.secrets().get(ROUTER_CA, {}).get("tls.crt", "")
    file = folder / "authorities.pem"
    file.write_text(
        Path(cluster.customer.options["connection_verify"]).read_text(encoding="utf-8") + own, encoding="utf-8"
    )
    return file


def _look(cluster: Cluster, url: str, authorities: Path) -> None:
    """Look at a page of the cluster as a browser does."""
    with requests.Session() as session:
        session.trust_env = False
        proxies = cluster.customer.options["proxies"]
        session.get(url, proxies=proxies, verify=str(authorities), timeout=30).raise_for_status()


def _name(obj: Json) -> str:
    return str(obj["metadata"]["name"])


def _has(obj: Json, kind: str, status: str) -> bool:
    return any((one["type"], one["status"]) == (kind, status) for one in obj["status"]["conditions"])


def _has_ended(secret: Json) -> bool:
    end = (secret["metadata"].get("annotations") or {}).get(NOT_AFTER)
    return end is not None and datetime.fromisoformat(end) <= datetime.now(UTC)
