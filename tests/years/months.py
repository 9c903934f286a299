"""One cluster from its create on: the time moves in steps, and after each everybody's handshakes are verified."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests

from shared import durations
from shared.json_object import Json
from tests import local_azure
from tests.api_versions import OWN_VERSION
from tests.entra_azure import EntraAzure
from tests.local_azure import LocalAzure
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.own.stage import OwnCluster, create_records
from tests.product.integration.own.stage import prepare as prepare_tenant
from tests.product.integration.service.copies import copied
from tests.product.integration.service.directory import Application
from tests.product.integration.service.finished.test_rotation import patch
from tests.product.integration.service.kubernetes_api import KubernetesApi
from tests.product.integration.service.stage import Cluster, prepare
from tests.product.integration.service.stage import begun as begun_operation
from tests.years.faked_time import FakedTime
from tests.years.timeline import Timeline

NAME = "years"
OPERATORS = "/apis/config.openshift.io/v1/clusteroperators"
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
    def cluster(self, timeline: Timeline) -> Iterator[Cluster]:
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
            timeline.tell(f"the cluster exists, after {time.monotonic() - begun:.0f} s")
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
    timeline = Timeline(run.time)
    with run.cluster(timeline) as cluster:
        life = _Life(run, cluster, timeline)
        life.look(renewed_since=None)
        while run.time.passed < timedelta(days=days):
            before = run.time.passed.days
            life.go_on(min(timedelta(days=step), timedelta(days=days) - run.time.passed))
            for day, (event, argument) in EVENTS.items():
                if before < day <= run.time.passed.days:
                    event(life, argument)
    timeline.summarize()


@dataclass(frozen=True)
class _Life:
    """What happens to one cluster."""

    run: Run
    cluster: Cluster
    timeline: Timeline

    def go_on(self, by: timedelta) -> None:
        """Let time pass, in which nobody does anything."""
        moved = self._move(by)
        self.look(renewed_since=moved if by >= durations.RENEWAL_PERIOD else None)

    def look(self, renewed_since: datetime | None, *, stopped: bool = False) -> None:
        """Wait until all is well, and the service has looked at what ends.

        Args:
            renewed_since: when the service has had to renew the cluster since; None if that was not due.
            stopped: whether the cluster was stopped until now.

        Raises:
            AssertionError: if that takes too long.
        """
        seconds = self._wait(lambda: _unrenewed(self.cluster, renewed_since) if renewed_since else "")
        # After an hour the service reads the ends again.
        moved = self._move(timedelta(hours=1))
        seconds += self._wait(lambda: "" if _ends(self.cluster)[0] > moved else "the ends have not been read again")
        self.timeline.well(seconds, _ends(self.cluster)[1], stopped=stopped)

    def _move(self, by: timedelta) -> datetime:
        """Move the time; return from when on everything happens after that."""
        moved = datetime.now(UTC) + by
        self.run.time.move(by)
        return moved

    def _wait(self, more: Callable[[], str]) -> float:
        begun = time.monotonic()
        # Sessions end long before the next look.
        while problem := _problem(replace(self.cluster), self.run.folder, more):
            assert time.monotonic() < begun + PATIENCE_SECONDS, problem
            time.sleep(1)
        return time.monotonic() - begun

    def stop(self, days: int) -> None:
        """Stop the cluster for some days, and start it again."""
        self._act(f"stop for {days} d", lambda: _post(self.cluster, "stop"))
        self._move(timedelta(days=days))
        self._act("start", lambda: _post(self.cluster, "start"))
        started = datetime.now(UTC)
        self._move(timedelta(hours=1))
        is_due = timedelta(days=days) >= durations.RENEWAL_PERIOD
        self.look(renewed_since=started if is_due else None, stopped=True)

    def rotate(self, _argument: int) -> None:
        """Give the cluster another secret of its principal, and revoke all former ones."""
        principal = self.cluster.customer.principal["client_id"]
        application = Application(self.cluster.customer, principal)
        former, secret = application.secrets(), application.add_secret()
        self._act(
            "rotation of the principal's secret",
            lambda: patch(replace(self.cluster), client_id=principal, client_secret=secret),
        )
        for each in former:
            application.revoke(each)
        self.look(renewed_since=None)

    def revoke(self, _argument: int) -> None:
        """End all admin credentials; the callers ask for another one at each look."""
        former = self.run.folder / "former"
        former.mkdir()
        api = KubernetesApi(self.cluster.customer, former)
        self._act("revocation of all admin credentials", lambda: _post(self.cluster, "revokeCredentials"))
        with pytest.raises(AssertionError, match="Unauthorized"):
            api.list("/api/v1/nodes")
        self.look(renewed_since=None)

    def _act(self, what: str, begin: Callable[[], str]) -> None:
        begun = time.monotonic()
        replace(self.cluster).succeed(begin())
        self.timeline.did(what, time.monotonic() - begun)


# What people do, by day. The cluster is stopped neither in its first hours, nor past its limits.
EVENTS = {
    100: (_Life.stop, 1),
    150: (_Life.rotate, 0),
    200: (_Life.stop, 30),
    350: (_Life.rotate, 0),
    400: (_Life.stop, 90),
    500: (_Life.revoke, 0),
    600: (_Life.rotate, 0),
}


def _post(cluster: Cluster, action: str) -> str:
    return begun_operation(replace(cluster).send("POST", _path(cluster, action)))


def _path(cluster: Cluster, below: str) -> str:
    return f"{cluster.customer.cluster_id}/{below}?api-version={OWN_VERSION}"


def _unrenewed(cluster: Cluster, since: datetime) -> str:
    """Return why a cluster has not been renewed since a moment, "" if it has."""
    listed = replace(cluster).send("GET", _path(cluster, "operations")).json()["value"]
    begun = [one["properties"] for one in listed if one["properties"]["plan"] == "renew"]
    found = [one for one in begun if datetime.fromisoformat(one["startTime"]) >= since]
    ended = any(one["status"] == "Succeeded" for one in found)
    return "" if ended else f"no renewal has succeeded: {[(one['status'], one.get('error')) for one in found]}"


def _ends(cluster: Cluster) -> tuple[datetime, list[Json]]:
    """Return what ends in a cluster, and when the service has read that."""
    answer = replace(cluster).send("GET", _path(cluster, "expirations")).json()
    return datetime.fromisoformat(answer["readAt"]), answer["value"]


def _problem(cluster: Cluster, folder: Path, more: Callable[[], str]) -> str:
    """Return what is not well for the callers of service and cluster, all of whom verify certificates; "" if all is."""
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
        return f"not well: {', '.join(ill)}" if ill else more()
    except (requests.RequestException, AssertionError, OSError, LookupError) as error:
        return f"{type(error).__name__}: {error}"[:500]


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
