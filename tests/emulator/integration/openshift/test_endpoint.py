"""The endpoint on which machines and routers listen."""

import asyncio
import ssl
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from starlette.responses import RedirectResponse, Response

from emulator.core.certificate_authority import CertificateAuthority, private_key_pem
from emulator.openshift.cluster.endpoint import Endpoint


def test_an_endpoint_answers_get_and_head_until_it_stops(tmp_path: Path) -> None:
    """An endpoint shows its certificate, answers by path and host, and refuses connections once it has stopped."""
    authority = CertificateAuthority(tmp_path)
    certificate, key = authority.issue("localhost", names=("localhost",))
    other = authority.issue("localhost")[1]
    chain = certificate.public_bytes(Encoding.PEM).decode()

    async def story() -> None:
        endpoint = Endpoint(lambda path, host: Response(f"{host}{path}"))
        with pytest.raises(ValueError, match="key"):
            await endpoint.listen(chain, private_key_pem(other).decode())
        port = await endpoint.listen(chain, private_key_pem(key).decode())
        trust = ssl.create_default_context(cadata=authority.pem().decode())
        async with httpx.AsyncClient(verify=trust, base_url=f"https://localhost:{port}") as client:
            assert (await client.get("/a%20b?c")).text == "localhost/a%20b"
            assert (await client.head("/a")).content == b""
            assert (await client.post("/a", content=b"x")).status_code == 405
            endpoint.stop()
            with pytest.raises(httpx.TransportError):
                await client.get("/a")

    asyncio.run(story())


def test_a_plain_endpoint_leads_elsewhere() -> None:
    """A plain endpoint redirects, as a router's port 80 does."""

    async def story() -> None:
        endpoint = Endpoint(lambda path, host: RedirectResponse(f"https://{host}{path}", 302))
        async with httpx.AsyncClient() as client:
            answer = await client.get(f"http://localhost:{await endpoint.listen_plain()}/a")
            assert (answer.status_code, answer.headers["location"]) == (302, "https://localhost/a")
        endpoint.stop()

    asyncio.run(story())
