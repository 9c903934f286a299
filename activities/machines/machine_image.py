"""The image that a cluster's machines boot: named by the catalogue, or by the release; checked, then decided once."""

import logging

from activities.checks import catalogue_entry, machine_images
from activities.machines import gallery_image, graph_inputs, installer_failures
from activities.runtime.executor import Executor, Outcome, Rendered, wait
from activities.runtime.step import Step
from installer.back_end_errors import InstallerError
from installer.config import install_config
from installer.release import release_image
from installer.release.image_registry import Pullspec
from shared.arm.errors import summarize
from shared.documents import ClusterDocument
from shared.release import machine_image

_log = logging.getLogger("activities")


def decide(step: Step) -> Outcome | None:
    """Store the image as `rhcosImage`, with the security type that it demands of its machines.

    Every machine of this cluster boots the image that its version has now, whatever the catalogue says later. If the
    catalogue names none, the release does. It is read from the service's registry, if it has one, with the cluster's
    token, or from the registry in its pull spec with the customer's pull secret. The first stored answer wins, for two
    runs at once as well as for later ones. An image that does not fit is not stored: once somebody has corrected the
    entry, the create continues with it.

    Raises:
        CloudError: `InternalServerError`, for the operator: with the failure of each registry, or what is wrong with
            the image. `InvalidParameter`, for the customer: a size does not fit, or nobody has accepted the terms.
        TryAgain: with a failure that may pass.
    """
    if "rhcosImage" in step.properties:
        return None
    image = machine_images.known_image(step)
    if image is None:
        if missing := graph_inputs.token_problems(step):
            return wait("; ".join(missing))
        image = _of_release(step)
    found = machine_images.facts(step, image)
    if wrong := [*machine_images.problems(step, image, found)]:
        raise summarize(wrong)
    decided = image | ({"securityType": found.demanded} if found and found.demanded else {})
    if "vhd" in image:
        decided["id"] = gallery_image.image_id(step, image["generation"])

    def change(document: ClusterDocument) -> bool:
        properties = document["openShiftCluster"]["properties"]
        if "rhcosImage" in properties:
            return False
        properties["rhcosImage"] = decided
        return True

    step.decide(change)
    return None


def _render(step: Step) -> list[Rendered]:
    """Return the release images that would be asked, in that order until one answers; empty if the image is known."""
    if machine_images.known_image(step):
        return []
    return [{"document": "properties.rhcosImage", "releaseImages": [str(place) for place in _places(step)]}]


def _places(step: Step) -> list[Pullspec]:
    return release_image.places(catalogue_entry.entry(step).pullspec, install_config.mirrors(step.properties))


def _of_release(step: Step) -> dict[str, str]:
    version = catalogue_entry.entry(step).version
    try:
        images = release_image.coreos_images(version, _places(step), graph_inputs.pull_secret(step))
    except InstallerError as error:
        message = (
            f"The image that machines of OpenShift {version} boot cannot be read from its release image: "
            f"{error.cause}. Create the cluster again later, or with another version, or open a support request with "
            "the correlation id: an 'rhcosImage' in the catalogue's entry of the version makes it known."
        )
        raise installer_failures.report(error, message) from error
    image = machine_images.choose_image(step, images)
    _log.info("The release names the machines' image %s", machine_image.label(image))
    return image


decide_machine_image = Executor(run=decide, render=_render)
