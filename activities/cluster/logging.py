"""The service's own logging, in the cluster."""

from azure.core.exceptions import ResourceNotFoundError
from kubernetes.client import ApiClient

from activities.cluster import cluster_api
from activities.machines import registry
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared import settings
from shared.arm.errors import CloudError, ErrorCode
from shared.openshift import logging_objects, privileged_objects, writes
from shared.openshift.logging_objects import Logging
from shared.vault import get_vault, pem


def _ensure_logging(step: Step) -> Outcome | None:
    """Create or update each object. A second run finds them, and writes the certificate only if it was renewed."""

    def work(api: ApiClient) -> None:
        found = writes.existing(api, privileged_objects.PRIVILEGED)
        for wanted in logging_objects.objects(_given(step), found):
            writes.create_or_update(api, wanted)

    return cluster_api.write(step, work)


def _given(step: Step) -> Logging:
    service_settings = settings.load()
    certificate, key = _certificate(service_settings.cluster_logging_certificate_secret)
    return Logging(
        cluster_id=step.cluster["id"],
        region=service_settings.location,
        registry=registry.login_server(),
        environment=service_settings.cluster_logging_environment,
        config_version=service_settings.cluster_logging_config_version,
        certificate=certificate,
        key=key,
    )


def _certificate(secret: str) -> tuple[str, str]:
    """Return the certificate of the logging account and its key, the same for all clusters.

    Raises:
        CloudError: for the operators of the service, if the vault has none.
    """
    try:
        return pem.split(get_vault().get_service_secret(secret))
    except ResourceNotFoundError:
        problem = "is not there"
    except ValueError:
        # The message does not say what exactly is wrong, because the text around it is a key.
        problem = "is not a PEM certificate with its PKCS#8 key"
    raise CloudError(
        500,
        ErrorCode.INTERNAL_SERVER_ERROR,
        f"The secret '{secret}' of the service vault, which the setting CLUSTER_LOGGING_CERTIFICATE_SECRET names, "
        f"{problem}. Store the certificate of the logging account there.",
    )


ensure_logging = Executor(run=_ensure_logging)
