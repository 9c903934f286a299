"""Cases that no table can tell: mistakes across several members or resources, one for each builder of an error."""

from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.compute import CASES as COMPUTE
from tests.emulator.unit.rules.planted.dns import DNS
from tests.emulator.unit.rules.planted.documentdb import CASES as DOCUMENTDB
from tests.emulator.unit.rules.planted.identities import CASES as IDENTITIES
from tests.emulator.unit.rules.planted.network import NETWORK
from tests.emulator.unit.rules.planted.others import CASES as OTHERS
from tests.emulator.unit.rules.planted.storage import CASES as STORAGE
from tests.emulator.unit.rules.planted.vaults import CASES as VAULTS
from tests.emulator.unit.rules.planted.web import CASES as WEB

PLANTED: tuple[Case, ...] = (*COMPUTE, *DNS, *DOCUMENTDB, *IDENTITIES, *NETWORK, *OTHERS, *STORAGE, *VAULTS, *WEB)
