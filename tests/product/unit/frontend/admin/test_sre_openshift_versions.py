"""The catalogue of versions as operators change it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from frontend.messages import Reply
from tests.product.unit.frontend.world import (
    CLUSTER,
    INSTALLABLE,
    LOCATION,
    World,
    admin_certificate,
    arm_certificate,
    body,
    changed,
)

VERSIONS = "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions"
ENTRY = {**INSTALLABLE, "version": "4.18.1", "enabled": True}


def ask(world: World, method: str, name: str = "", entry: Any = None, **headers: str) -> Reply:
    """Send a request as an operator; an entry becomes `properties`."""
    content = None if entry is None else {"properties": entry}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    path = f"{VERSIONS}/{name}" if name else VERSIONS
    return world.send(method, path, content, api_version="", headers=sent, certificate=admin_certificate())


def stored(world: World, name: str) -> Any:
    """Return an entry as the database has it."""
    return world.cosmos["OpenShiftVersions"].documents[name, name]


def defaults(world: World) -> list[str]:
    """Return the versions that are marked as the default."""
    return [document["id"] for document in world.cosmos["OpenShiftVersions"].documents.values() if document["default"]]


def offered(world: World) -> list[str]:
    """Return the versions that customers see."""
    found = world.send("GET", f"{LOCATION}/openShiftVersions").body["value"]
    return [version["name"] for version in found]


def expect(reply: Reply, status: int, code: str, *words: str) -> None:
    """Expect an error whose message has certain words."""
    assert (reply.status, reply.body["error"]["code"]) == (status, code)
    assert all(word in reply.body["error"]["message"] for word in words), reply.body["error"]["message"]


def test_the_catalogue_is_the_operators_alone(world: World) -> None:
    """Neither ARM nor a stranger reads or writes it."""
    for certificate in (arm_certificate(), b""):
        for method, path in (("GET", VERSIONS), ("PUT", f"{VERSIONS}/4.18.1"), ("DELETE", f"{VERSIONS}/4.9.0")):
            assert world.send(method, path, {}, api_version="", certificate=certificate).status == 403


def test_a_list_has_disabled_and_wrong_entries_with_what_is_wrong(world: World) -> None:
    """Customers see neither of them."""
    container = world.cosmos["OpenShiftVersions"]
    container.create_item({"id": "4.10.1", "version": "4.10.1", "enabled": True, "flavour": "Z", "_ts": 1})
    container.create_item({**INSTALLABLE, "id": "4.16.2", "version": "4.16.2", "enabled": False})
    built_in = {"id": "4.19.1", "version": "4.19.1", "enabled": True, "installer": "built-in"}
    container.create_item({**INSTALLABLE, **built_in})
    container.create_item({"id": "odd", "version": 4, "enabled": True, "default": True})
    found = {entry["name"]: entry for entry in ask(world, "GET").body["value"]}
    assert list(found) == sorted(found)
    assert found["4.10.1"]["properties"] == {"version": "4.10.1", "enabled": True, "flavour": "Z"}
    assert [problem.partition(" has ")[2] for problem in found["4.10.1"]["problems"]] == [
        "no 'openShiftPullspec'",
        "flavour 'Z', which is not one of A, T, B, C",
    ]
    assert found["4.16.2"]["problems"] == []
    assert "it has to be 'openshift-install': from 4.16 on only" in found["4.19.1"]["problems"][0]
    assert "no version x.y.z" in found["odd"]["problems"][0]
    assert offered(world) == ["4.9.0", "4.10.67", "4.17.9"]


def test_a_new_version_is_offered_at_once_by_the_instance_that_wrote_it(world: World) -> None:
    """Although it keeps what it has read for ten seconds."""
    assert "4.18.1" not in offered(world)
    reply = ask(world, "PUT", "4.18.1", ENTRY)
    assert (reply.status, reply.body["properties"], reply.body["problems"]) == (201, ENTRY, [])
    assert reply.headers["ETag"] == reply.body["etag"] == stored(world, "4.18.1")["_etag"]
    assert "4.18.1" in offered(world)
    assert ask(world, "PUT", "4.18.1", {**ENTRY, "enabled": False}).status == 200
    assert "4.18.1" not in offered(world)
    assert ask(world, "GET", "4.18.1").body["properties"]["enabled"] is False


def test_what_was_read_can_be_put_back(world: World) -> None:
    """A member that only a newer build knows stays, and so does what the service keeps for itself."""
    document = {**ENTRY, "id": "4.18.1", "newer": {"deep": [1]}, "ttl": -1}
    world.cosmos["OpenShiftVersions"].create_item(document)
    read = ask(world, "GET", "4.18.1").body
    assert read["properties"]["newer"] == {"deep": [1]}
    for properties in (read["properties"], ENTRY):
        sent = {**read, "properties": properties}
        reply = world.send("PUT", f"{VERSIONS}/4.18.1", sent, api_version="", certificate=admin_certificate())
        assert reply.status == 200
        kept = {name: value for name, value in stored(world, "4.18.1").items() if not name.startswith("_")}
        assert kept == document


def test_a_member_that_is_left_out_is_gone(world: World) -> None:
    """A PUT is the whole entry; null counts as left out."""
    ask(world, "PUT", "4.18.1", {**ENTRY, "flavour": "C", "ignitionVersion": "3.2.0"})
    ask(world, "PUT", "4.18.1", {**ENTRY, "flavour": None})
    assert not {"flavour", "ignitionVersion"} & set(stored(world, "4.18.1"))


def test_every_problem_of_an_entry_is_told_at_once_with_its_target(world: World) -> None:
    """Nothing is written."""
    wrong = {**ENTRY, "version": "4.7.4", "enabeld": True, "flavour": "Z", "rhcosImage": {"sku": "x"}, "snippets": []}
    del wrong["openShiftPullspec"]
    content = {"properties": {**wrong, "enabled": False, "default": True}, "name": "x", "kind": 1}
    reply = world.send("PUT", f"{VERSIONS}/4.18.1", content, api_version="", certificate=admin_certificate())
    assert reply.status == 400
    assert [(detail["code"], detail["target"]) for detail in reply.body["error"]["details"]] == [
        ("InvalidRequestContent", "kind"),
        ("InvalidRequestContent", "properties.enabeld"),
        ("MismatchingResourceName", "name"),
        ("MismatchingResourceName", "properties.version"),
        ("InvalidParameter", "properties.rhcosImage"),
        ("InvalidParameter", "properties.openShiftPullspec"),
        ("InvalidParameter", "properties.flavour"),
        ("InvalidParameter", "properties.snippets"),
        ("InvalidParameter", "properties.default"),
    ]
    assert ("4.18.1", "4.18.1") not in world.cosmos["OpenShiftVersions"].documents


@pytest.mark.parametrize("content", [b"null", [], {}, {"properties": []}, "4.18.1"])
def test_what_is_no_entry_is_refused(world: World, content: Any) -> None:
    """Like any other malformed body."""
    reply = world.send("PUT", f"{VERSIONS}/4.18.1", content, api_version="", certificate=admin_certificate())
    expect(reply, 400, "InvalidRequestContent", "an object 'properties'")


@pytest.mark.parametrize("name", ["4.18", "latest", "4.18.1-a b", "4.18.1-" + "a" * 65])
def test_a_name_that_is_no_version_is_refused(world: World, name: str) -> None:
    """It would not be an id of the database, or not a version of OpenShift."""
    expect(ask(world, "PUT", name, {**ENTRY, "version": name}), 400, "InvalidParameter", "has no version x.y.z")


def test_an_unknown_entry_is_not_found_and_its_delete_is_done(world: World) -> None:
    """The error lists what exists."""
    expect(ask(world, "GET", "4.1.0"), 404, "ResourceNotFound", "4.10.67, 4.17.9, 4.9.0")
    assert ask(world, "DELETE", "4.1.0").status == 204


def test_a_new_default_takes_the_mark_from_the_old_one_afterwards(world: World) -> None:
    """At no time is there none."""
    seen: list[list[str]] = []
    container = world.cosmos["OpenShiftVersions"]
    container.before_write.append(lambda: seen.append(defaults(world)))
    assert ask(world, "PUT", "4.18.1", {**ENTRY, "default": True}).body["properties"]["default"] is True
    assert seen == [["4.17.9", "4.18.1"]]
    assert defaults(world) == ["4.18.1"]
    reply = world.send("PUT", CLUSTER, body())
    assert reply.body["properties"]["clusterProfile"]["version"] == "4.18.1"


def test_putting_the_default_again_changes_nothing(world: World) -> None:
    """Neither the mark nor its time."""
    first = ask(world, "PUT", "4.18.1", {**ENTRY, "default": True}).body
    again = ask(world, "PUT", "4.18.1", {**ENTRY, "default": True}).body
    assert (first["defaultSince"], first["properties"]) == (again["defaultSince"], again["properties"])


def test_a_later_default_counts_even_if_clocks_differ(world: World) -> None:
    """An instance whose clock is slow still marks after the others."""
    assert ask(world, "PUT", "4.18.1", {**ENTRY, "default": True}).status == 201
    world.now -= timedelta(hours=1)
    assert ask(world, "PUT", "4.16.1", {**ENTRY, "version": "4.16.1", "default": True}).status == 201
    assert defaults(world) == ["4.16.1"]


def test_of_two_defaults_put_at_once_one_stays(world: World) -> None:
    """Every instance agrees which, and the other caller learns of it."""
    replies: list[Reply] = []
    container = world.cosmos["OpenShiftVersions"]

    def other() -> None:
        # Between the write of the first and the step that takes the mark from the old default.
        replies.append(ask(world, "PUT", "4.19.1", {**ENTRY, "version": "4.19.1", "default": True}))

    container.before_write.append(other)
    first = ask(world, "PUT", "4.18.1", {**ENTRY, "default": True})
    assert (first.status, replies[0].status) == (201, 201)
    assert defaults(world) == ["4.19.1"]


def test_an_entry_that_somebody_writes_meanwhile_is_decided_again(world: World) -> None:
    """Of two operators, the second one sees what the first one did."""
    container = world.cosmos["OpenShiftVersions"]
    container.before_write.append(lambda: container.upsert_item({**stored(world, "4.9.0"), "newer": 1}))
    assert ask(world, "PUT", "4.9.0", {**ENTRY, "version": "4.9.0", "enabled": False}).status == 200
    assert (stored(world, "4.9.0")["newer"], stored(world, "4.9.0")["enabled"]) == (1, False)
    # It became the default meanwhile.
    ask(world, "PUT", "4.9.0", {**ENTRY, "version": "4.9.0"})
    container.before_write.append(lambda: make_default(world, "4.9.0"))
    expect(
        ask(world, "PUT", "4.9.0", {**ENTRY, "version": "4.9.0", "enabled": False}), 409, "Conflict", "is the default"
    )


def make_default(world: World, name: str) -> None:
    """Make a version the default."""
    assert ask(world, "PUT", name, {**ENTRY, "version": name, "default": True}).status == 200


def test_an_entry_that_never_rests_is_409(world: World) -> None:
    """After five races."""
    container = world.cosmos["OpenShiftVersions"]
    container.before_write += [lambda: container.upsert_item(dict(stored(world, "4.9.0")))] * 5
    expect(ask(world, "PUT", "4.9.0", {**ENTRY, "version": "4.9.0"}), 409, "Conflict", "Try again")


WITHDRAWALS: dict[str, Callable[[World, str], Reply]] = {
    "disable": lambda world, name: ask(world, "PUT", name, {**ENTRY, "version": name, "enabled": False}),
    "delete": lambda world, name: ask(world, "DELETE", name),
}


@pytest.mark.parametrize("way", WITHDRAWALS)
def test_the_default_is_not_taken_away(world: World, way: str) -> None:
    """Creates that name no version would fail."""
    expect(WITHDRAWALS[way](world, "4.17.9"), 409, "Conflict", "First put another enabled version")
    expect(ask(world, "PUT", "4.17.9", {**ENTRY, "version": "4.17.9"}), 409, "Conflict", "is the default")
    make_default(world, "4.9.0")
    assert WITHDRAWALS[way](world, "4.17.9").status in (200, 204)
    assert "4.17.9" not in offered(world)


@pytest.mark.parametrize("way", WITHDRAWALS)
def test_the_last_version_is_not_taken_away(world: World, way: str) -> None:
    """Even if it is not the default."""
    for document in world.cosmos["OpenShiftVersions"].documents.values():
        document["default"] = False
        document["enabled"] = document["id"] == "4.9.0"
    expect(WITHDRAWALS[way](world, "4.9.0"), 409, "Conflict", "the last one")


@pytest.mark.parametrize("way", WITHDRAWALS)
def test_a_version_of_a_running_create_stays_until_that_ends(world: World, way: str) -> None:
    """The create reads the entry; a finished cluster never does."""
    wanted = changed(body(), "properties.clusterProfile.version", "4.9.0")
    assert world.send("PUT", CLUSTER, wanted).status == 201
    expect(WITHDRAWALS[way](world, "4.9.0"), 409, "Conflict", "Clusters are being created", "(1 now)")
    world.finish()
    assert WITHDRAWALS[way](world, "4.9.0").status in (200, 204)
    assert world.send("GET", CLUSTER).body["properties"]["clusterProfile"]["version"] == "4.9.0"


def test_an_entry_that_this_build_cannot_read_stands_in_nobodys_way(world: World) -> None:
    """A newer build wrote it as the default. Here another one becomes the default, and it can be deleted."""
    container = world.cosmos["OpenShiftVersions"]
    newer = {**ENTRY, "id": "5.0.0", "version": "5.0.0", "installer": "newer", "default": True}
    container.create_item({**newer, "defaultSince": "2031-01-01T00:00:00.000000+00:00"})
    assert ask(world, "PUT", "4.18.1", {**ENTRY, "default": True}).status == 201
    assert defaults(world) == ["4.18.1"]
    assert stored(world, "5.0.0")["installer"] == "newer"
    assert ask(world, "DELETE", "5.0.0").status == 204


def test_a_condition_on_the_etag_is_kept(world: World) -> None:
    """An operator who has read an entry does not overwrite what another one has changed since."""
    entry, etag = {**ENTRY, "version": "4.9.0"}, ask(world, "GET", "4.9.0").headers["ETag"]
    expect(ask(world, "PUT", "4.9.0", entry, if_match='"x"'), 412, "PreconditionFailed", etag)
    expect(ask(world, "DELETE", "4.9.0", if_match='"x"'), 412, "PreconditionFailed", etag)
    expect(ask(world, "PUT", "4.9.0", entry, if_none_match="*"), 412, "PreconditionFailed", etag)
    expect(ask(world, "PUT", "4.18.1", ENTRY, if_match="*"), 412, "PreconditionFailed", "does not exist")
    assert ask(world, "PUT", "4.18.1", ENTRY, if_none_match="*").status == 201
    assert ask(world, "PUT", "4.9.0", entry, if_match=f'"x", {etag}').status == 200
    assert ask(world, "DELETE", "4.9.0", if_match=stored(world, "4.9.0")["_etag"]).status == 204
