"""Say how to use the Azure CLI of `make az` with the local Azure."""

import subprocess
import sys
from pathlib import Path

AZ = Path(".venv-az/bin/az").absolute()
VERSION = "import importlib.metadata; print(importlib.metadata.version('azure-cli'))"
TOLD = """\
The Azure CLI {version} is {az}.
While the local Azure runs (`make up`), paste into another terminal:

  alias az={az}
  eval "$({python} -m emulator env)"    # also keeps this sign-in apart from your own
  az login --service-principal -u $LOCAL_AZURE_CLIENT_ID -p $LOCAL_AZURE_CLIENT_SECRET --tenant $LOCAL_AZURE_TENANT_ID
  az account set --subscription $LOCAL_AZURE_SUBSCRIPTION_ID

This signs in as the owner of a customer's subscription. To deploy the service into an empty subscription, use
`emulator env --deployer`, and then the commands of docs/deploy.md.
"""


def main() -> None:
    """Print the version of the CLI, and the commands to paste."""
    done = subprocess.run([AZ.with_name("python"), "-c", VERSION], capture_output=True, text=True, check=True)
    sys.stdout.write(TOLD.format(version=done.stdout.strip(), az=AZ, python=sys.executable))


if __name__ == "__main__":
    main()
