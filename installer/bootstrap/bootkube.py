"""`bootkube.sh`, generated from the stages. It starts the cluster's control plane on the bootstrap machine.

The beginning of the script is in `scripts/bootkube.sh`.
"""

import shlex
from collections.abc import Iterator

from installer.bootstrap import host_script
from installer.bootstrap.stage import (
    DONE,
    ETCD_ENDPOINTS,
    ETCD_MANAGED,
    FOLDERS,
    KUBERNETES_VERSION,
    MANIFESTS,
    PAYLOAD_VERSION,
    PODS,
    Copy,
    Stage,
)
from installer.bootstrap.stages import IMAGES, STAGES, parts_of_release
from installer.graph import Content
from installer.release.releases import WITH_NAMES, WITH_RECORDS

_LOCAL = "https://localhost:2379"
# Files of the release image that contain its name, and all its images.
_METADATA, _IMAGE_LIST = "/release-manifests/release-metadata", "/release-manifests/image-references"
# The images that contain Kubernetes have its version in an annotation.
_KUBERNETES = """first(.spec.tags[].annotations["io.openshift.build.versions"] // empty | split(",")[]
    | select(startswith("kubernetes=")) | ltrimstr("kubernetes="))"""
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
    lines = [host_script.text("bootkube", release)]
    lines += [f"mkdir --parents {' '.join((*FOLDERS, PODS.rstrip('/'), MANIFESTS.rstrip('/')))}", ""]
    lines.append("# All images by their names in the release, before anything begins.")
    for image in parts_of_release(IMAGES, release):
        spare = f" || echo {image.absent}" if image.absent and release in image.absent_in else ""
        lines.append(f"{image.variable}=$(image_for {image.component}{spare})")
    domain = f"{config['metadata']['name']}.{config['baseDomain']}"
    rows = [line for stage in parts_of_release(STAGES, release) for line in _stage(stage, release)]
    named = "\n".join(rows)
    if "${CLUSTER_DOMAIN}" in named:
        lines += ["", f"CLUSTER_DOMAIN={shlex.quote(domain)}"]
    if f"${{{PAYLOAD_VERSION}}}" in named:
        lines += ["", f"{PAYLOAD_VERSION}=$(release_file {_METADATA} | jq --raw-output --exit-status .version)"]
    if f"/assets/{_IMAGE_LIST.rpartition('/')[2]}" in named:
        lines += ["", f"release_file {_IMAGE_LIST} >{_IMAGE_LIST.rpartition('/')[2]}"]
    if f"${{{KUBERNETES_VERSION}}}" in named:
        lines += ["", f"{KUBERNETES_VERSION}=$(release_file {_IMAGE_LIST} | jq --raw-output --exit-status \\"]
        lines += [f"    '{_KUBERNETES}')"]
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
    records = release in WITH_RECORDS
    lines = [f"begin_stage {stage.name}"] if records else []
    lines.append(f'echo "{stage.says}"')
    if stage.output:
        lines.append(f"rm --recursive --force {stage.output}")
    lines += _program(stage, release) if stage.image else stage.first
    lines += [_copy(one) for one in parts_of_release(stage.copies, release)]
    lines += [f"touch {stage.marker}"] if stage.marker else []
    lines += ["end_stage"] if records else []
    if stage.marker and stage.marker != DONE:
        lines = ["", f"if [[ ! -f {stage.marker} ]]; then", *_indented(lines), "fi"]
    else:
        lines = ["", *lines]
    if release["flavour"] == "T" and stage.when:
        return ["", f'if [[ "${{{ETCD_MANAGED}}}" == {stage.when} ]]; then', *_indented(lines[1:]), "fi"]
    return lines


def _program(stage: Stage, release: Content) -> Iterator[str]:
    flags = parts_of_release(stage.flags, release)
    yield "args=("
    yield from _indented([f'"{flag.name}={flag.value}"' for flag in flags if not flag.where])
    yield ")"
    for flag in flags:
        if flag.where:
            yield f"if [[ -f {flag.where} ]]; then"
            yield f'    args+=("{flag.name}={flag.value}")'
            yield "fi"
    named = release in WITH_NAMES or stage.how != "once"
    options = " ".join(f'"{option}"' if "$" in option else option for option in stage.podman)
    name = f"--name={stage.container} " if named else ""
    detach = "--detach " if stage.how == "background" else ""
    program = " ".join((f'"${{{stage.image}}}"', *stage.command, '"${args[@]}"'))
    run = [f"podman run {detach}--net=host {name}{options} \\", f"    {program}"]
    # The name is free again only once the container of an earlier run is gone.
    before = [*([f"remove_container {stage.container}"] if named else ()), *stage.first]
    if stage.how == "until":
        yield "until"
        yield from _indented([*before, *run])
        yield from ("do", '    echo "Not yet; once more in 5 seconds."', "    sleep 5", "done")
        return
    yield from before
    if stage.how == "background":
        yield f"trap '{before[0]}' ERR"
    yield from run


def _copy(one: Copy) -> str:
    verb = "copy" if one.target.endswith("/") else "copy_as"
    if one.optional:
        return f"copy_if_there {one.source.removesuffix('/*')} {one.target}"
    return f"{verb} {one.source} {one.target}"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]
