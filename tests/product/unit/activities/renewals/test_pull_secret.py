"""The cluster's pull secret follows the password of the service's registry, and keeps what others have written."""

import base64
import json
from typing import Any

import pytest

from shared.json_object import Json
from tests.product.unit.activities.calls import DONE, call
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.product_world import World

NAME, SERVER = "update_pull_secret", "arosvc.azurecr.io"
THEIRS: Json = {"quay.io": {"auth": "dTpw", "email": "a@example.com"}}


@pytest.fixture
def _password(accepted: World, api: FakeApi) -> None:
    hold_password(accepted)
    assert api.requests == []


def hold_password(accepted: World) -> None:
    """Let the vault have the password of the cluster's token."""
    accepted.properties["registryProfiles"] = [{"name": SERVER, "username": "token-1"}]
    stored = accepted.vault("rp-cls").set_secret(
        "doc-1-registry",
        json.dumps({"password": "new", "name": "password2"}),
        content_type="application/json",
        tags={"cluster": "doc-1"},
    )
    accepted.cluster["secrets"]["registry"] = stored.id


def add(api: FakeApi, text: str) -> None:
    """Let the cluster have a pull secret."""
    data = {".dockerconfigjson": base64.b64encode(text.encode()).decode()}
    metadata = {"name": "pull-secret", "namespace": "openshift-config"}
    api.add({"kind": "Secret", "metadata": metadata, "type": "kubernetes.io/dockerconfigjson", "data": data})


def held(api: FakeApi) -> Any:
    """Return the content of the pull secret."""
    return json.loads(
        base64.b64decode(api.at("Secret", "pull-secret", "openshift-config")["data"][".dockerconfigjson"])
    )


@pytest.mark.usefixtures("_password")
@pytest.mark.parametrize("auths", [THEIRS, THEIRS | {SERVER: {"auth": "b2xk"}}, {}], ids=["gone", "old", "empty"])
def test_the_entry_of_the_registry_is_written_once_and_the_others_stay(api: FakeApi, auths: Json) -> None:
    """Also where somebody has removed it."""
    add(api, json.dumps({"auths": auths, "credHelpers": {}}))
    assert call(NAME) == DONE
    login = base64.b64encode(b"token-1:new").decode()
    assert held(api) == {"auths": auths | {SERVER: {"auth": login}}, "credHelpers": {}}
    assert call(NAME) == DONE | {"message": f"The pull secret has the current password of '{SERVER}'."}
    assert len(api.changes) == 1


@pytest.mark.usefixtures("_password")
@pytest.mark.parametrize("text", ["no JSON", "[]", '{"auths": 1}'])
def test_a_pull_secret_that_cannot_be_read_is_left_alone(api: FakeApi, text: str) -> None:
    """Nobody but its owner knows what it should hold; the text says what to do and quotes nothing."""
    add(api, text)
    outcome = call(NAME)
    assert outcome["outcome"] == "wait"
    assert outcome["message"].endswith("cannot be read: correct it, or take it from a backup")
    assert api.changes == []


def test_a_cluster_without_a_password_is_the_services_fault(api: FakeApi, accepted: World) -> None:
    """The row that makes one comes first."""
    accepted.properties["registryProfiles"] = [{"name": SERVER, "username": "token-1"}]
    add(api, "{}")
    assert call(NAME)["error"]["message"].endswith(f"The cluster has no password for '{SERVER}'.")
