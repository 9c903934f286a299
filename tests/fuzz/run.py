"""Sends fuzzed requests to the frontend on its stand-ins, judges the replies, and counts them."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, Phase, given, seed, settings

from frontend.messages import Reply
from shared.clusters.api_versions import API_VERSIONS
from shared.clusters.credentials import admin_signer
from shared.clusters.secrets import Purpose, secret_name
from tests.fuzz.strategies import OPERATION, Sent, requests
from tests.product.unit.frontend.clusters.test_openshift_cluster_credentials import KUBECONFIG
from tests.product.unit.frontend.identities_world import FROM_ARM, identities_body, offer
from tests.product.unit.frontend.world import CLUSTER, NEW, NOW, World, body
from tools.pages import openapi

# Who sends, as ARM says it, and what a cluster that is up has in the vault.
CALLER = {**FROM_ARM, "x-ms-client-object-id": "66666666-0000-4000-8000-000000000006"}
BUNDLE = {
    "userAdminKubeconfig": KUBECONFIG % "user",
    "aroServiceKubeconfig": KUBECONFIG % "service",
    "kubeadminPassword": "canary-password",
}
# What a body meets before its members are looked at.
UNDECODED = frozenset({"InvalidRequestContent", "InvalidResource", "UnsupportedMediaType"})
# Codes of failures that are those of a member, a parameter or a header.
HAVE_TARGET = frozenset({"InvalidParameter", "PropertyChangeNotAllowed", "InvalidCIDRRange", "InvalidNetworkAddress"})
# Two members decide which role sets a cluster needs.
NO_ROLES = "cannot have workload identity"
_TRACES = re.compile(r"Traceback|File \"|\.py\b|line [0-9]+, in|<class|Error\(")


@dataclass
class Figures:
    """What a run has seen.

    Args:
        cases: how many requests were sent.
        bodies: how many of them were the PUT or PATCH of a cluster.
        decoded: how many of the bodies passed decoding.
        accepted: how many of the bodies were accepted.
        statuses: how often each status was answered.
        codes: how often each error code was answered.
    """

    cases: int = 0
    bodies: int = 0
    decoded: int = 0
    accepted: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """Return the figures as lines to print."""
        share = {name: f"{100 * getattr(self, name) / max(self.bodies, 1):.1f} %" for name in ("decoded", "accepted")}
        codes = ", ".join(f"{code} {count}" for code, count in self.codes.most_common())
        return [
            f"{self.cases} requests, {self.bodies} of them with a cluster as body",
            f"passed decoding: {self.decoded} ({share['decoded']})",
            f"accepted: {self.accepted} ({share['accepted']})",
            f"statuses: {', '.join(f'{status} {count}' for status, count in sorted(self.statuses.items()))}",
            f"codes: {codes}",
        ]


def run(cases: int, number: int, advance: Callable[[], object] = lambda: None) -> Figures:
    """Send requests; raise at the first reply that is not in good form.

    Args:
        cases: how many.
        number: the seed, which repeats the run.
        advance: called after each request.

    Raises:
        AssertionError: with the smallest request that causes it.
    """
    figures = Figures()
    validators = {row.name: _validators(openapi.document(row)) for row in API_VERSIONS}

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(requests())
    def send(sent: Sent) -> None:
        world = _world(sent)
        path, headers = sent.path.replace(OPERATION, _last_operation(world)), CALLER | sent.headers
        reply = world.send(sent.method, path, sent.body, api_version=sent.version, headers=headers)
        if reply.trial is not None:
            reply = reply.trial.answer(None, True)
        advance()
        _count(figures, sent, reply)
        judge(sent, reply, validators[sent.version])

    send()
    return figures


def _world(sent: Sent) -> World:
    """Return a frontend with the cluster that the request is to find."""
    world = World()
    offer(world)
    content, version = (identities_body(), NEW) if sent.identities else (body(sent.version), sent.version)
    if sent.before != "absent":
        assert world.send("PUT", CLUSTER, content, api_version=version, headers=FROM_ARM).status == 201
    if sent.before in ("created", "failed", "stopped"):
        world.finish(failed=sent.before == "failed")
    if sent.before in ("created", "stopped"):
        let_live(world)
    if sent.before == "stopped":
        world.document["openShiftCluster"]["properties"]["powerState"] = "Stopped"
        world.document["power"] = {"startBefore": (NOW + timedelta(days=2)).isoformat(), "drained": True}
    return world


def let_live(world: World) -> None:
    """Let a cluster be two days old, and have credentials that were never read."""
    document = world.document
    document["openShiftCluster"]["properties"]["createdAt"] = (NOW - timedelta(days=2)).isoformat()
    bundles: dict[str, Any] = {Purpose.CREDENTIALS: BUNDLE, Purpose.ADMIN_SIGNER: _signer()}
    for purpose, bundle in bundles.items():
        name = secret_name(document["id"], purpose)
        document["secrets"][str(purpose)] = world.services.vault.put_secret(name, bundle, document["id"])


@cache
def _signer() -> dict[str, str]:
    return admin_signer.new(NOW)


def _last_operation(world: World) -> str:
    operations = world.operations()
    return str(operations[-1]["id"]) if operations else OPERATION


def judge(sent: Sent, reply: Reply, validators: dict[str, Any]) -> None:
    """Check that a reply is one that its document promises, or an ARM error that says what is wrong.

    Raises:
        AssertionError: if it is not.
    """
    text = reply.text()
    assert reply.status < 500, text
    assert not _TRACES.search(text), text
    if reply.status < 400:
        promised = sent.answers[str(reply.status)]
        if "content" not in promised:
            assert text == ""
            return
        name = promised["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        errors = [f"{error.instance_path}: {error.message}" for error in validators[name].iter_errors(json.loads(text))]
        assert errors == []
        return
    assert next(validators["CloudError"].iter_errors(json.loads(text)), None) is None, text
    error = reply.body["error"]
    assert error["code"]
    assert error["message"]
    assert error.get("target") or error["code"] not in HAVE_TARGET or NO_ROLES in error["message"], text


def _validators(document: dict[str, Any]) -> dict[str, Any]:
    """Return a validator for each body. What only requests have is not required in a reply."""
    schemas = document["components"]["schemas"]
    return {
        name: jsonschema_rs.Draft202012Validator(
            {"$ref": f"#/components/schemas/{name}", "components": {"schemas": _of_replies(schemas)}}
        )
        for name in schemas
    }


def _of_replies(schema: Any) -> Any:
    """Return a schema that requires no member which only requests have.

    Versions that know only principals show an empty one for a cluster with identities.
    """
    if isinstance(schema, list):
        return [_of_replies(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    members = schema.get("properties", {})
    secret = {name for name, member in members.items() if isinstance(member, dict) and member.get("writeOnly")}
    found = {name: _of_replies(value) for name, value in schema.items()}
    if isinstance(schema.get("required"), list):
        found["required"] = [name for name in schema["required"] if name not in secret | {"clientId"}]
    return found


def _count(figures: Figures, sent: Sent, reply: Reply) -> None:
    code = reply.body["error"]["code"] if reply.status >= 400 else ""
    figures.cases += 1
    figures.statuses[reply.status] += 1
    if code:
        figures.codes[code] += 1
    if sent.writes:
        figures.bodies += 1
        figures.decoded += code not in UNDECODED
        figures.accepted += reply.status < 400
