"""`bootkube.sh`, made from the stages: it brings up the cluster's control plane on the bootstrap machine.

What the script begins with stands in `scripts/bootkube.sh`.
"""

import shlex
from collections.abc import Iterator
from pathlib import Path

from shared.installer.graph import Content
from shared.installer.stage import DONE, ETCD_ENDPOINTS, ETCD_MANAGED, FOLDERS, MANIFESTS, PODS, Copy, Flag, Stage
from shared.installer.stages import IMAGES, of_release, stages

_HEAD = Path(__file__).parent / "scripts" / "bootkube.sh"
_LOCAL = "https://localhost:2379"
_RECORD = """
# A list of what began and ended, which log collectors read.
record() {
    local file=/var/log/openshift/bootkube.json lead="["
    mkdir --parents "$(dirname "$file")"
    if [[ -s "$file" ]]; then
        sed --in-place '$d' "$file"
        lead=","
    fi
    printf '%s{"timestamp":"%s","stage":"%s","phase":"stage %s"}\\n]\\n' \\
        "$lead" "$(date --utc +%Y-%m-%dT%H:%M:%SZ)" "$1" "$2" >>"$file"
}
"""
_MANAGED = """
# Releases of this flavour differ in who looks after etcd: their operator, or nobody yet.
ETCD_MANAGED=no
if [[ "${CLUSTER_ETCD_OPERATOR_IMAGE}" != no-ceo-image ]] &&
    podman run --rm --net=none --entrypoint=grep "${CLUSTER_ETCD_OPERATOR_IMAGE}" \\
        --recursive --quiet --no-messages --include='*_operator.cr.yaml' 'managementState: Managed' /manifests; then
    ETCD_MANAGED=yes
fi
"""


def text(config: Content, release: Content) -> str:
    """Return the script for a cluster's install-config and its release."""
    flavour = release["flavour"]
    lines = [_HEAD.read_text(encoding="utf-8") + (_RECORD if flavour == "C" else "")]
    lines += [f"mkdir --parents {' '.join((*FOLDERS, PODS.rstrip('/'), MANIFESTS.rstrip('/')))}", ""]
    lines.append("# All images by their names in the release, before anything begins.")
    for image in of_release(IMAGES, release):
        spare = f" || echo {image.absent}" if image.absent and release in image.absent_in else ""
        lines.append(f"{image.variable}=$(image_for {image.component}{spare})")
    domain = f"{config['metadata']['name']}.{config['baseDomain']}"
    rows = [line for stage in stages(flavour) for line in _stage(stage, release)]
    if any("${CLUSTER_DOMAIN}" in line for line in rows):
        lines += ["", f"CLUSTER_DOMAIN={shlex.quote(domain)}"]
    lines += _etcd(flavour, int(config["controlPlane"]["replicas"]), domain)
    return "\n".join((*lines, *rows)) + "\n"


def _etcd(flavour: str, masters: int, domain: str) -> list[str]:
    members = shlex.quote(",".join(f"https://etcd-{number}.{domain}:2379" for number in range(masters)))
    if flavour != "T":
        return ["", f"{ETCD_ENDPOINTS}={members if flavour == 'A' else _LOCAL}"]
    return [
        _MANAGED.rstrip(),
        f"{ETCD_ENDPOINTS}={members}",
        f'if [[ "${{{ETCD_MANAGED}}}" == yes ]]; then',
        f"    {ETCD_ENDPOINTS}={_LOCAL}",
        "fi",
    ]


def _stage(stage: Stage, release: Content) -> list[str]:
    flavour = release["flavour"]
    lines = [f'echo "{stage.says}"']
    if flavour == "C" and stage.marker:
        lines.append(f"record {stage.name} start")
    if stage.output:
        lines.append(f"rm --recursive --force {stage.output}")
    lines += _program(stage, of_release(stage.flags, release)) if stage.image else stage.first
    lines += [_copy(one) for one in of_release(stage.copies, release)]
    if stage.marker:
        lines += [f"record {stage.name} end"] if flavour == "C" else []
        lines.append(f"touch {stage.marker}")
    if stage.marker and stage.marker != DONE:
        lines = ["", f"if [[ ! -f {stage.marker} ]]; then", *_indented(lines), "fi"]
    else:
        lines = ["", *lines]
    if flavour == "T" and stage.when:
        return ["", f'if [[ "${{{ETCD_MANAGED}}}" == {stage.when} ]]; then', *_indented(lines[1:]), "fi"]
    return lines


def _program(stage: Stage, flags: tuple[Flag, ...]) -> Iterator[str]:
    yield "args=("
    yield from _indented([f'"{flag.name}={flag.value}"' for flag in flags if not flag.where])
    yield ")"
    for flag in flags:
        if flag.where:
            yield f"if [[ -f {flag.where} ]]; then"
            yield f'    args+=("{flag.name}={flag.value}")'
            yield "fi"
    options = " ".join(f'"{option}"' if "$" in option else option for option in stage.podman)
    detach = "--detach " if stage.how == "background" else ""
    program = " ".join((f'"${{{stage.image}}}"', *stage.command, '"${args[@]}"'))
    run = [f"podman run {detach}--net=host {options} \\", f"    {program}"]
    if stage.how == "until":
        yield "until"
        yield from _indented([*stage.first, *run])
        yield from ("do", '    echo "Not yet; once more in 5 seconds."', "    sleep 5", "done")
        return
    yield from stage.first
    if stage.how == "background":
        yield f"trap '{stage.first[0]}' ERR"
    yield from run


def _copy(one: Copy) -> str:
    verb = "copy" if one.target.endswith("/") else "copy_as"
    if one.optional:
        return f"copy_if_there {one.source.removesuffix('/*')} {one.target}"
    return f"{verb} {one.source} {one.target}"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]
