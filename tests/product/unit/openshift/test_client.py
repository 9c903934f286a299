"""What the client of a cluster costs, and where it connects."""

import subprocess
import sys

import pytest

from shared.openshift import client
from tests.kubernetes_pki import Authority, kubeconfig

LOOK = """
import sys
from activities.cluster import cluster_conditions, cluster_configuration, router_address
typed = [name for name in sys.modules if name.startswith(("kubernetes.client.api.", "kubernetes.client.models."))]
print(len(typed))
"""


def test_reading_and_writing_load_no_typed_models() -> None:
    """They would cost each worker a hundred megabytes."""
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


@pytest.mark.parametrize(
    ("address", "want"), [("127.128.0.5", "https://127.128.0.5:6443"), ("fd00::5", "https://[fd00::5]:6443")]
)
def test_the_address_is_dialled_and_the_kubeconfigs_name_is_verified(address: str, want: str) -> None:
    """The server's certificate contains the name, never the address."""
    authority = Authority("signer")
    bundle = {"member": kubeconfig(authority, authority.issue("user"), "api-int.c1.example.org")}
    configuration = client.connect("id", "member", address, lambda _id: bundle).configuration
    assert configuration.host == want
    assert configuration.tls_server_name == "api-int.c1.example.org"
    assert configuration.verify_ssl is True
    assert configuration.retries is False
