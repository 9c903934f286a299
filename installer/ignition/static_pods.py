"""Static pods by name, for machines without an external load balancer and DNS: addresses that move, names, proxies.

A row gives `apiAddress` and, if the pods need them, `ingressAddress`, `nameservers` and `images` (by component name of
the release; `nginx` is in no release). `pods` selects some of the role's pods. For keepalived the addresses must end in
different numbers from 1 to 255. An init container writes what only the machine itself knows (device, address, names)
into the pod's configuration, in place of `@DEVICE@`, `@ADDRESS@`, `@PREFIX@`, `@HOSTNAME@`, `@NUMBER@`.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Any

from installer import manifest_yaml
from installer.config import install_config
from installer.graph import Content
from installer.ignition.ignition import Config, File
from shared.json_object import Json

NAMESPACE = "openshift-infra"
_ROLE_PODS = {
    "bootstrap": ("coredns", "mdns-publisher", "keepalived", "nginx"),
    "master": ("coredns", "mdns-publisher", "keepalived", "haproxy"),
    "worker": ("coredns", "mdns-publisher"),
}
# It contains `ip`, with which a machine finds its own address.
_INIT_IMAGE = "keepalived-ipfailover"
# The bootstrap machine keeps the address until a master's API server is ready, which raises that master's priority.
_PRIORITIES = {"bootstrap": 102, "master": 101}
_FILE_MODE = 0o644

_INIT = """set -euo pipefail
route=$(ip -o route get "$1")
device=$(sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' <<< "$route")
address=$(sed -n 's/.* src \\([^ ]*\\).*/\\1/p' <<< "$route")
prefix=$(ip -o -4 addr show dev "$device" | sed -n "s|.* inet $address/\\([0-9]*\\) .*|\\1|p")
name=$(hostname --short)
number=$(sed -n 's/.*-\\([0-9]*\\)$/\\1/p' <<< "$name")
for file in /given/*; do
  sed -e "s/@DEVICE@/$device/g; s/@ADDRESS@/$address/g; s/@PREFIX@/$prefix/g; s/@HOSTNAME@/$name/g; s/@NUMBER@/${number:-0}/g" \\
    "$file" > "/made/${file##*/}"
done
"""
_COREFILE = """. {
    errors
    health :18080
    mdns $domain $masters
    hosts {
        $api_address api.$domain api-int.$domain
        fallthrough
    }
$apps    forward . $nameservers
    cache 30
    reload
}
"""
_APPS = """    file /made/apps.db apps.$domain
"""
_APPS_ZONE = """$$ORIGIN apps.$domain.
@ 3600 IN SOA api.$domain. root.$domain. 1 7200 3600 1209600 3600
@ 3600 IN NS api.$domain.
* 3600 IN A $ingress_address
"""
_MDNS = """bind_address = "@ADDRESS@"
collision_avoidance = "hostname"

service {
    name = "$cluster Workstation"
    host_name = "@HOSTNAME@.local."
    type = "_workstation._tcp"
    domain = "local."
    port = 42424
    ttl = 3200
}
"""
_MDNS_ETCD = """
service {
    name = "$cluster Etcd"
    host_name = "etcd-@NUMBER@.local."
    type = "_etcd-server-ssl._tcp"
    domain = "local."
    port = 2380
    ttl = 3200
}
"""
_KEEPALIVED = """vrrp_script api_ready {
    script "/usr/bin/curl --silent --fail --output /dev/null http://localhost:6080/readyz"
    interval 1
    weight 2
}
"""
_VRRP = """
vrrp_instance $name {
    state BACKUP
    interface @DEVICE@
    virtual_router_id $router
    priority $priority
    advert_int 1
    virtual_ipaddress {
        $address/@PREFIX@
    }
$track}
"""
_TRACK = """    track_script {
        api_ready
    }
"""
_HAPROXY = """defaults
    mode tcp
    timeout connect 10s
    timeout client 1m
    timeout server 1m
    default-server init-addr libc,none

resolvers node
    nameserver own 127.0.0.1:53

listen stats
    bind :50000
    mode http
    stats enable
    stats uri /
"""
_LISTEN = """
listen ingress-$port
    bind $address:$port
"""
_NGINX = """events {}

http {
    server {
        listen 8080;
        root /made;
        default_type application/json;
        location /config/ {
        }
    }
}
"""
# The server's certificate is for its own name, and the machine that asks is the one that serves.
_FETCH = """set -euo pipefail
mkdir -p /made/config
cp /given/nginx.conf /made/
until curl --silent --fail --cacert /tls/root-ca.crt --resolve "$1:22623:127.0.0.1" \\
  --output /made/config/master "https://$1:22623/config/master"; do
  sleep 5
done
"""


@dataclass(frozen=True)
class Pod:
    """One pod: what runs, with which rights, and what else of the host it sees."""

    image: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ("apiAddress",)
    capabilities: tuple[str, ...] = ()
    init: str = _INIT
    init_image: str = _INIT_IMAGE
    folders: tuple[tuple[str, str], ...] = ()


PODS = {
    "coredns": Pod("coredns", ("/usr/bin/coredns", "--conf", "/made/Corefile"), ("apiAddress", "nameservers")),
    "mdns-publisher": Pod("mdns-publisher", ("/usr/bin/mdns-publisher", "--config", "/made/config.hcl")),
    "keepalived": Pod(
        "keepalived-ipfailover",
        ("/usr/sbin/keepalived", "--dont-fork", "--log-console", "--use-file", "/made/keepalived.conf"),
        capabilities=("NET_ADMIN", "NET_BROADCAST", "NET_RAW"),
    ),
    "haproxy": Pod(
        "haproxy-router", ("haproxy", "-W", "-db", "-f", "/made/haproxy.cfg"), ("apiAddress", "ingressAddress")
    ),
    "nginx": Pod(
        "nginx",
        ("nginx", "-c", "/made/nginx.conf", "-g", "daemon off;"),
        init=_FETCH,
        init_image="nginx",
        folders=(("tls", "/opt/openshift/tls"),),
    ),
}


def config(row: Mapping[str, Any], role: str, cluster: Content) -> Config:
    """Return the pods of a role as files, each with its configuration.

    Args:
        row: a row of a catalogue entry's `snippets`.
        role: role of the machine.
        cluster: the install-config.

    Raises:
        ValueError: if the role does not have a pod, or the row lacks something that a pod needs.
    """
    workers = sum(pool["replicas"] for pool in cluster["compute"])
    chosen = row.get("pods") or _ROLE_PODS[role]
    if strange := [name for name in chosen if name not in _ROLE_PODS[role]]:
        raise ValueError(f"a {role} has no static pod {', '.join(strange)}; it has {', '.join(_ROLE_PODS[role])}")
    names = [name for name in chosen if name != "haproxy" or workers]
    _check(row, names)
    values = _values(row, role, cluster)
    files = [
        File(f"/etc/{name}/{file}", text, _FILE_MODE)
        for name in names
        for file, text in _configuration(name, role, values, workers).items()
    ]
    files += [
        File(f"/etc/kubernetes/manifests/{name}.yaml", manifest_yaml.to_yaml(_manifest(name, row, values)), _FILE_MODE)
        for name in names
    ]
    if "haproxy" in names:
        # It listens on an address that another master may have at the moment.
        files.append(File("/etc/sysctl.d/99-nonlocal-bind.conf", "net.ipv4.ip_nonlocal_bind = 1\n", _FILE_MODE))
    return Config(files=tuple(files))


def _check(row: Mapping[str, Any], names: list[str]) -> None:
    images = {image for name in names for image in (PODS[name].image, PODS[name].init_image)}
    wrong = [f"'{member}' is missing" for member in _needed(names) if not row.get(member)]
    wrong += [f"'images.{image}' is missing" for image in sorted(images) if not (row.get("images") or {}).get(image)]
    addresses = [row[member] for member in ("apiAddress", "ingressAddress") if row.get(member)]
    wrong += [
        f"'{address}' is not an IPv4 address"
        for address in (*addresses, *(row.get("nameservers") or ()))
        if not _is_ipv4(address)
    ]
    if "keepalived" in names and not wrong:
        routers = [_router(address) for address in addresses]
        if "0" in routers:
            wrong.append(
                "an address ends in 0: routers are numbered from 1 to 255, by the last number of their address"
            )
        if len(set(routers)) < len(routers):
            wrong.append(
                "'apiAddress' and 'ingressAddress' end in the same number, by which their routers are told apart"
            )
    if wrong:
        raise ValueError(f"static pods: {', '.join(wrong)}")


def _is_ipv4(address: object) -> bool:
    try:
        # It accepts numbers too.
        return isinstance(address, str) and bool(ipaddress.IPv4Address(address))
    except ValueError:
        return False


def _needed(names: list[str]) -> list[str]:
    return sorted({member for name in names for member in PODS[name].needs})


def _values(row: Mapping[str, Any], role: str, cluster: Content) -> dict[str, str]:
    # Until the bootstrap machine answers for etcd, all masters are needed; later any number is enough.
    masters = cluster["controlPlane"]["replicas"] if role == "bootstrap" else 0
    return {
        "domain": install_config.domain(cluster),
        "cluster": cluster["metadata"]["name"],
        "masters": str(masters),
        "api_address": str(row["apiAddress"]),
        "ingress_address": str(row.get("ingressAddress") or ""),
        "nameservers": " ".join(row.get("nameservers") or ()),
    }


def _configuration(name: str, role: str, values: dict[str, str], workers: int) -> dict[str, str]:
    """Return a pod's files by name, as they are before the init container runs."""
    ingress = values["ingress_address"]
    if name == "coredns":
        apps = Template(_APPS).substitute(values) if ingress else ""
        made = {"Corefile": Template(_COREFILE).substitute(values, apps=apps)}
        return made | ({"apps.db": Template(_APPS_ZONE).substitute(values)} if ingress else {})
    if name == "mdns-publisher":
        text = _MDNS + (_MDNS_ETCD if role == "master" else "")
        return {"config.hcl": Template(text).substitute(values)}
    if name == "keepalived":
        instances = _vrrp("api", values["api_address"], role, _TRACK)
        return {"keepalived.conf": _KEEPALIVED + instances + (_vrrp("ingress", ingress, role, "") if ingress else "")}
    if name == "haproxy":
        return {"haproxy.cfg": _HAPROXY + "".join(_listen(port, values, workers) for port in (80, 443))}
    return {"nginx.conf": _NGINX}


def _vrrp(name: str, address: str, role: str, track: str) -> str:
    return Template(_VRRP).substitute(
        name=name, address=address, router=_router(address), priority=_PRIORITIES[role], track=track
    )


def _router(address: str) -> str:
    """Return the number by which VRRP distinguishes the clusters of one network, and the addresses of one cluster."""
    return address.rpartition(".")[2]


def _listen(port: int, values: dict[str, str], workers: int) -> str:
    lines = [
        (
            f"    server worker-{number} {values['cluster']}-worker-{number}.{values['domain']}:{port} check "
            "resolvers node\n"
        )
        for number in range(workers)
    ]
    return Template(_LISTEN).substitute(port=port, address=values["ingress_address"]) + "".join(lines)


def _manifest(name: str, row: Mapping[str, Any], values: dict[str, str]) -> Json:
    pod = PODS[name]
    asked = f"api-int.{values['domain']}" if name == "nginx" else values["api_address"]
    mounts = [{"name": "given", "mountPath": "/given"}, {"name": "made", "mountPath": "/made"}]
    mounts += [{"name": folder, "mountPath": f"/{folder}"} for folder, _ in pod.folders]
    volumes: list[Json] = [
        {"name": "given", "hostPath": {"path": f"/etc/{name}", "type": "Directory"}},
        {"name": "made", "emptyDir": {}},
    ]
    volumes += [{"name": folder, "hostPath": {"path": path, "type": "Directory"}} for folder, path in pod.folders]
    security = {"securityContext": {"capabilities": {"add": list(pod.capabilities)}}} if pod.capabilities else {}
    container = {"name": name, "image": row["images"][pod.image], "command": list(pod.command), "volumeMounts": mounts}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": manifest_yaml.metadata(name, NAMESPACE, labels={"app": name}),
        "spec": {
            "hostNetwork": True,
            "priorityClassName": "system-node-critical",
            "tolerations": [{"operator": "Exists"}],
            "initContainers": [
                {
                    "name": "configure",
                    "image": row["images"][pod.init_image],
                    "command": ["/bin/bash", "-c", pod.init, "configure", asked],
                    "volumeMounts": mounts,
                }
            ],
            "containers": [container | security],
            "volumes": volumes,
        },
    }
