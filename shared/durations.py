"""The times of the service, in one table: how long at Azure's pace, whether the time scale divides it, and why.

Modules take their times from here; `docs/times.md` and the tests of the templates read the table. The deadlines of rows
are in the plans, and how rows try again is in `orchestrators/retry.py`.
"""

from datetime import timedelta
from typing import NamedTuple


class Duration(NamedTuple):
    """One time.

    Args:
        name: its name here.
        value: how long, at Azure's pace.
        scaled: whether the setting `TIME_SCALE` divides it. What it does not divide are networks, Azure's own clocks,
            processes that start, and people.
        why: why it is that long.
    """

    name: str
    value: timedelta
    scaled: bool
    why: str


TABLE: list[Duration] = []


def _real(name: str, why: str, **value: float) -> timedelta:
    return _noted(Duration(name, timedelta(**value), scaled=False, why=why))


def _scaled(name: str, why: str, **value: float) -> timedelta:
    return _noted(Duration(name, timedelta(**value), scaled=True, why=why))


def _noted(duration: Duration) -> timedelta:
    TABLE.append(duration)
    return duration.value


# fmt: off
# Documents.
OPERATIONS_KEPT = _real("OPERATIONS_KEPT", "Operations, their progress and task hubs, as ARM keeps its own; also in `infra/service.json`.", days=7)
CATALOGUE_KEPT = _real("CATALOGUE_KEPT", "A process may answer with a catalogue of this age.", seconds=10)
SITE_READINESS_KEPT = _real("SITE_READINESS_KEPT", "Probes come once a minute from each instance of the platform.", seconds=5)

# The host.
LONGEST_FUNCTION = _real("LONGEST_FUNCTION", "The host ends a function then (`functionTimeout` in `host.json`), so no request is older.", minutes=10)
SWEEP_RUN = _real("SWEEP_RUN", "A timer's run ends well before the host would end it together with the whole worker.", minutes=4)
WATCHDOG_RUN = _real("WATCHDOG_RUN", "The same, and before the next sign of life is due.", minutes=2)
WATCHDOG_OPERATION = _real("WATCHDOG_OPERATION", "One operation in a run of the watchdog.", seconds=20)
CHILD_LOOK = _real("CHILD_LOOK", "How soon the gate of a confined program notices that the program has ended.", seconds=0.2)
IMPORT_PAUSE = _real("IMPORT_PAUSE", "Between two imports of a plan's executors, so that a row that waits for its own gets its turn.", seconds=0.01)

# Secrets that Azure signs. Its clocks ignore the time scale.
IGNITION_LINK = _real("IGNITION_LINK", "The link to the ignition ends with the certificates in it.", hours=24)
OLDEST_BOOTSTRAP = _real("OLDEST_BOOTSTRAP", "A create continues until then. It leaves four of the 24 hours: the deadlines from `ensure_graph`, or from `ensure_federated_credentials`, which may wait an hour for a role, to the end of the bootstrap add up to less.", hours=20)
STORAGE_LINK = _real("STORAGE_LINK", "The key with which a step works on a cluster's storage account.", hours=1)
BILLING_LINK = _real("BILLING_LINK", "The key with which a step writes one copy of a billing record.", minutes=10)
CONSOLE_LINK = _real("CONSOLE_LINK", "The link to the serial log of a machine, which is read at once.", minutes=5)
UNUSED_SECRET = _scaled("UNUSED_SECRET", "A secret without a cluster is deleted after this: longer than an operation, because deleting one by mistake is worse than keeping one.", hours=1)

# Credentials of a cluster's administrators. Kubernetes' own clock decides.
CREDENTIAL = _real("CREDENTIAL", "A certificate of requestAdminCredential, unless its request says another time: a working day.", hours=8)
SHORTEST_CREDENTIAL = _real("SHORTEST_CREDENTIAL", "The shortest that can be asked for, as for Kubernetes' own requests.", minutes=10)
LONGEST_CREDENTIAL = _real("LONGEST_CREDENTIAL", "The longest: nobody can end a single certificate, so it ends soon by itself.", hours=24)
CREDENTIAL_BACKDATED = _real("CREDENTIAL_BACKDATED", "Certificates begin this much earlier, for clocks that differ.", minutes=5)
USER_KUBECONFIG = _real("USER_KUBECONFIG", "The kubeconfig of listAdminCredentials.", days=365)
SERVICE_KUBECONFIG = _real("SERVICE_KUBECONFIG", "The service's own, as the installer makes it: without it, nothing could renew anything.", days=3650)
ADMIN_SIGNER = _real("ADMIN_SIGNER", "The signer of both, as the installer makes it.", days=3650)

# Requests.
REQUEST = _real("REQUEST", "All calls of a request, counted from its arrival.", seconds=6)
RENDERING = _real("RENDERING", "The same for a request that renders bundles first: more than one root may take, so a root that takes too long is refused as such.", seconds=90)
ROOT_RENDERING = _real("ROOT_RENDERING", "One root. A bundle of airshipctl's largest site renders in a second.", seconds=60)
REQUEST_CALL = _real("REQUEST_CALL", "One call to Cosmos DB or Key Vault, with its token, connection and retries.", seconds=4)
AFTERMATH = _real("AFTERMATH", "After a failed request, to find out whether it was accepted, and to clean up.", seconds=3)
AFTERMATH_CALL = _real("AFTERMATH_CALL", "One call then. A dependency that is still silent must not use up the time of those that answer.", seconds=1.2)
LIVE_READS = _real("LIVE_READS", "All reads of live clusters in a request, also counted from its arrival.", seconds=10)
ARM_READS = _real("ARM_READS", "All reads of ARM in a request, counted from the first of them.", seconds=2)
REQUEST_CONNECTION = _real("REQUEST_CONNECTION", "One connection to a dependency of a request.", seconds=2)
REQUEST_READ = _real("REQUEST_READ", "One answer of a dependency of a request.", seconds=3)
DRY_RUN = _real("DRY_RUN", "A request may take 230 seconds in Azure, and the checks of a create a few.", seconds=60)
DRY_RUN_OF_PUT = _real("DRY_RUN_OF_PUT", "The same for customers, because ARM waits 60 seconds for an answer.", seconds=40)
PREFLIGHT = _real("PREFLIGHT", "How long a preflight waits for the checks that ask Azure.", seconds=10)
TOKEN_LEEWAY = _real("TOKEN_LEEWAY", "The clocks of Entra and of this machine may differ.", minutes=1)
HEALTH = _real("HEALTH", "A whole answer about the health takes five seconds at most.", seconds=3.5)

# Calls of activities.
ARM_CONNECTION = _real("ARM_CONNECTION", "One connection to ARM.", seconds=5)
ARM_READ = _real("ARM_READ", "One pause of ARM in an answer: a PUT or a long list may take half a minute.", seconds=60)
ARM_ANSWER = _real("ARM_ANSWER", "One whole answer of ARM, which itself gives up after a minute.", minutes=2)
SHORT_READ = _real("SHORT_READ", "One pause of blobs and Entra ID, which answer sooner.", seconds=10)
CLUSTER_CONNECTION = _real("CLUSTER_CONNECTION", "One connection to the API server of a cluster.", seconds=10)
CLUSTER_READ = _real("CLUSTER_READ", "One pause of it in an answer; together with the connection, a whole call.", seconds=30)
API_SERVERS_ASKED = _real("API_SERVERS_ASKED", "All connections on which the API servers of a cluster are asked whether they accept a certificate.", seconds=20)
PASSWORD = _real("PASSWORD", "Generating a password of the registry takes a second or two; it cannot be read later.", seconds=60)
PASSWORD_IN_FLIGHT = _real("PASSWORD_IN_FLIGHT", "What a call has sent may take this to arrive, with the retries of its connection.", seconds=15)

# Renewals. What they renew ends by Azure's clocks and those of the cluster, which ignore the time scale.
RENEWAL_PERIOD = _real("RENEWAL_PERIOD", "Between two renewals of a cluster. Most of them find nothing to do: Key Vault renews a certificate when it has thirty days left.", days=7)
RENEWAL_AGAIN = _real("RENEWAL_AGAIN", "The same while something ends soon, so that a renewal which has failed is tried again in time.", days=1)
ENDS_SOON = _real("ENDS_SOON", "What the service renews itself ends soon if it has less left: two renewals have failed by then.", days=14)
ROUTER_CERTIFICATE = _real("ROUTER_CERTIFICATE", "The router's own certificate and its authority are renewed for as long as OpenShift makes them.", days=730)
REGISTRY_PASSWORD = _real("REGISTRY_PASSWORD", "The registry sets no end to a password. From this age on it counts as expired; it works until the one after the next takes its slot.", days=180)

GRAPH_AGAIN = _real("GRAPH_AGAIN", "`ensure_graph` is called again this soon where nothing has to be waited for.", seconds=1)
GRAPH = _real("GRAPH", "One graph on one core: a create waits that long for each create before it.", seconds=2)
GRAPH_TURN = _real("GRAPH_TURN", "The longest time until a create asks for its turn again.", seconds=30)

# What was read of Azure and still counts.
PUBLISHED_FRESH = _real("PUBLISHED_FRESH", "Certificates and keys that ARM and Entra ID publish are read again then, and so is the first party's own certificate.", hours=1)
PUBLISHED_KEPT = _real("PUBLISHED_KEPT", "They count for this long while their publisher is away.", hours=24)
PUBLISHED_AGAIN = _real("PUBLISHED_AGAIN", "While it is away, one request in this time tries again, or asks for something newer.", minutes=1)
PUBLISHED_WAIT = _real("PUBLISHED_WAIT", "How long a request waits for another one that is asking already.", seconds=1)
RIGHTS_KEPT = _real("RIGHTS_KEPT", "What a caller may do, and the state of a subscription.", minutes=1)
SUBSCRIPTION_AGAIN = _real("SUBSCRIPTION_AGAIN", "A subscription that is not in the list may be new.", seconds=10)
SUBSCRIPTIONS_QUIET = _scaled("SUBSCRIPTIONS_QUIET", "Runs of the timer do not look for this long after one that found no deleted subscription.", minutes=5)
REPLICA_SKEW = _real("REPLICA_SKEW", "The clock of a replica of Cosmos DB may be this much behind that of its predecessor.", seconds=1)

# Signs of life.
SIGN_OF_LIFE = _real("SIGN_OF_LIFE", "An item of progress is written then even if nothing has changed: people see how long ago a step was checked.", seconds=30)
HUB_SILENCE = _scaled("HUB_SILENCE", "How long a task hub must have been silent before another takes over its operations.", minutes=15)
FRUITLESS_ATTEMPTS = _real("FRUITLESS_ATTEMPTS", "How long attempts may complete no row before the operation fails. Whatever stops them, such as a crash of a worker, takes real time.", minutes=5)

# Conditions of clusters.
CONDITIONS_PERIOD = _scaled("CONDITIONS_PERIOD", "How often each cluster is asked for its conditions.", minutes=5)
CONDITIONS_RUN = _real("CONDITIONS_RUN", "A run of the timer takes no other cluster after this. The next run begins with the clusters that were left.", minutes=4)
CONDITIONS_READS = _real("CONDITIONS_READS", "All reads of one cluster, which begin at the same time.", seconds=20)
CONDITIONS_KEPT = _scaled("CONDITIONS_KEPT", "Conditions that have not changed are written again after this: readers see that the service still looks.", hours=1)
EXPIRATIONS_KEPT = _scaled("EXPIRATIONS_KEPT", "The ends of certificates and credentials are read again then: a secret that no longer works is reported within an hour, with the run that finds it and the one that confirms it.", minutes=50)
OPERATOR_UNAVAILABLE = _scaled("OPERATOR_UNAVAILABLE", "An operator may be unavailable this long while it is rolled out.", minutes=10)
NODE_NOT_READY = _scaled("NODE_NOT_READY", "A node may be away this long while it restarts.", minutes=15)
MACHINES_COMING = _scaled("MACHINES_COMING", "A machine set that still lacks machines then does not get them.", minutes=60)
START_WARNING = _real("START_WARNING", "A stopped cluster that has to be started within this time says so.", days=14)
LAST_START_WARNING = _real("LAST_START_WARNING", "It says so again, with another reason.", days=3)
DIRECTORY_AGAIN = _real("DIRECTORY_AGAIN", "A directory that shows no applications to the service is asked again then.", hours=24)
CONDITION_INERTIA = _scaled("CONDITION_INERTIA", "A status that has not held this long is not shown.", minutes=2)
CONDITION_BLIND = _scaled("CONDITION_BLIND", "The same while a cluster cannot be read: five minutes, less what the timer may be early.", minutes=4.5)

# Polls. A row may name another one in its plan.
ROW_POLL = _scaled("ROW_POLL", "A row that waits, unless its plan says another time.", seconds=10)
BEGUN_POLL = _scaled("BEGUN_POLL", "The same for work that Azure has begun.", seconds=5)
FENCE_KEPT = _scaled("FENCE_KEPT", "A poll may begin with a fence of this age. At Azure's pace it then writes a sign of life anyway, and reads the fence for that.", seconds=30)
PHASE_FIRST_POLL = _scaled("PHASE_FIRST_POLL", "The first pause of a phase, which often changes nothing.", seconds=1)
CLIENT_POLL = _scaled("CLIENT_POLL", "`Retry-After` of a running operation, whose steps take seconds to minutes. Without it the SDKs ask every 30 seconds.", seconds=15)
OUTAGE_POLL = _real("OUTAGE_POLL", "`Retry-After` of a request that met an outage: short, because most outages are.", seconds=5)
PHASE_POLL = _scaled("PHASE_POLL", "A phase or a cluster of a site, unless its document says another time.", seconds=10)
PASSWORD_POLL = _scaled("PASSWORD_POLL", "The registry while it generates a password.", seconds=2)
DRY_RUN_POLL = _real("DRY_RUN_POLL", "A dry run that its request waits for.", seconds=0.2)

# Stops and starts of clusters.
STOP_AFTER = _real("STOP_AFTER", "A cluster is not stopped before: its first certificates are valid for one day, and only a running cluster renews them.", hours=24)
LONGEST_STOP = _real("LONGEST_STOP", "A stopped cluster is started before: OpenShift is tested with stops of up to 90 days.", days=90)
START_AHEAD = _real("START_AHEAD", "A stopped cluster with a schedule is started this long before it has to be, if the schedule would not start it by then.", days=1)
DRAIN = _scaled("DRAIN", "How long a stop waits for the pods of the workers to end. A disruption budget may forbid that forever, and the machines are switched off anyway.", seconds=20)
POD_GRACE = _real("POD_GRACE", "What a stop gives a pod to end, as OpenShift's documentation of a shutdown does.", seconds=15)
WEBHOOK_ANSWER = _real("WEBHOOK_ANSWER", "A webhook that may take longer makes a control plane that starts give up on its own requests.", seconds=15)
SETTLE_PAUSE = _scaled("SETTLE_PAUSE", "After the nodes are ready, operators still report what they knew before the stop.", minutes=2)
SCHEDULES_QUIET = _scaled("SCHEDULES_QUIET", "Runs of the timer do not look for this long after one that found no schedule.", minutes=5)

# What customers' resources get.
DNS_RECORD = _real("DNS_RECORD", "Resolvers may keep the records of a cluster's addresses.", minutes=5)
# fmt: on
