"""The addresses and files that programs need to reach a local Azure."""

from urllib.parse import quote

from emulator.core.platform import Platform


def proxy_of(platform: Platform, subnet: str = "") -> str:
    """Return the address of the proxy for Azure's public names.

    Args:
        platform: the platform.
        subnet: id of the subnet that the program is in, "" if it is in no virtual network.
    """
    user = f"{quote(subnet, safe='')}:@" if subnet else ""
    return f"http://{user}127.0.0.1:{platform.ports['proxy']}"


def bundle_of(platform: Platform) -> str:
    """Return the path of the local CA's certificate."""
    return str(platform.authority.certificate_path)


def identity_endpoint(platform: Platform) -> str:
    """Return the URL at which the app's managed identity gets tokens, as App Service gives it to an app."""
    return f"http://localhost:{platform.ports['identity']}/msi/token"
