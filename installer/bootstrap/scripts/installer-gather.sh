#!/usr/bin/env bash
# Collects what tells why an install came to nothing, from this machine, the API and the masters, into one archive.
# Keys, kubeconfigs and secrets stay where they are.
#
# Usage: installer-gather.sh [--id ID] [MASTER...]
# TAR_FILE names the archive, if it is not to be log-bundle-ID.tar.gz in the home folder.
set -uo pipefail

id="$(date -u +%Y%m%d%H%M%S)"
if [[ "${1:-}" == --id ]]; then
    id="${2:?--id needs a value}"
    shift 2
fi
if [[ ! "${id}" =~ ^[A-Za-z0-9._-]+$ ]]; then
    echo "The id '${id}' may have letters, digits, dots, dashes and underscores." >&2
    exit 2
fi
masters=("$@")

readonly root=/opt/openshift
readonly bundle="log-bundle-${id}"
readonly archive="${TAR_FILE:-${HOME}/${bundle}.tar.gz}"
readonly parallel=45
readonly seconds=5
readonly kubeconfig="${root}/auth/kubeconfig"

work="$(mktemp --directory)"
trap 'rm -rf "${work}"' EXIT
readonly artifacts="${work}/${bundle}"
mkdir -p "${artifacts}"/{failed-units,unit-status,rendered-assets,control-plane,resources} \
    "${artifacts}"/bootstrap/{journals,containers,pods}

# log_containers: what every container of the host said, and how it was started.
log_containers() {
    local container name
    for container in $(crictl ps --all --quiet 2>/dev/null); do
        name="$(crictl inspect "${container}" 2>/dev/null | jq -r '.status.metadata.name // "unknown"')"
        crictl logs "${container}" >"${artifacts}/bootstrap/containers/${name}-${container}.log" 2>&1
        crictl inspect "${container}" >"${artifacts}/bootstrap/containers/${name}-${container}.inspect" 2>&1
    done
    for container in $(podman ps --all --format '{{.ID}}' --no-trunc 2>/dev/null); do
        podman logs "${container}" >"${artifacts}/bootstrap/pods/${container}.log" 2>&1
        podman inspect "${container}" >"${artifacts}/bootstrap/pods/${container}.inspect" 2>&1
    done
}

# api COMMAND...: asks the cluster, which may be gone.
api() {
    oc @KUBECONFIG_FLAG@="${kubeconfig}" "--request-timeout=${seconds}s" "$@"
}

# get FILE RESOURCE...: what the API holds of a resource, in the background, so many at a time.
get() {
    local file="$1"
    shift
    while (($(jobs -rp | wc -l) >= parallel)); do
        wait -n
    done
    api get "$@" >"${artifacts}/resources/${file}" 2>"${artifacts}/resources/${file}.err" &
}

echo "Collecting from this machine"
systemctl list-units --state=failed --no-legend >"${artifacts}/failed-units.txt" 2>&1
while read -r unit _; do
    [[ -z "${unit}" ]] && continue
    systemctl status --full "${unit}" >"${artifacts}/unit-status/${unit}.txt" 2>&1
    journalctl --boot --no-pager --output=short --unit="${unit}" >"${artifacts}/failed-units/${unit}.log" 2>&1
done < <(sed 's/^[^A-Za-z0-9]*//' "${artifacts}/failed-units.txt")
for unit in release-image crio-configure bootkube kubelet crio approve-csr progress; do
    journalctl --boot --no-pager --output=short --unit="${unit}.service" \
        >"${artifacts}/bootstrap/journals/${unit}.log" 2>&1
done
log_containers
cp -r /var/log/bootstrap-control-plane/. "${artifacts}/control-plane/" 2>/dev/null
if [[ -d /var/log/openshift ]]; then
    cp -r /var/log/openshift "${artifacts}/bootstrap/services"
fi
tar -C "${root}" -c --exclude='*secret*' --exclude='*kubeconfig*' --exclude='*.key' --exclude=.kube . 2>/dev/null |
    tar -C "${artifacts}/rendered-assets" -x

echo "Collecting from the API"
for resource in apiservices clusteroperators clusterversion configmaps csr endpoints events kubeapiserver \
    kubecontrollermanager machineconfigpools machineconfigs machines machinesets namespaces nodes openshiftapiserver \
    pods rolebindings roles services clusterrolebindings clusterroles controllerconfigs daemonsets deployments; do
    case "${resource}" in
        configmaps | endpoints | events | machines | machinesets | pods | rolebindings | roles | services | \
            daemonsets | deployments)
            get "${resource}.json" "${resource}" --all-namespaces -o json
            ;;
        *) get "${resource}.json" "${resource}" -o json ;;
    esac
done
get containers pods --all-namespaces -o \
    'custom-columns=NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name'
wait
find "${artifacts}/resources" -name '*.err' -empty -delete

if ((${#masters[@]} == 0)); then
    mapfile -t masters < <(
        api get nodes -l node-role.kubernetes.io/master -o \
            'go-template={{range .items}}{{range .status.addresses}}{{if eq .type "InternalIP"}}{{.address}}{{"\n"}}{{end}}{{end}}{{end}}' \
            2>/dev/null
    )
fi
if ((${#masters[@]} == 0)) && command -v dig >/dev/null; then
    # Up to 4.3, etcd's members are in the DNS, whether the API answers or not.
    domain="$(sed -n 's|.*server: https://api-int\.\(.*\):6443.*|\1|p' "${kubeconfig}" 2>/dev/null | head -n 1)"
    mapfile -t masters < <(dig +short SRV "_etcd-server-ssl._tcp.${domain}" | awk '{sub(/\.$/, "", $4); print $4}')
fi

readonly options=(-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=10 -o BatchMode=yes)
for master in "${masters[@]}"; do
    echo "Collecting from ${master}"
    folder="${artifacts}/control-plane/${master}"
    mkdir -p "${folder}"
    {
        # Its commands come with it, so nothing has to be there before.
        scp "${options[@]}" /usr/local/bin/installer-masters-gather.sh "core@[${master}]:/tmp/" </dev/null &&
            ssh "${options[@]}" "core@${master}" -- sudo bash /tmp/installer-masters-gather.sh --id "${id}" </dev/null &&
            ssh "${options[@]}" "core@${master}" -- sudo tar -c -C "/tmp/artifacts-${id}" . </dev/null | tar -C "${folder}" -x
    } >"${folder}/gather.log" 2>&1 || echo "Nothing came from ${master}; ${bundle} says why."
done

tar -C "${work}" -czf "${archive}" "${bundle}"
chmod 0600 "${archive}"
echo "Log bundle: ${archive}"
