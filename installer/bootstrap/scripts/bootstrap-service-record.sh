#!/usr/bin/env bash
# To be sourced, with the name of a unit and, for a program that runs before the unit's own, the name of that: keeps a
# list of what began and ended in /var/log/openshift/UNIT.json, which log collectors read.

record_unit="${1:?the name of a unit is needed}"
record_command="${2:-}"
record_kind="${record_command:+pre-command}"
record_kind="${record_kind:-service}"
record_stage="" record_line=""

add_record() {
    local file="/var/log/openshift/${record_unit}.json" message=""
    if [[ "${2:-}" == failure ]]; then
        message="$(journalctl --unit="${record_unit}.service" --lines=3 --output=cat 2>/dev/null || true)"
    else
        record_line=""
    fi
    mkdir --parents "${file%/*}"
    if [[ ! -s "${file}" ]]; then
        echo "[]" >"${file}"
    fi
    # What says nothing is left out.
    jq --arg timestamp "$(date --utc +%Y-%m-%dT%H:%M:%SZ)" --arg phase "$1" --arg result "${2:-}" \
        --arg stage "${record_stage}" --arg preCommand "${record_command}" \
        --arg errorLine "${record_line}" --arg errorMessage "${message}" \
        '. + [$ARGS.named | map_values(select(. != ""))]' "${file}" >"${file}.new" &&
        mv "${file}.new" "${file}"
}

# record PHASE [RESULT]: no unit ends because its record cannot be kept.
record() {
    add_record "$@" || echo "That '$1' came is not recorded."
}

begin_stage() {
    record_stage="$1"
    record "stage start"
}

end_stage() {
    record "stage end" "${1:-success}"
    record_stage=""
}

end_records() {
    local result=success
    if (($1 != 0)); then
        result=failure
    fi
    if [[ -n "${record_stage}" ]]; then
        end_stage "${result}"
    fi
    record "${record_kind} end" "${result}"
}

trap 'record_line="${BASH_SOURCE[0]##*/}:${LINENO}"' ERR
trap 'end_records $?' EXIT
record "${record_kind} start"
