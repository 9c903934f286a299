"""Every function of the template language, by its lower-case name.

Those of Azure that are not in these tables, such as lambdas, dates and CIDR, are in `missing_functions.py`.

Source: https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions
"""

from emulator.deployments.language.functions.arrays import ARRAYS
from emulator.deployments.language.functions.deployment import DEPLOYMENT
from emulator.deployments.language.functions.identifiers import IDENTIFIERS
from emulator.deployments.language.functions.integers import INTEGERS
from emulator.deployments.language.functions.logic import LOGIC
from emulator.deployments.language.functions.runtime import RUNTIME
from emulator.deployments.language.functions.signature import Function
from emulator.deployments.language.functions.text import TEXT

FUNCTIONS: dict[str, Function] = {
    function.name.lower(): function
    for table in (TEXT, ARRAYS, INTEGERS, LOGIC, DEPLOYMENT, IDENTIFIERS, RUNTIME)
    for function in table
}
