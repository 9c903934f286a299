"""The admin kubeconfig of an OpenShift cluster that the service made, with the Azure credentials of this terminal."""

import base64
import json

from azure.core.exceptions import AzureError, HttpResponseError
from azure.core.rest import HttpRequest
from azure.identity import DefaultAzureCredential
from azure.mgmt.resource.resources import ResourceManagementClient

API_VERSION = "2023-11-22"


def read_admin(resource_id: str) -> str:
    """Return the admin kubeconfig of a cluster, as YAML.

    Args:
        resource_id: id of the cluster.

    Raises:
        LookupError: nobody is signed in, or Azure refuses.
    """
    subscription_id = resource_id.split("/")[2] if resource_id.count("/") > 1 else ""
    request = HttpRequest("POST", f"{resource_id}/listAdminCredentials?api-version={API_VERSION}")
    try:
        with ResourceManagementClient(DefaultAzureCredential(), subscription_id) as client:
            answer = client.send_request(request)
            answer.raise_for_status()
            return base64.b64decode(json.loads(answer.text())["kubeconfig"]).decode()
    except HttpResponseError as error:
        raise LookupError(f"Azure answers {error.status_code} for {resource_id}: {error.message}") from error
    except (AzureError, ValueError, KeyError) as error:
        raise LookupError(f"{resource_id}: {error}") from error
