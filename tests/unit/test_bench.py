"""How the benchmark finds the longest chain of latencies, and what it says."""

from collections import Counter

from bench import chain, report
from bench.chain import Chain, Step
from bench.creates import Round
from emulator.deployments.engine import BEGIN_SECONDS, END_SECONDS
from emulator.openshift import timeline
from orchestrators.plans.create import CREATE


def test_the_longest_chain_goes_through_what_is_waited_for() -> None:
    """Not through what takes longest by itself."""
    steps = {"a": Step((), 2), "slow": Step((), 5), "b": Step(("a",), 4), "end": Step(("slow", "b"), 1)}
    assert chain.critical_path(steps) == Chain(7, ("a", "b", "end"))


def test_a_template_takes_its_longest_chain_of_resources() -> None:
    """A storage account with its containers is longer than anything beside it; ARM's own seconds come on top."""
    alone = chain._TYPES["Microsoft.Storage/storageAccounts"].create_seconds
    containers = chain._TYPES["Microsoft.Storage/storageAccounts/blobServices/containers"].create_seconds
    assert chain.template("storage") == BEGIN_SECONDS + alone + containers + END_SECONDS


def test_every_figure_belongs_to_a_row_or_to_the_clusters_timeline() -> None:
    """A renamed row would lose its latency without a word."""
    steps = chain.graph(CREATE)
    assert set(chain.SECONDS) | set(chain.INSIDE) <= set(steps)
    assert {need for step in steps.values() for need in step.needs} <= set(steps)


def test_the_router_waits_for_what_its_cluster_makes_in_azure() -> None:
    """Beside the seconds of its line: an address, a frontend with it, and a rule for each of two ports."""
    line = next(row for row in timeline.rows(chain.FLAVOUR) if row.name == "router")
    assert chain.graph(CREATE)["router"].seconds > line.seconds + 2


def test_a_create_takes_about_as_long_as_in_azure() -> None:
    """Half an hour and more, people say; the machines and what comes up in them are most of it."""
    found = chain.longest(1)
    assert 20 <= found.seconds / 60 <= 40
    assert {"deploy_storage_template", "deploy_network_template", "masters up"} <= set(found.steps)
    assert found.rows[-1] == "finish"
    assert chain.longest(20).seconds == found.seconds / 20


def test_the_report_has_a_column_for_each_round() -> None:
    """Figures of a create stay comparable, however many there were at once."""
    one = Round(1, 0.01, [0.2], [11.0], 100, 2048, 40, Counter(arm=50), {"azure": 2.0}, 300)
    ten = Round(10, 0.01, [0.4] * 10, [20.0] * 10, 1000, 20480, 400, Counter(arm=500), {"azure": 30.0}, 800)
    lines = list(report.lines([one, ten], Chain(10, ("ensure_resource_group", "finish")), 200))
    cells = {line[:34].strip(): line[34:].split() for line in lines}
    assert cells["creates at once"] == ["1", "10"]
    assert cells["create against its latencies"] == ["1.10", "x", "2.00", "x"]
    assert cells["Azure calls of a create"] == ["50", "50"]
    assert cells["CPU seconds of a create"] == ["2.00", "3.00"]
    assert any(line.startswith("Aim for a create alone: 1.12 x") for line in lines)
    assert any("200 MiB without a cluster, 55 MiB more for each" in line for line in lines)
