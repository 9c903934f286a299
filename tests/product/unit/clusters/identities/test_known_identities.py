"""The identities that a cluster runs with, and those that updates have begun to give it."""

import copy
from typing import Any

import pytest

from shared.clusters.identities import known_identities
from tests.product.unit.clusters.identities.credentials import IDENTITIES, operator, with_identities, with_principal


def document(**more: Any) -> Any:
    """Make the document of a cluster with two operators."""
    return with_identities("ingress", "machine-api", **more)


def operators_of(made: Any) -> Any:
    """Return the operators' identities in a document."""
    return made["openShiftCluster"]["properties"]["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]


def replace(made: Any, name: str, other: str) -> None:
    """Give an operator another identity, whose ids are known."""
    operators_of(made)[name] = operator(other)


def created(**more: Any) -> Any:
    """Make the document of a cluster whose create has succeeded."""
    made = document(**more)
    known_identities.note_created(made)
    return made


def test_a_cluster_runs_with_the_identities_that_it_was_created_with() -> None:
    """In whatever case a request writes their ids."""
    made = created()
    assert known_identities.are_carried_in(made)
    for each in operators_of(made).values():
        each["resourceId"] = each["resourceId"].upper()
    assert known_identities.are_carried_in(made)
    assert known_identities.former(made) == {}
    assert not known_identities.note_tried(made)


def test_a_cluster_without_a_record_is_carried_in_by_its_next_update() -> None:
    """Nobody knows what it runs with."""
    assert not known_identities.are_carried_in(document())


def test_another_identity_another_operator_or_another_version_has_to_be_carried_in() -> None:
    """Each of them changes something in the cluster."""
    replaced, added, upgradeable = created(), created(), created()
    replace(replaced, "ingress", "ingress-2")
    operators_of(added)["new-operator"] = operator("new-operator")
    upgradeable["openShiftCluster"]["properties"]["platformWorkloadIdentityProfile"]["upgradeableTo"] = "4.20.0"
    assert [known_identities.are_carried_in(each) for each in (replaced, added, upgradeable)] == [False] * 3


def test_a_former_identity_is_known_until_the_cluster_runs_with_the_new_one() -> None:
    """By its id and its object id, also while further updates bring others."""
    made = created()
    for number in (2, 3):
        replace(made, "ingress", f"ingress-{number}")
        assert known_identities.note_tried(made)
        assert not known_identities.note_tried(made)
    former = known_identities.former(made)
    assert list(former) == [f"{IDENTITIES}/ingress".lower(), f"{IDENTITIES}/ingress-2".lower()]
    assert known_identities.former_object_ids(made) == ["object-ingress", "object-ingress-2"]
    assert known_identities.note_worked(made)
    assert not known_identities.note_worked(made)
    assert known_identities.former(made) == {}
    assert known_identities.are_carried_in(made)


def test_going_back_to_the_identity_that_worked_is_carried_in_too() -> None:
    """The cluster may have the other one by now."""
    made = created()
    replace(made, "ingress", "ingress-2")
    known_identities.note_tried(made)
    replace(made, "ingress", "ingress")
    assert not known_identities.are_carried_in(made)
    assert known_identities.former_object_ids(made) == ["object-ingress-2"]


def test_a_request_begins_with_the_identities_that_worked_if_others_were_refused() -> None:
    """Also where an operator was added for another version; all that is known of the others stays."""
    made = created()
    before = copy.deepcopy(made["openShiftCluster"])
    operators_of(made)["ingress"] = {"resourceId": f"{IDENTITIES}/wrong"}
    operators_of(made)["later"] = {"resourceId": f"{IDENTITIES}/later"}
    made["openShiftCluster"]["properties"]["platformWorkloadIdentityProfile"]["upgradeableTo"] = "4.20.0"
    known_identities.start_from_worked(made)
    noted = {"resourceId": f"{IDENTITIES}/ingress".lower(), "objectId": "object-ingress"}
    assert operators_of(made).pop("ingress") == noted
    del operators_of({"openShiftCluster": before})["ingress"]
    assert made["openShiftCluster"] == before


def test_a_request_begins_with_the_identities_that_an_update_has_begun_to_bring_in() -> None:
    """The cluster may have them by now."""
    made = created()
    replace(made, "ingress", "ingress-2")
    known_identities.note_tried(made)
    before = copy.deepcopy(made)
    known_identities.start_from_worked(made)
    assert made == before


@pytest.mark.parametrize("make", [with_principal, document, created], ids=["principal", "being created", "created"])
def test_a_request_begins_with_what_is_stored_if_nothing_else_is_known(make: Any) -> None:
    """A service principal has its own record."""
    made = make()
    before = copy.deepcopy(made)
    known_identities.start_from_worked(made)
    assert made == before


def test_two_operators_that_change_their_identities_leave_no_former_one() -> None:
    """Both are in use, and both are carried in."""
    made = created()
    replace(made, "ingress", "machine-api")
    replace(made, "machine-api", "ingress")
    assert not known_identities.are_carried_in(made)
    assert known_identities.former(made) == {}


def test_an_identity_that_was_made_again_is_carried_in_by_the_next_update() -> None:
    """Its id is the same, and its object id is not; an update finds out when it looks that up."""
    made = created()
    operators_of(made)["ingress"]["objectId"] = "object-again"
    assert known_identities.are_carried_in(made)
    assert known_identities.note_tried(made)
    assert not known_identities.are_carried_in(made)


def test_the_end_of_an_update_records_nothing() -> None:
    """An update that changes only tags has carried nothing in."""
    made = created()
    replace(made, "ingress", "ingress-2")
    known_identities.note_created(made)
    assert not known_identities.are_carried_in(made)


def test_a_cluster_with_a_service_principal_has_no_identities_to_note() -> None:
    """And nothing to carry in."""
    made = with_principal()
    known_identities.note_created(made)
    assert not known_identities.note_tried(made)
    assert not known_identities.note_worked(made)
    assert "identities" not in made
    assert known_identities.are_carried_in(made)
    assert known_identities.former(made) == {}
