"""The bundles of sites over the wire: what an operator sends lies sealed in the service's own storage account."""

import gzip
import hashlib
import os

from tests.product.integration.contract.provider import PROVIDER, Provider

GZIP = {"Content-Type": "application/gzip"}


def test_an_operator_stores_a_bundle_once(provider: Provider) -> None:
    """201 for a new one, then 200; ARM may not, and a torn one is refused."""
    # An empty tar archive, with a member of gzip's header that makes it another one in each run.
    packed = gzip.compress(bytes(10240), mtime=int.from_bytes(os.urandom(4)))
    path = f"/sre{PROVIDER}/bundles/{hashlib.sha256(packed).hexdigest()}"
    assert provider.send("PUT", path, data=packed, headers=GZIP).status_code == 403
    torn = provider.send("PUT", path, certificate="admin_client", data=packed[:-1], headers=GZIP)
    assert (torn.status_code, torn.json()["error"]["target"]) == (400, "digest"), torn.text
    for status in (201, 200):
        answer = provider.send("PUT", path, certificate="admin_client", data=packed, headers=GZIP)
        assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (status, "application/json"), (
            answer.text
        )
