"""The image that a cluster's machines boot, read from its release if neither cluster nor catalogue names it."""

import logging

from activities.machines import graph_inputs
from activities.runtime.executor import Rendered, TryAgain
from activities.runtime.step import Step
from installer.back_end_errors import InstallerError
from installer.config import install_config
from installer.release import release_image
from installer.release.image_registry import Pullspec
from shared import tracing
from shared.arm.errors import CloudError, ErrorCode
from shared.documents import ClusterDocument
from shared.steps import RetryClass

_log = logging.getLogger("activities")


def decide(step: Step) -> bool:
    """Store the image as `rhcosImage` if nothing names it yet; return whether it had to be read from the release.

    The release is read from the service's registry, if it has one, with the cluster's token, or from the registry in
    its pull spec with the customer's pull secret. The first stored answer wins, for two runs at once as well as for
    later ones.

    Raises:
        CloudError: 500 `InternalServerError`, for the operator: with the failure of each registry.
        TryAgain: with the same, if it may pass.
    """
    if graph_inputs.image(step):
        return False
    image = _of_release(step)

    def change(document: ClusterDocument) -> bool:
        properties = document["openShiftCluster"]["properties"]
        if "rhcosImage" in properties:
            return False
        properties["rhcosImage"] = image
        return True

    step.decide(change)
    return True


def render(step: Step) -> list[Rendered]:
    """Return the release images that would be asked, in that order until one answers; empty if the image is known."""
    if graph_inputs.image(step):
        return []
    return [{"document": "properties.rhcosImage", "releaseImages": [str(place) for place in _places(step)]}]


def _places(step: Step) -> list[Pullspec]:
    return release_image.places(graph_inputs.entry(step).pullspec, install_config.mirrors(step.properties))


def _of_release(step: Step) -> dict[str, str]:
    version = graph_inputs.entry(step).version
    try:
        images = release_image.coreos_images(version, _places(step), graph_inputs.pull_secret(step))
    except InstallerError as error:
        _log.warning("%s", error, extra=tracing.current.get().extra())
        failure = CloudError(
            500,
            ErrorCode.INTERNAL_SERVER_ERROR,
            f"The image that machines of OpenShift {version} boot cannot be read from its release image: "
            f"{error.cause}. Create the cluster again later, or with another version, or open a support request with "
            "the correlation id: an 'rhcosImage' in the catalogue's entry of the version makes it known.",
            "properties.clusterProfile.version",
        )
        if error.passing:
            raise TryAgain(failure, RetryClass.TRANSIENT) from error
        raise failure from error
    image = graph_inputs.chosen(images, version)
    _log.info("The release names the machines' image %s %s", image["sku"], image["version"])
    return image
