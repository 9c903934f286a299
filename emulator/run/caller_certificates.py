"""The certificates for callers of the resource provider: ARM's, an operator's, and an untrusted one."""

from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding

from emulator.arm.models import ArmModel
from emulator.core.certificate_authority import CertificateAuthority, private_key_pem, write_private
from emulator.core.platform import Platform

ADMIN_COMMON_NAME = "operator.arorp.local"
Pem = tuple[bytes, bytes]


def admin_authority(platform: Platform) -> CertificateAuthority:
    """Return the authority that signs the operators' certificates; the setting ADMIN_API_CA has its certificate."""
    return CertificateAuthority(platform.root / "ca", "admin-ca", "Local operators CA")


def write_client_certificates(platform: Platform) -> dict[str, str]:
    """Write certificates and keys to files; return the paths under their names in `endpoints.json`."""
    folder = platform.root / "certificates"
    folder.mkdir(exist_ok=True)
    # ARM's certificate changes at a rollover; the others are made once.
    _write(folder, "rp_client", platform.model(ArmModel).client_certificate())
    stranger = CertificateAuthority(platform.root / "ca", "wrong-ca", "A CA that nobody trusts")
    for name, authority in (("admin_client", admin_authority(platform)), ("wrong_client", stranger)):
        if not (folder / f"{name}.key").exists():
            _write(folder, name, _issue(authority, ADMIN_COMMON_NAME))
    return {
        f"{name}_{kind}": str(folder / f"{name}.{suffix}")
        for name in ("rp_client", "admin_client", "wrong_client")
        for kind, suffix in (("cert", "pem"), ("key", "key"))
    }


def _write(folder: Path, name: str, pem: Pem) -> None:
    (folder / f"{name}.pem").write_bytes(pem[0])
    write_private(folder / f"{name}.key", pem[1])


def write_front_end_certificate(platform: Platform, host: str) -> tuple[Path, Path]:
    """Issue the server certificate of the front end of a mounted app, for localhost and for the app's public name."""
    return write_server_certificate(platform, platform.root / "certificates", ("localhost", "127.0.0.1", host))


def write_server_certificate(platform: Platform, folder: Path, names: tuple[str, ...]) -> tuple[Path, Path]:
    """Issue a front end's server certificate; return the paths of certificate and key."""
    certificate, key = platform.authority.issue(names[0], names=names)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "front_end.pem"
    path.write_bytes(platform.authority.chain(certificate))
    return path, write_private(folder / "front_end.key", private_key_pem(key))


def _issue(authority: CertificateAuthority, common_name: str) -> Pem:
    certificate, key = authority.issue(common_name, client=True)
    return certificate.public_bytes(Encoding.PEM), private_key_pem(key)
