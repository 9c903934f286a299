"""Rewrites Azurite's listings, so that they show the names of the account that was asked."""

from xml.etree import ElementTree as ET

from emulator.blobs.models import shown

MAX_BYTES = 16 * 1024 * 1024


def rename(xml: bytes, endpoint: str, account: str, *, of_containers: bool) -> bytes:
    """Return a listing as the account would have answered it."""
    root = ET.fromstring(xml)  # noqa: S314 - Azurite's own answer, not a client's text
    root.set("ServiceEndpoint", endpoint)
    if "ContainerName" in root.attrib:
        root.set("ContainerName", shown(account, root.attrib["ContainerName"]))
    if of_containers:
        for path in ("Prefix", "Containers/Container/Name"):
            for element in root.iterfind(path):
                element.text = shown(account, element.text or "")
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text
