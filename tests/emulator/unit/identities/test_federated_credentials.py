"""Federated credentials of identities: who may write them and when, and what the directory learns of them."""

import asyncio
from typing import Any

import pytest

from emulator.core.service_error import ServiceError
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from tests.emulator.unit.providers import OWNING, Azure

VERSION = "2024-11-30"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities/one"
PATH = f"{IDENTITY}/federatedIdentityCredentials/"
BODY: Json = {
    "properties": {
        "issuer": "https://issuer.example/a",
        "subject": "system:serviceaccount:a:b",
        "audiences": ["openshift"],
    }
}


def _other(subject: str) -> Json:
    return {"properties": BODY["properties"] | {"subject": subject}}


def _trusted(azure: Azure) -> list[Any]:
    client_id = azure.get(IDENTITY)["properties"]["clientId"]
    found: list[Any] = azure.platform.model(EntraModel).application(client_id).get("federatedCredentials", [])
    return found


@pytest.fixture(autouse=True)
def _identity(azure: Azure) -> None:
    azure.make(IDENTITY, VERSION, {"location": "eastus"})


def test_a_credential_is_made_replaced_and_deleted(azure: Azure) -> None:
    """The answers are 201, 200 and 200, and the directory knows each state at once."""
    first = azure.put(f"{PATH}ingress", VERSION, BODY)
    assert (first.status_code, first.body["properties"]) == (201, BODY["properties"])
    assert _trusted(azure) == [BODY["properties"]]
    assert azure.put(f"{PATH}ingress", VERSION, _other("x")).status_code == 200
    azure.put(f"{PATH}second", VERSION, BODY)
    assert sorted(one["subject"] for one in _trusted(azure)) == ["system:serviceaccount:a:b", "x"]
    assert azure.delete(f"{PATH}ingress", VERSION).status_code == 200
    assert _trusted(azure) == [BODY["properties"]]


def test_two_identities_may_trust_the_same_subject(azure: Azure) -> None:
    """Issuer and subject are unique within one identity only."""
    azure.put(f"{PATH}ingress", VERSION, BODY)
    azure.make(f"{IDENTITY}two", VERSION, {"location": "eastus"})
    azure.put(f"{IDENTITY}two/federatedIdentityCredentials/ingress", VERSION, BODY)


def test_a_deleted_identity_takes_its_credentials_along(azure: Azure) -> None:
    """A new identity of the name trusts nobody."""
    azure.put(f"{PATH}ingress", VERSION, BODY)
    azure.delete(IDENTITY, VERSION)
    azure.make(IDENTITY, VERSION, {"location": "eastus"})
    assert _trusted(azure) == []
    with pytest.raises(LookupError):
        azure.get(f"{PATH}ingress")


@pytest.mark.parametrize("second", ["put", "delete"])
def test_one_identity_takes_one_write_at_a_time(azure: Azure, second: str) -> None:
    """The second is refused, whatever it writes, and may be repeated; another identity is not concerned."""
    azure.put(f"{PATH}known", VERSION, _other("known"))
    azure.make(f"{IDENTITY}two", VERSION, {"location": "eastus"})

    async def write() -> tuple[Any, ...]:
        arm = azure.arm
        overlapping = {
            "put": lambda: arm.put_resource(OWNING, azure.id(f"{PATH}second"), VERSION, _other("second")),
            "delete": lambda: arm.delete_resource(OWNING, azure.id(f"{PATH}known"), VERSION),
        }
        answers: tuple[Any, ...] = await asyncio.gather(
            arm.put_resource(OWNING, azure.id(f"{PATH}first"), VERSION, BODY),
            overlapping[second](),
            arm.put_resource(OWNING, azure.id(f"{IDENTITY}two/federatedIdentityCredentials/first"), VERSION, BODY),
            return_exceptions=True,
        )
        return answers

    first, refused, other = asyncio.run(write())
    assert (first.status_code, other.status_code) == (201, 201)
    assert isinstance(refused, ServiceError)
    assert (refused.status_code, refused.code) == (
        409,
        "ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity",
    )
    azure.put(f"{PATH}second", VERSION, _other("second"))
    azure.delete(f"{PATH}known", VERSION)
    assert len(_trusted(azure)) == 2
