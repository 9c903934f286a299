"""The principal that a cluster runs with: what successes and failures leave for the next update."""

import pytest

from shared.clusters import principals
from shared.documents import ClusterDocument, Principal

OLD: Principal = {"clientId": "old", "objectId": "object-old", "secretId": "secret/1"}
NEW: Principal = {"clientId": "new", "objectId": "object-new", "secretId": "secret/2"}


def wants(principal: Principal, document: ClusterDocument | None = None) -> ClusterDocument:
    """Let a document ask for a principal."""
    made = document or {}
    made["openShiftCluster"] = {
        "properties": {
            "servicePrincipalProfile": {
                "clientId": principal["clientId"].upper(),
                "objectId": principal["objectId"],
            }
        }
    }
    made["secrets"] = {"request": principal["secretId"]}
    return made


def worked(principal: Principal) -> ClusterDocument:
    """Make the document of a cluster whose create succeeded."""
    document = wants(principal)
    principals.note_worked(document)
    return document


def test_after_a_create_its_principal_is_the_one_that_worked() -> None:
    """Nothing is left to install, and there was no former principal."""
    document = wants(OLD)
    assert not principals.is_carried_in(document)
    principals.note_worked(document)
    assert document["principal"] == {"worked": OLD}
    assert principals.is_carried_in(document)
    assert not principals.note_tried(document)
    assert principals.former_object_ids(document) == []


def test_a_changed_secret_is_carried_in_before_its_object_id_is_asked_for() -> None:
    """A request contains only the client id and the secret."""
    document = worked(OLD)
    wants(OLD | {"secretId": "secret/2", "objectId": ""}, document)
    assert not principals.is_carried_in(document)
    assert principals.note_tried(wants(OLD | {"secretId": "secret/2"}, document))
    assert principals.former_object_ids(document) == []


def test_another_principal_leaves_a_former_one() -> None:
    """It is recorded once, however often the row runs."""
    document = wants(NEW, worked(OLD))
    assert principals.note_tried(document)
    assert not principals.note_tried(document)
    assert document["principal"] == {"worked": OLD, "tried": [NEW]}
    assert principals.former_object_ids(document) == ["object-old"]
    principals.note_worked(document)
    assert document["principal"] == {"worked": NEW}


def test_an_update_that_never_began_to_change_anything_leaves_nothing_to_undo() -> None:
    """If the request returns to the principal that worked, the cluster has it already."""
    document = wants(OLD, wants(NEW, worked(OLD)))
    assert principals.is_carried_in(document)
    assert principals.former_object_ids(document) == []


def test_after_a_failure_in_the_middle_the_way_back_is_a_change_as_well() -> None:
    """The cluster may hold the failed principal, so the former one is installed again."""
    document = wants(NEW, worked(OLD))
    principals.note_tried(document)
    wants(OLD, document)
    assert not principals.is_carried_in(document)
    assert not principals.note_tried(document)
    assert principals.former_object_ids(document) == ["object-new"]
    principals.note_worked(document)
    assert document["principal"] == {"worked": OLD}


def wanted(document: ClusterDocument) -> Principal:
    """Return the principal that a document asks for, whatever its object id."""
    principal = principals.current(document)
    assert principal is not None
    return principal | {"objectId": ""}


@pytest.mark.parametrize(
    ("was_tried", "named", "want"),
    [
        (False, "", OLD),
        (False, "OLD", OLD),
        (False, "NEW", NEW),
        (False, "third", OLD),
        (True, "", NEW),
        (True, "OLD", OLD),
        (True, "NEW", NEW),
        (True, "third", NEW),
    ],
)
def test_after_a_failure_a_request_starts_from_what_worked_unless_the_failed_one_is_in_the_cluster_or_named(
    was_tried: bool, named: str, want: dict[str, str]
) -> None:
    """So tags can change although a principal was refused, and the way back needs no secret."""
    document = wants(NEW, worked(OLD))
    if was_tried:
        principals.note_tried(document)
    principals.start_from_worked(document, named)
    assert wanted(document) == want | {"objectId": ""}


@pytest.mark.parametrize("named", ["", "OLD"])
def test_a_refused_secret_is_forgotten(named: str) -> None:
    """The application is the same, but only its old secret is known to work."""
    document = worked(OLD)
    wants(OLD | {"secretId": "secret/2"}, document)
    principals.start_from_worked(document, named)
    assert wanted(document) == OLD | {"objectId": ""}


def test_a_create_that_is_resumed_keeps_its_principal() -> None:
    """None has worked yet."""
    document = wants(OLD)
    principals.start_from_worked(document, "")
    assert wanted(document) == OLD | {"objectId": ""}


def test_every_principal_that_was_tried_is_former_until_one_works() -> None:
    """Two updates with different principals have failed one after the other."""
    third: Principal = {"clientId": "third", "objectId": "object-third", "secretId": "secret/3"}
    document = worked(OLD)
    for principal in (NEW, third):
        assert principals.note_tried(wants(principal, document))
    assert principals.former_object_ids(document) == ["object-new", "object-old"]
    assert not principals.is_carried_in(document)


def test_a_principal_that_was_made_anew_has_another_object_id() -> None:
    """The application is the same, but Azure assigns roles by object id."""
    document = wants(OLD | {"objectId": "object-2"}, worked(OLD))
    assert principals.note_tried(document)
    assert principals.former_object_ids(document) == ["object-old"]
