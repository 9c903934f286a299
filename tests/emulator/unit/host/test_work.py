"""Leases: no other host takes what one host holds, and a result counts only while its lease lasts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from emulator.host.durable.database import Database, TaskHubVersionError
from emulator.host.durable.history import EventType, task_completed, terminated, timer_fired
from emulator.host.durable.records import Commit, InstanceActiveError
from emulator.host.durable.store import TaskHub
from emulator.host.durable.work import WorkQueue
from emulator.host.timer_leases import TimerLeases

_TIME = "2026-03-01T09:00:00Z"


@dataclass
class Hosts:
    """Hosts on one file; each has its own connection, closed at the end."""

    folder: Path
    opened: list[Database] = field(default_factory=list)

    def database(self, owner: str, lease_seconds: float = 60) -> Database:
        """Open the file under an owner's name."""
        self.opened.append(Database(self.folder / "hub.sqlite", owner, lease_seconds))
        return self.opened[-1]

    def host(self, owner: str, lease_seconds: float = 60) -> tuple[TaskHub, WorkQueue]:
        """Return one host's view of the file."""
        database = self.database(owner, lease_seconds)
        return TaskHub(database), WorkQueue(database)

    def running(self) -> tuple[TaskHub, WorkQueue, WorkQueue]:
        """Return two hosts; the first has run an episode that scheduled an activity."""
        hub, first = self.host("first")
        _, second = self.host("second")
        hub.start("orchestrator", "i", '"x"')
        episode = first.claim_episodes(10)[0]
        commit = Commit("Running", [message.event for message in episode.messages], activities=[(0, "act", "1")])
        assert first.commit_episode(episode, commit)
        return hub, first, second


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    """Return the hosts of one test."""
    made = Hosts(tmp_path)
    yield made
    for database in made.opened:
        database.close()


def test_a_leased_episode_is_not_given_to_another_host(hosts: Hosts) -> None:
    hub, first = hosts.host("first")
    _, second = hosts.host("second")
    hub.start("orchestrator", "i", None)

    assert [episode.instance.instance_id for episode in first.claim_episodes(10)] == ["i"]
    assert second.claim_episodes(10) == []
    assert second.next_due() is not None
    assert first.next_due() is None


def test_work_of_a_silent_host_reappears_when_its_lease_ends(hosts: Hosts) -> None:
    hub, first = hosts.host("first", lease_seconds=-1)
    _, second = hosts.host("second")
    hub.start("orchestrator", "i", None)
    lost = first.claim_episodes(10)[0]

    assert second.claim_episodes(10)
    assert not first.commit_episode(lost, Commit("Completed", []))
    assert hub.get("i").status == "Pending"  # type: ignore[union-attr]  # it was just started


def test_an_activity_is_delivered_once_and_again_only_after_its_lease(hosts: Hosts) -> None:
    hub, first, second = hosts.running()
    activity = first.claim_activities(10)[0]

    assert second.claim_activities(10) == []
    first.drop_leases("first")
    again = second.claim_activities(10)[0]
    assert (activity.deliveries, again.deliveries) == (1, 2)
    done = task_completed(EventType.TASK_COMPLETED, 0, "1", _TIME)
    assert not first.complete_activity(activity, done)
    assert second.complete_activity(again, done)
    assert [message.event for message in second.claim_episodes(10)[0].messages] == [done]
    assert hub.history("i")[0]["EventType"] == EventType.EXECUTION_STARTED


def test_renewed_leases_last(hosts: Hosts) -> None:
    _, first, second = hosts.running()
    first.claim_activities(10)
    first.renew_leases()

    assert second.claim_activities(10) == []
    assert first.lease_owners() == {"first"}


def test_a_released_activity_is_seen_again_after_its_delay(hosts: Hosts) -> None:
    _, first, second = hosts.running()
    first.release_activity(first.claim_activities(10)[0], delay_seconds=30)
    assert second.claim_activities(10) == []

    due = second.next_due()
    assert due is not None
    assert due > datetime.now(UTC).timestamp() + 20


def test_timers_stay_hidden_until_they_fire(hosts: Hosts) -> None:
    hub, first = hosts.host("first")
    hub.start("orchestrator", "i", None)
    episode = first.claim_episodes(10)[0]
    fired = timer_fired(0, _TIME, _TIME)
    first.commit_episode(episode, Commit("Running", [], timers=[(datetime.now(UTC) + timedelta(hours=1), fired)]))

    assert first.claim_episodes(10) == []
    due = first.next_due()
    assert due is not None
    assert due > datetime.now(UTC).timestamp() + 3000


def test_a_lease_of_another_host_does_not_hide_what_is_due_sooner(hosts: Hosts) -> None:
    """The first host's instance is due, but not before its lease ends; a timer of another instance fires before."""
    hub, first = hosts.host("first", lease_seconds=7200)
    hub.start("orchestrator", "held", None)
    assert len(first.claim_episodes(10)) == 1
    hub, second = hosts.host("second")
    hub.start("orchestrator", "timed", None)
    (episode,) = second.claim_episodes(10)
    fired = timer_fired(0, _TIME, _TIME)
    hour = datetime.now(UTC) + timedelta(hours=1)
    second.commit_episode(episode, Commit("Running", [], timers=[(hour, fired), (hour + timedelta(days=1), fired)]))

    assert second.next_due() == pytest.approx(hour.timestamp())


def test_results_for_an_old_execution_are_dropped(hosts: Hosts) -> None:
    hub, first, _ = hosts.running()
    activity = first.claim_activities(10)[0]
    hub.send("i", terminated("again", _TIME))
    episode = first.claim_episodes(10)[0]
    first.commit_episode(episode, Commit("Running", [], next_execution=("next", None), generations=1))

    assert first.complete_activity(activity, task_completed(EventType.TASK_COMPLETED, 0, "1", _TIME))
    assert first.claim_episodes(10) == []
    assert first.next_due() is None


def test_messages_for_ended_or_unknown_instances_are_dropped(hosts: Hosts) -> None:
    hub, first = hosts.host("first")
    hub.send("nobody", terminated("x", _TIME))

    assert first.claim_episodes(10) == []
    assert first.next_due() is None


def test_an_active_instance_is_not_started_again_and_an_ended_one_is(hosts: Hosts) -> None:
    hub, first, _ = hosts.running()
    with pytest.raises(InstanceActiveError, match="status Running already exists"):
        hub.start("orchestrator", "i", None)
    hub.send("i", terminated("x", _TIME))
    first.commit_episode(first.claim_episodes(10)[0], Commit("Completed", [], output="1"))

    hub.start("other", "i", None)
    assert hub.history("i") == []
    assert first.claim_activities(10) == []


def test_an_emptied_hub_drops_what_is_in_flight(hosts: Hosts) -> None:
    hub, first, _ = hosts.running()
    activity = first.claim_activities(10)[0]
    hub.delete_all()

    assert not first.complete_activity(activity, task_completed(EventType.TASK_COMPLETED, 0, "1", _TIME))
    assert hub.query() == []


def test_one_host_holds_a_timer_function(hosts: Hosts) -> None:
    first = TimerLeases(hosts.database("first", 60))
    second = TimerLeases(hosts.database("second", 60))

    assert first.hold("tick")
    assert not second.hold("tick")
    assert first.hold("tick")
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    first.record("tick", moment, moment + timedelta(hours=1))
    assert second.status("tick")[1] == "2026-03-01T01:00:00+00:00"


def test_a_file_of_another_schema_is_refused(hosts: Hosts) -> None:
    hosts.database("x", 1).connection.execute("PRAGMA user_version = 99")

    with pytest.raises(TaskHubVersionError, match="schema version 99"):
        hosts.database("x", 1)
