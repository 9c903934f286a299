#!/usr/bin/env bash
# Lets the cluster's own machines join while nothing in the cluster can judge them yet.
# A request is approved only if its sender may make it and the certificate says what it is meant to say;
# anything else stays pending for the cluster, or for people, to decide.
#
# Usage: approve-csr.sh KUBECONFIG
set -euo pipefail

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh approve-csr

readonly kubeconfig="${1:?the path of a kubeconfig is needed}"
readonly done_file=/opt/openshift/.bootkube.done
readonly pause_seconds=20

readonly masters=(@MASTERS@)
# Machines of a set are called like it, with five more characters.
readonly machine_sets=(@MACHINE_SETS@)

readonly bootstrapper="system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
readonly bootstrapper_group="system:serviceaccounts:openshift-machine-config-operator"

# Pending requests, one a line: name|sender|signer|groups|usages|request. Names that people choose are encoded, so that
# none can look like two.
readonly pending='{{range .items}}{{if not .status.conditions}}{{.metadata.name}}|{{urlquery .spec.username}}|{{with .spec.signerName}}{{.}}{{end}}|{{range .spec.groups}}{{urlquery .}},{{end}}|{{range .spec.usages}}{{.}},{{end}}|{{.spec.request}}{{"\n"}}{{end}}{{end}}'
readonly addresses='{{range .status.addresses}}{{.address}}{{"\n"}}{{end}}'

declare -A told=()

# api COMMAND...: asks the cluster.
api() {
    oc @KUBECONFIG_FLAG@="${kubeconfig}" "$@"
}

# is_member NAME: whether a machine of this cluster may be called so.
is_member() {
    local known
    for known in "${masters[@]}"; do
        [[ "$1" == "${known}" ]] && return 0
    done
    for known in "${machine_sets[@]}"; do
        [[ "$1" == "${known}"-* && "${1#"${known}-"}" =~ ^[a-z0-9]{5}$ ]] && return 0
    done
    return 1
}

# has LIST ITEM: whether a list that ends each item with a comma holds one.
has() {
    [[ ",$1" == *",$2,"* ]]
}

# only LIST ITEM...: whether a list holds nothing else.
only() {
    local list="$1" item
    shift
    local -a items=()
    IFS=, read -ra items <<<"${list}"
    for item in "${items[@]}"; do
        has "$(printf '%s,' "$@")" "${item}" || return 1
    done
}

# alternative_names REQUEST: what else the certificate is made out to, one a line.
alternative_names() {
    openssl req -noout -text <<<"$1" |
        sed -n '/Subject Alternative Name/{n;s/, */\n/g;p;}' |
        sed 's/^ *//'
}

# refusal SENDER SIGNER GROUPS USAGES REQUEST: prints why a request is not ours to approve, nothing if it is.
refusal() {
    local sender="$1" signer="$2" groups="$3" usages="$4" request subject node name
    if ! request="$(base64 -d <<<"$5" 2>/dev/null)" ||
        ! subject="$(openssl req -noout -subject -nameopt RFC2253 <<<"${request}" 2>/dev/null)"; then
        echo "it holds no certificate request"
        return
    fi
    subject="${subject#subject=}"
    subject="${subject# }"
    node="${subject#CN=system:node:}"
    node="${node%,O=system:nodes}"
    if [[ "${subject}" != "CN=system:node:${node},O=system:nodes" ]]; then
        echo "its subject '${subject}' is not a node's"
    elif ! is_member "${node}"; then
        echo "no machine of this cluster is called '${node}'"
    elif ! has "${groups}" system:authenticated; then
        echo "its sender is not authenticated"
    elif [[ "${sender}" == "${bootstrapper}" ]]; then
        # A new machine asks for the certificate by which its kubelet will be known.
        if ! has "${groups}" "${bootstrapper_group}"; then
            echo "its sender is not in group '${bootstrapper_group}'"
        elif [[ -n "${signer}" && "${signer}" != kubernetes.io/kube-apiserver-client-kubelet ]] &&
            [[ "${signer}" != kubernetes.io/legacy-unknown ]]; then
            echo "signer '${signer}' does not sign clients"
        elif ! has "${usages}" "client auth" ||
            ! only "${usages}" "client auth" "digital signature" "key encipherment"; then
            echo "usages '${usages%,}' are not those of a client"
        elif [[ -n "$(alternative_names "${request}")" ]]; then
            echo "a client has no alternative names"
        fi
    elif [[ "${sender}" == "system:node:${node}" ]]; then
        # A node asks for the certificate by which its kubelet serves.
        if ! has "${groups}" system:nodes; then
            echo "its sender is not in group 'system:nodes'"
        elif [[ -n "${signer}" && "${signer}" != kubernetes.io/kubelet-serving ]] &&
            [[ "${signer}" != kubernetes.io/legacy-unknown ]]; then
            echo "signer '${signer}' does not sign kubelets"
        elif ! has "${usages}" "server auth" ||
            ! only "${usages}" "server auth" "digital signature" "key encipherment"; then
            echo "usages '${usages%,}' are not those of a server"
        else
            local known
            known="$(api get node "${node}" -o "go-template=${addresses}" 2>/dev/null || true)"
            while read -r name; do
                [[ -z "${name}" || "${name}" == "DNS:${node}" ]] && continue
                if ! grep -qxF -- "${name#*:}" <<<"${known}"; then
                    echo "node '${node}' is not known by '${name}'"
                    return
                fi
            done < <(alternative_names "${request}")
        fi
    else
        echo "'${sender}' may not ask for a certificate of node '${node}'"
    fi
}

approve_pending() {
    local list name sender signer groups usages request reason
    list="$(api get csr -o "go-template=${pending}" 2>/dev/null)" || return 0
    while IFS='|' read -r name sender signer groups usages request; do
        [[ -z "${name}" ]] && continue
        reason="$(refusal "${sender//%3A/:}" "${signer}" "${groups//%3A/:}" "${usages}" "${request}")"
        if [[ -z "${reason}" ]]; then
            api adm certificate approve "${name}" || echo "Could not approve ${name}; it is tried again."
        elif [[ "${told[${name}]:-}" != "${reason}" ]]; then
            told[${name}]="${reason}"
            echo "Left ${name} pending: ${reason}."
        fi
    done <<<"${list}"
}

until [[ -e "${done_file}" ]]; do
    approve_pending
    sleep "${pause_seconds}"
done
