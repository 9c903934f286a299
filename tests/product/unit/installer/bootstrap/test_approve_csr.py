"""The machines that the bootstrap machine admits: approve-csr.sh, run with a stand-in for the API."""

import base64
import ipaddress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.product.unit.installer.bootstrap.shell import Machine

MASTER, WORKER = "cluster-shf9t-master-0", "cluster-shf9t-worker-eastus1-x7k2q"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
CLIENT = ("digital signature", "key encipherment", "client auth")
SERVER = ("digital signature", "key encipherment", "server auth")
# One round: the list is returned once, and then the bootstrap machine is done.
_OC = """
[[ "$1" == "--config=${ROOT}/opt/openshift/auth/kubeconfig-loopback" ]] || exit 2
shift
case "$1 $2" in
    "get csr") touch "${ROOT}/opt/openshift/.bootkube.done"; cat "${ROOT}/pending" ;;
    "get node") [[ "$3" == cluster-shf9t-master-0 ]] && printf '%s\\n' cluster-shf9t-master-0 10.0.0.6 ;;
    "adm certificate") echo "$4" >>"${ROOT}/approved" ;;
esac
"""


@cache
def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@dataclass(frozen=True)
class Request:
    """A request as the API shows it; by default from a new master's kubelet."""

    common_name: str = f"system:node:{MASTER}"
    organizations: tuple[str, ...] = ("system:nodes",)
    sender: str = BOOTSTRAPPER
    groups: tuple[str, ...] = ("system:serviceaccounts:openshift-machine-config-operator", "system:authenticated")
    signer: str = "kubernetes.io/kube-apiserver-client-kubelet"
    usages: tuple[str, ...] = CLIENT
    names: tuple[str, ...] = ()

    def line(self, name: str) -> str:
        """Return the line that the template makes from it."""
        groups = "".join(f"{quote(group, safe='')}," for group in self.groups)
        usages = "".join(f"{usage}," for usage in self.usages)
        return f"{name}|{quote(self.sender, safe='')}|{self.signer}|{groups}|{usages}|{self._request()}\n"

    def _request(self) -> str:
        subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in self.organizations]
        subject.append(x509.NameAttribute(NameOID.COMMON_NAME, self.common_name))
        builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject))
        if self.names:
            names = x509.SubjectAlternativeName([_general_name(name) for name in self.names])
            builder = builder.add_extension(names, critical=False)
        signed = builder.sign(_key(), hashes.SHA256())
        return base64.b64encode(signed.public_bytes(serialization.Encoding.PEM)).decode()


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


SERVING = Request(
    sender=f"system:node:{MASTER}",
    groups=("system:nodes", "system:authenticated"),
    signer="kubernetes.io/kubelet-serving",
    usages=SERVER,
    names=(MASTER, "10.0.0.6"),
)


def approved(folder: Path, **requests: Request | str) -> tuple[set[str], str]:
    """Return the approved requests, and the journal."""
    machine = Machine(folder, "A")
    machine.stand_in("oc", _OC)
    machine.stand_in("sleep", "")
    lines = (one.line(name) if isinstance(one, Request) else one for name, one in requests.items())
    machine.write("/pending", "".join(lines))
    done = machine.run("approve-csr.sh", str(machine.path("/opt/openshift/auth/kubeconfig-loopback")))
    assert (done.returncode, done.stderr) == (0, "")
    found = machine.path("/approved")
    return set(found.read_text().split()) if found.exists() else set(), done.stdout


def test_machines_of_the_cluster_are_let_in(tmp_path: Path) -> None:
    """This includes their kubelets' serving certificates; releases without signers send none."""
    found, said = approved(
        tmp_path,
        master=Request(),
        worker=Request(common_name=f"system:node:{WORKER}"),
        old=Request(signer=""),
        elliptic=Request(usages=("digital signature", "client auth")),
        serving=SERVING,
    )
    assert found == {"master", "worker", "old", "elliptic", "serving"}
    assert said == ""


REFUSED: dict[str, tuple[Request | str, str]] = {
    "somebody else's sender": (Request(sender="system:admin"), "'system:admin' may not ask"),
    "a sender that only looks right": (
        Request(sender=f"{BOOTSTRAPPER}||system:authenticated"),
        "may not ask for a certificate of node",
    ),
    "a sender without its group": (
        Request(groups=("system:authenticated",)),
        "its sender is not in group 'system:serviceaccounts:openshift-machine-config-operator'",
    ),
    "nobody": (Request(groups=("system:unauthenticated",)), "its sender is not authenticated"),
    "a group that two names make": (
        Request(groups=("system:authenticated", "a,system:serviceaccounts:openshift-machine-config-operator")),
        "its sender is not in group",
    ),
    "an administrator's certificate": (
        Request(common_name="system:admin", organizations=("system:masters",)),
        "its subject 'CN=system:admin,O=system:masters' is not a node's",
    ),
    "a node that is an administrator too": (
        Request(organizations=("system:masters", "system:nodes")),
        "is not a node's",
    ),
    "a master too many": (
        Request(common_name="system:node:cluster-shf9t-master-7"),
        "no machine of this cluster is called 'cluster-shf9t-master-7'",
    ),
    "another cluster's machine": (Request(common_name="system:node:other-x2x2x-master-0"), "no machine of this"),
    "a machine that only begins like a worker": (
        Request(common_name=f"system:node:{WORKER}.evil.example"),
        "no machine of this cluster",
    ),
    "a client that would serve": (Request(usages=(*CLIENT, "server auth")), "are not those of a client"),
    "a client that would sign": (Request(usages=(*CLIENT, "cert sign")), "are not those of a client"),
    "a client for nothing": (Request(usages=()), "usages '' are not those of a client"),
    "a client with other names": (Request(names=("api-int.example",)), "a client has no alternative names"),
    "a signer of other things": (Request(signer="kubernetes.io/kubelet-serving"), "does not sign clients"),
    "a server for another node": (
        replace(SERVING, sender="system:node:cluster-shf9t-master-1"),
        f"may not ask for a certificate of node '{MASTER}'",
    ),
    "a server that is a client": (replace(SERVING, usages=(*SERVER, "client auth")), "are not those of a server"),
    "a server with the API's name": (
        replace(SERVING, names=(MASTER, "api-int.cluster.eastus.aroapp.test")),
        "is not known by 'DNS:api-int.cluster.eastus.aroapp.test'",
    ),
    "a server with another's address": (
        replace(SERVING, names=(MASTER, "10.0.0.4")),
        "is not known by 'IP Address:10.0.0.4'",
    ),
    "a server of no node": (replace(SERVING, groups=("system:authenticated",)), "not in group 'system:nodes'"),
    "rubbish": (
        f"one|{BOOTSTRAPPER}||system:authenticated,|client auth,|cnViYmlzaA==\n",
        "it holds no certificate request",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_request_that_is_not_as_it_should_be_stays_pending(name: str, tmp_path: Path) -> None:
    """The journal says why, and one refused request does not keep others from being approved."""
    request, reason = REFUSED[name]
    found, said = approved(tmp_path, one=request, good=Request())
    assert found == {"good"}
    assert said.startswith("Left one pending: ")
    assert reason in said


def test_an_api_that_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    """It starts minutes after this unit."""
    machine = Machine(tmp_path, "A")
    machine.stand_in("oc", 'echo x >>"${ROOT}/asked"; exit 1')
    machine.stand_in("sleep", '(($(wc -l <"${ROOT}/asked") < 3)) || touch "${ROOT}/opt/openshift/.bootkube.done"')
    done = machine.run("approve-csr.sh", "kubeconfig")
    assert (done.returncode, done.stderr) == (0, "")
    assert machine.path("/asked").read_text().count("x") == 3
