"""Checks of what the operating system uses before the cluster's programs run: files, units, authorities, registries."""

import json
import re
import tomllib
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from emulator.openshift.boot import ignition, units
from emulator.openshift.boot.installation import Check, Installation, InstallationError

FIRST_BOOT = "/etc/ignition-machine-config-encapsulated.json"
CREDENTIALS = "/root/.docker/config.json"
REGISTRIES = "/etc/containers/registries.conf"
AUTHORITIES = "/etc/pki/ca-trust/source/anchors/ca.crt"
# The first minor version of OpenShift 4 whose boot image has neither kubelet nor oc.
PLAIN_SINCE = 19
_NODE_IMAGE_GENERATOR, _LAST_OF_NODE_IMAGE = "node-image-overlay-generator", "node-image-finish.service"
_RELEASE_HOST = "quay.io"
_PULLSPEC = re.compile(r"\b([a-z0-9.-]+\.[a-z]+(?::\d+)?)/[\w./-]*ocp-release[@:]\S+")
# Keys, kubeconfigs and credentials: the programs that use them refuse a file that other users can read or write.
_SECRET_FILE = re.compile(rf"/opt/openshift/(tls/.*\.key|auth/.*)|{re.escape(CREDENTIALS)}")
_OTHERS = 0o066


def permissions(installation: Installation, _now: datetime) -> Iterator[str]:
    """Check that root owns the files, and that nobody else can read or write the secret ones."""
    for path, file in installation.files.items():
        if file.owner not in (ignition.ROOT, "0"):
            yield f"file {path!r}: owned by {file.owner}, not by {ignition.ROOT}"
        if _SECRET_FILE.fullmatch(path) and file.mode & _OTHERS:
            yield f"file {path!r}: permissions {file.mode:04o} are too open for a secret"


def first_boot(installation: Installation, _now: datetime) -> Iterator[str]:
    """Check that the file of the first boot says whether FIPS mode is wanted, if it exists.

    Raises:
        InstallationError: if the file does not say.
    """
    has_validated_modules(installation.text(FIRST_BOOT))
    yield from ()


def has_validated_modules(text: str) -> bool:
    """Tell whether a machine must reboot with FIPS-validated modules; without the file it does not.

    Raises:
        InstallationError: if the file does not say.
    """
    if not text:
        return False
    try:
        fips = json.loads(text)["spec"]["fips"]
    except (ValueError, KeyError, TypeError) as error:
        raise InstallationError(f"rhcos-fips: {FIRST_BOOT} has no spec.fips") from error
    if not isinstance(fips, bool):
        raise InstallationError(f"rhcos-fips: {FIRST_BOOT}: spec.fips is {json.dumps(fips)}, not true or false")
    return fips


def runs(*names: str) -> Check:
    """Return a check that systemd starts these units."""

    def check(installation: Installation, _now: datetime) -> Iterator[str]:
        for name in names:
            if reason := units.failure(name, installation.units, installation.files):
                yield reason

    return check


def node_image(installation: Installation, _now: datetime) -> Iterator[str]:
    """Bring the release's own system, without which the kubelet does not exist.

    Source: openshift/installer 7e30b7d6 (4.19): `data/data/bootstrap/files/etc/systemd` has the generator and its
    units, `data/data/coreos/rhcos.json` a boot image of Red Hat Enterprise Linux 9.6.
    """
    if installation.minor < PLAIN_SINCE:
        return
    # The last of the units goes on to the target that everything else belongs to.
    if reason := units.failure(_LAST_OF_NODE_IMAGE, installation.units, installation.files):
        yield (
            "kubelet.service: Unable to locate executable '/usr/bin/kubelet': No such file or directory: the boot image "
            f"has no system of the release, and {units.GENERATORS}{_NODE_IMAGE_GENERATOR} brings none: {reason}"
        )


def authorities(installation: Installation, _now: datetime) -> Iterator[str]:
    """Check that the machine trusts the customer's authorities when it connects to registries."""
    try:
        bundle = installation.trust_bundle
    except InstallationError:
        # The checks that need the install-config report this.
        return
    if bundle and bundle not in installation.text(AUTHORITIES):
        yield f"Error: pinging container registry: x509: certificate signed by unknown authority ({AUTHORITIES})"


def pull(installation: Installation, _now: datetime) -> Iterator[str]:
    """Pull the release image from the scripts' registry or a mirror, with the credentials in root's home.

    Raises:
        InstallationError: if the file of credentials or of mirrors is malformed.
    """
    try:
        known = set(json.loads(installation.text(CREDENTIALS))["auths"])
    except (ValueError, KeyError, TypeError) as error:
        raise InstallationError(f"Error: {CREDENTIALS}: no credentials of registries") from error
    scripts = [installation.text(name) for name in installation.files if name.startswith("/usr/local/bin/")]
    named = {host for script in scripts for host in _release_hosts(script)}
    hosts = (named or {_RELEASE_HOST}) | _mirrors(installation.text(REGISTRIES))
    if not hosts & known:
        yield (
            f"Error: initializing source docker://{'|'.join(sorted(hosts))}: unauthorized: access to the requested "
            "resource is not authorized"
        )


@lru_cache(maxsize=64)
def _release_hosts(script: str) -> frozenset[str]:
    return frozenset(_PULLSPEC.findall(script))


def _mirrors(text: str) -> set[str]:
    """Return the registries that mirror other registries."""
    try:
        rows = tomllib.loads(text).get("registry", [])
        places = [place["location"] for row in rows for place in row.get("mirror", [])]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise InstallationError(f"Error: loading registries configuration {REGISTRIES!r}: {error}") from error
    return {place.partition("/")[0] for place in places}
