"""The certificate of the machine-config server, without which no new machine gets its ignition.

From 4.19 on the machine-config operator has an authority of its own for it, and rewrites what machines begin with. A
repair by the service would break that, so it looks at the release first: the one that the cluster runs, because
customers upgrade.

Source: ARO-RP `pkg/cluster/fixmcscert.go`; openshift/machine-config-operator `pkg/controller/certrotation`.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import IPv4Address
from urllib.parse import urlsplit

from cryptography import x509
from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.machines import graph
from activities.renewals import tls_secrets
from activities.runtime.executor import Executor, Outcome, done
from activities.runtime.step import Step
from installer import pki
from installer.assets.install_certificates import CERTIFICATES
from shared.cluster_conditions.calendar import BY_NAME, MACHINE_CONFIG_SERVER
from shared.json_object import Json
from shared.openshift import client, writes
from shared.openshift.client import NotDone, Read
from shared.openshift.conditions import CLUSTER_VERSION, MACHINES

_NAMESPACE = "openshift-machine-config-operator"
_SECRET = Read("Secret", "machine-config-server-tls", _NAMESPACE)
_PODS = Read("Pod", namespace=_NAMESPACE, labels="k8s-app=machine-config-server")
_USER_DATA = tuple(Read("Secret", f"{role}-user-data", MACHINES) for role in ("master", "worker"))
_SERVER = replace(
    next(row for row in CERTIFICATES if row.file == "machine-config-server"), common_name="system:machine-config-server"
)
_SIGNER = f"tls/{_SERVER.issuer}"
# From this release on, it is the operator's.
_OPERATORS = (4, 19)
_RENEWED_DAYS = BY_NAME[MACHINE_CONFIG_SERVER].renewed_days
# On the Secret: when the service has replaced the certificate. Pods that are older present the former one.
_MARK = "aro.openshift.io/renewed-at"


def _renew(step: Step) -> Outcome | None:
    """Replace the certificate if it lacks a name under which machines call the server, or ends soon.

    A second run finds it right, and deletes only pods that are older than the certificate.
    """
    told: list[str] = []

    def work(api: ApiClient) -> None:
        version = _version(writes.existing(api, CLUSTER_VERSION))
        if _minor(version) >= _OPERATORS:
            told.append(f"OpenShift {version} renews it itself.")
            return
        hosts = sorted({f"api-int.{step.domain}", *_hosts(api)})
        secret = writes.existing(api, _SECRET)
        if wrong := _wrong(secret, hosts):
            patch = _made(step, hosts)
            writes.amend(api, _SECRET, lambda found: patch if _wrong(found, hosts) else {})
            secret = writes.existing(api, _SECRET)
            told.append(f"It was replaced: {wrong}.")
        else:
            told.append("It has every name under which machines call the server.")
        _restart(api, (secret["metadata"].get("annotations") or {}).get(_MARK, ""))

    return cluster_api.write(step, work) or done(told[-1])


def _version(cluster_version: Json) -> str:
    """Return the release that a cluster runs: the newest that it was brought to completely."""
    status = cluster_version.get("status") or {}
    completed = (one for one in status.get("history") or [] if one.get("state") == "Completed")
    version = (next(completed, None) or status.get("desired") or {}).get("version")
    if not version:
        raise NotDone(f"{CLUSTER_VERSION} does not say yet which release the cluster runs")
    return str(version)


def _minor(version: str) -> tuple[int, int]:
    try:
        major, minor = version.split(".")[:2]
        return int(major), int(minor)
    except ValueError:
        raise NotDone(f"'{version}' of {CLUSTER_VERSION} is not a version") from None


def _hosts(api: ApiClient) -> Iterator[str]:
    """Yield the hosts from which new machines get their ignition."""
    for what in _USER_DATA:
        data = (client.read(api, what) or {}).get("data") or {}
        try:
            config = json.loads(base64.b64decode(data["userData"], validate=True))["ignition"]["config"]
            sources = [one["source"] for one in config.get("merge") or config.get("append") or []]
            yield from filter(None, (urlsplit(source).hostname for source in sources))
        except (KeyError, TypeError, ValueError, AttributeError, binascii.Error):
            # Somebody else's format, about which nothing is known.
            continue


def _wrong(secret: Json, hosts: list[str]) -> str:
    """Return what is wrong with a certificate, or ""."""
    found = tls_secrets.pair(secret)
    if found is None:
        return "it could not be read"
    if (days := tls_secrets.days_left(found.certificate)) <= _RENEWED_DAYS:
        return f"it had {max(days, 0)} days left"
    lacking = [host for host in hosts if host not in _names(found.certificate)]
    return f"it lacked {', '.join(lacking)}" if lacking else ""


def _names(certificate: x509.Certificate) -> set[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    addresses = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    return addresses | set(names.get_values_for_type(x509.DNSName))


def _made(step: Step, hosts: list[str]) -> Json:
    """Return the patch with a new certificate of the authority that the cluster's machines trust."""
    made, now = graph.load(step), datetime.now(UTC).isoformat()
    signer = pki.Pair(made.file(f"{_SIGNER}.key"), made.file(f"{_SIGNER}.crt"))
    # Addresses are names, too, because clients have compared them as such.
    row = replace(_SERVER, dns=tuple(hosts), ip=tuple(filter(_is_address, hosts)))
    pair = pki.issue(row, {}, now, signer)
    return {"metadata": {"annotations": {_MARK: now}}, "data": tls_secrets.data_of(pair.certificate, pair.key)}


def _is_address(host: str) -> bool:
    try:
        IPv4Address(host)
    except ValueError:
        return False
    return True


def _restart(api: ApiClient, renewed_at: str) -> None:
    """Delete the server's pods that are older than its certificate, which they read when they start."""
    for pod in client.read(api, _PODS) if renewed_at else ():
        metadata = pod["metadata"]
        if datetime.fromisoformat(metadata["creationTimestamp"]) < datetime.fromisoformat(renewed_at):
            client.delete(api, Read("Pod", metadata["name"], metadata["namespace"]))


renew_machine_config_server_certificate = Executor(run=_renew)
