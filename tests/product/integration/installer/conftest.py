"""Fixtures for the stand-ins of mirror and registry."""

import pytest

from emulator.core.certificate_authority import CertificateAuthority


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    """Give the authority that issues the servers' certificate."""
    return CertificateAuthority(tmp_path_factory.mktemp("ca"))
