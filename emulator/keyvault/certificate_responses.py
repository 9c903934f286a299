"""Wire format of certificates, their orders and policies, and issuers."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.store import Document
from emulator.keyvault import certificate_material
from emulator.keyvault.issuers import IssuerModel
from emulator.keyvault.orders import OrderModel
from emulator.keyvault.policies import complete
from emulator.keyvault.vault_certificates import CertificateModel
from emulator.keyvault.vault_requests import body_of, recovery

CORRELATION_HEADER = "x-ms-correlation-request-id"

# A certificate, and one of its versions.
Pair = tuple[Document, Document]


class CertificateResponses:
    """The operations on certificates and issuers, in all vaults."""

    def __init__(self, model: CertificateModel, orders: OrderModel, issuers: IssuerModel) -> None:
        self._model = model
        self._orders = orders
        self._issuers = issuers

    # Orders

    async def create(self, request: Request, vault: Document) -> Response:
        """Answer `POST /certificates/{name}/create` with 202 and the address of the operation."""
        name, wish = request.path_params["name"], await body_of(request)
        # In a thread, because making an RSA key would noticeably delay all other requests.
        key_pem = await asyncio.to_thread(certificate_material.new_key, complete(wish.get("policy") or {}))
        correlation_id = request.headers.get(CORRELATION_HEADER, "")
        operation = _operation(self._orders.create(vault["name"], name, wish, key_pem, correlation_id))
        version = request.query_params["api-version"]
        location = f"{operation['id']}?api-version={version}&request_id={operation['request_id']}"
        return JSONResponse(operation, status_code=202, headers={"Location": location})

    async def get_operation(self, request: Request, vault: Document) -> Response:
        """Answer `GET /certificates/{name}/pending`."""
        name, request_id = request.path_params["name"], request.query_params.get("request_id", "")
        return JSONResponse(_operation(self._orders.get(vault["name"], name, request_id)))

    # Certificates

    async def get(self, request: Request, vault: Document) -> Response:
        """Answer `GET /certificates/{name}/{version}`; without a version, with the newest one and the policy."""
        name, version = request.path_params["name"], request.path_params.get("version", "")
        return JSONResponse(_bundle(vault, self._model.get(vault["name"], name, version), policy=not version))

    # Soft delete

    async def delete(self, request: Request, vault: Document) -> Response:
        """Answer `DELETE /certificates/{name}`."""
        return JSONResponse(_bundle(vault, self._model.delete(vault["name"], request.path_params["name"]), policy=True))

    async def get_deleted(self, request: Request, vault: Document) -> Response:
        """Answer `GET /deletedcertificates/{name}`."""
        return JSONResponse(
            _bundle(vault, self._model.deleted(vault["name"], request.path_params["name"]), policy=True)
        )

    async def recover(self, request: Request, vault: Document) -> Response:
        """Answer `POST /deletedcertificates/{name}/recover`."""
        return JSONResponse(
            _bundle(vault, self._model.recover(vault["name"], request.path_params["name"]), policy=True)
        )

    # Issuers

    async def set_issuer(self, request: Request, vault: Document) -> Response:
        """Answer `PUT /certificates/issuers/{name}`."""
        wish = await body_of(request)
        return JSONResponse(_issuer(self._issuers.set(vault["name"], request.path_params["name"], wish)))


def _id(document: Document, kind: str = "certificates", version: str = "") -> str:
    base = f"https://{document['vault']}.vault.azure.net/{kind}/{document['name']}"
    return f"{base}/{version}" if version else base


def _operation(certificate: Document) -> dict[str, Any]:
    order = certificate["order"]
    members = ("csr", "cancellation_requested", "status", "status_details", "error", "request_id")
    shown = {"id": f"{_id(certificate)}/pending", "issuer": order["issuer"]}
    shown |= {member: order[member] for member in members if order.get(member) is not None}
    return shown | ({"target": _id(certificate)} if order["status"] == "completed" else {})


def _policy(certificate: Document) -> dict[str, Any]:
    attributes = {"enabled": True, "created": certificate["created"], "updated": certificate["created"]}
    policy: dict[str, Any] = certificate["policy"]
    return {"id": f"{_id(certificate)}/policy"} | policy | {"attributes": attributes}


def _item(vault: Document, pair: Pair) -> dict[str, Any]:
    certificate, version = pair
    shown: dict[str, Any] = {"id": _id(certificate), "attributes": recovery(vault, version["attributes"])}
    shown |= {member: version[member] for member in ("x5t", "tags") if member in version}
    if certificate["deleted"]:
        shown |= {"recoveryId": _id(certificate, "deletedcertificates")} | certificate["deleted"]
    return shown


def _version_item(vault: Document, pair: Pair) -> dict[str, Any]:
    return _item(vault, pair) | {"id": _id(pair[0], version=pair[1]["version"])}


def _bundle(vault: Document, pair: Pair, *, policy: bool = True) -> dict[str, Any]:
    certificate, version = pair
    shown = _version_item(vault, pair)
    shown |= {
        "kid": _id(certificate, "keys", version["version"]),
        "sid": _id(certificate, "secrets", version["version"]),
    }
    if "cer" in version:
        shown["cer"] = version["cer"]
    if policy:
        shown["policy"] = _policy(certificate)
    if certificate["order"]:
        shown["pending"] = {"id": f"{_id(certificate)}/pending"}
    return shown


def _issuer(issuer: Document) -> dict[str, Any]:
    members = ("provider", "credentials", "org_details", "attributes")
    return {"id": _issuer_id(issuer)} | {member: issuer[member] for member in members}


def _issuer_id(issuer: Document) -> str:
    return f"https://{issuer['vault']}.vault.azure.net/certificates/issuers/{issuer['name']}"
