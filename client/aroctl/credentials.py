"""Who calls: the credential of the environment, or that of the Azure CLI."""

from azure.core.credentials import TokenCredential

# `az` is slow on a busy machine, and its default is ten seconds.
_CLI_SECONDS = 60
SIGN_IN = (
    "Run `az login`. A program sets AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET (or "
    "AZURE_CLIENT_CERTIFICATE_PATH) instead."
)


def find(tenant: str = "") -> TokenCredential:
    """Return the credential.

    Args:
        tenant: the tenant of the service; "" for the one of the Azure CLI's sign-in.
    """
    from azure import identity  # noqa: PLC0415 - it loads for a third of a second, which --help need not wait for

    cli = identity.AzureCliCredential(tenant_id=tenant, process_timeout=_CLI_SECONDS)
    return identity.ChainedTokenCredential(identity.EnvironmentCredential(), cli)
