"""`list` and `show`: what is printed, in each form, and on what."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import CLUSTER, CLUSTERS, SUBSCRIPTION, FakeService, Reply, cluster, refusal

EVERYWHERE = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"


def test_the_list_has_a_line_for_each_cluster(run: Run, service: FakeService) -> None:
    """In a pipe nothing is folded, coloured or padded; all pages are read."""
    link = f"https://service.example{EVERYWHERE}?api-version=2026-12-01-preview&%24skipToken=next"
    service.on(
        "GET", EVERYWHERE, Reply(200, {"value": [cluster()], "nextLink": link}), Reply(200, {"value": [cluster()]})
    )
    done = run("list")
    assert done.code == 0
    heading, *lines = done.out.splitlines()
    assert heading.split() == ["NAME", "GROUP", "LOCATION", "VERSION", "STATE", "WORKERS"]
    assert lines == ["c1    group  eastus    4.19.24  Succeeded  3"] * 2
    assert "\x1b" not in done.out
    assert service.sent[1].query.endswith("%24skipToken=next")


def test_a_list_may_be_of_one_group(run: Run, service: FakeService) -> None:
    """Whoever may only read that group asks for it."""
    service.on("GET", CLUSTERS, Reply(200, {"value": [cluster()]}))
    assert "c1" in run("list", "-g", "group").out


def test_an_empty_list_says_so(run: Run, service: FakeService) -> None:
    """To people, where results are not."""
    service.on("GET", EVERYWHERE, Reply(200, {"value": []}))
    done = run("list")
    assert (done.code, done.out) == (0, "")
    assert "There is no cluster that you may read" in done.err
    assert json.loads(run("list", "-o", "json").out) == []


@pytest.mark.parametrize(("form", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_programs_get_the_cluster_as_the_service_gives_it(
    run: Run, service: FakeService, form: str, load: Callable[[str], Any]
) -> None:
    """Nothing is renamed or left out."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    assert load(run("show", "c1", "-o", form).out) == cluster()


def test_people_get_addresses_and_the_records_to_publish(run: Run, service: FakeService) -> None:
    """The owner of a domain publishes two names."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    lines = run("show", "c1").out.splitlines()
    assert "state        Succeeded" in lines
    assert "records      api.c1.example.com A 192.0.2.1" in lines
    assert "             *.apps.c1.example.com A 192.0.2.2" in lines
    assert "workers      3 of Standard_D4s_v5" in lines


def test_a_cluster_may_be_named_by_its_id(run: Run, service: FakeService) -> None:
    """As other tools print it."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    assert run("show", CLUSTER).code == 0
    done = run("show", "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/v")
    assert done.code == Exit.WRONG
    assert "of another type" in done.err


def test_a_cluster_that_is_not_there_is_an_exit_code(run: Run, service: FakeService) -> None:
    """Scripts ask whether it exists."""
    service.on("GET", CLUSTER, refusal(404, "ResourceNotFound", "There is no c1."))
    done = run("show", "c1")
    assert (done.code, done.out) == (Exit.NOT_FOUND, "")
    assert done.err == "error: ResourceNotFound: There is no c1.\n"


def test_whoever_is_not_signed_in_learns_how(run: Run, service: FakeService) -> None:
    """A person and a program."""
    service.signed_in = False
    done = run("show", "c1")
    assert done.code == Exit.SIGNED_OUT
    assert "az login" in done.err
    assert "AZURE_CLIENT_ID" in done.err
