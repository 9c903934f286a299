#!/usr/bin/env bash
# Collects what a master says of itself into /tmp/artifacts-ID. The bootstrap machine copies this here and runs it.
#
# Usage: installer-masters-gather.sh [--id ID]
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

readonly artifacts="/tmp/artifacts-${id}"
umask 077
mkdir -p "${artifacts}"/{journals,failed-units,unit-status,containers}

systemctl list-units --state=failed --no-legend >"${artifacts}/failed-units.txt" 2>&1
while read -r unit _; do
    [[ -z "${unit}" ]] && continue
    systemctl status --full "${unit}" >"${artifacts}/unit-status/${unit}.txt" 2>&1
    journalctl --boot --no-pager --output=short --unit="${unit}" >"${artifacts}/failed-units/${unit}.log" 2>&1
done < <(sed 's/^[^A-Za-z0-9]*//' "${artifacts}/failed-units.txt")

# A unit that this release lacks has an empty journal.
for unit in kubelet crio machine-config-daemon-host pivot openshift-azure-routes openshift-gcp-routes; do
    journalctl --boot --no-pager --output=short --unit="${unit}.service" >"${artifacts}/journals/${unit}.log" 2>&1
done

for container in $(crictl ps --all --quiet 2>/dev/null); do
    name="$(crictl inspect "${container}" 2>/dev/null | jq -r '.status.metadata.name // "unknown"')"
    crictl logs "${container}" >"${artifacts}/containers/${name}-${container}.log" 2>&1
    crictl inspect "${container}" >"${artifacts}/containers/${name}-${container}.inspect" 2>&1
done
