"""One example or more of every emulated type, by key; each module has those of one resource provider or a few."""

from tests.emulator.unit.rules.examples.compute import EXAMPLES as COMPUTE
from tests.emulator.unit.rules.examples.dns import EXAMPLES as DNS
from tests.emulator.unit.rules.examples.documentdb import EXAMPLES as DOCUMENTDB
from tests.emulator.unit.rules.examples.network import EXAMPLES as NETWORK
from tests.emulator.unit.rules.examples.others import EXAMPLES as OTHERS
from tests.emulator.unit.rules.examples.storage import EXAMPLES as STORAGE
from tests.emulator.unit.rules.examples.vaults import EXAMPLES as VAULTS
from tests.emulator.unit.rules.examples.web import EXAMPLES as WEB
from tests.emulator.unit.rules.stage import Example

EXAMPLES: dict[str, Example] = {**COMPUTE, **DNS, **DOCUMENTDB, **NETWORK, **OTHERS, **STORAGE, **VAULTS, **WEB}
