"""What the stand-ins for mirror and registry need."""

import pytest

from emulator.core.certificates import CertificateAuthority


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    """Give the authority that the servers' certificate is of."""
    return CertificateAuthority(tmp_path_factory.mktemp("ca"))
