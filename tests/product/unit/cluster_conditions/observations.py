"""A cluster that is well, as it is read, and what the tests change in it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from shared.cluster_conditions import facts
from shared.cluster_conditions.derivations import ESSENTIAL, Finding, Observation, derive
from shared.json_object import Json
from shared.settings import AZURES_PACE
from tests.product.unit.openshift import objects

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)


def node(name: str, ready: str = "True", *, master: bool = True, since: datetime = LONG_AGO, **pressures: str) -> Json:
    """Make a node; `pressures` are further conditions by type."""
    conditions = [objects.condition("Ready", ready, "KubeletNotReady", "no network plugin")]
    conditions += [objects.condition(kind, status, "Why", f"{kind}?") for kind, status in pressures.items()]
    made = objects.made(name, *(each | {"lastTransitionTime": since.isoformat()} for each in conditions))
    made["metadata"]["labels"] = {"node-role.kubernetes.io/master" if master else "node-role.kubernetes.io/worker": ""}
    return made


def well(**changes: Any) -> Observation:
    """Return what is read of a cluster in which everything is as it should be."""
    seen = Observation(
        at=NOW,
        operators=facts.things(objects.operator(name, since=LONG_AGO) for name in ESSENTIAL),
        version=facts.thing(objects.made("version", objects.condition("Failing", "False"))),
        pools=facts.things([objects.made("master", objects.condition("Updating", "False"))]),
        nodes=facts.things(node(f"m-{number}") for number in range(3)),
    )
    return replace(seen, **changes)


def operators(*changed: Json) -> list[facts.Thing]:
    """Return the essential operators, all well except those that are given."""
    names = {each["metadata"]["name"] for each in changed}
    good = [objects.operator(name, since=LONG_AGO) for name in ESSENTIAL if name not in names]
    return facts.things([*good, *changed])


def found(kind: str, **changes: Any) -> Finding:
    """Return the finding of a type."""
    return next(each for each in derive(well(**changes), AZURES_PACE) if each.type == kind)
