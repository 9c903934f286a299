"""Examples of the bodies that this provider's own API version has, for its OpenAPI document. A test validates each."""

from frontend.bodies import Body
from shared.json_object import Json

_CLUSTER = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/nights"
    "/providers/Microsoft.RedHatOpenShift/openShiftClusters/nights"
)
_OPERATION_ID = "11111111-0000-0000-0000-000000000001"
_STEP: Json = {
    "name": "stop_workers",
    "phase": "power",
    "kind": "begin-and-poll",
    "status": "Running",
    "attempt": 1,
    "startTime": "2026-12-01T18:01:12Z",
    "durationSeconds": 41.0,
    "needs": ["cordon_nodes"],
    "waitsFor": "all workers to be deallocated",
}
_OPERATION: Json = {
    "id": f"{_CLUSTER}/operations/{_OPERATION_ID}",
    "name": _OPERATION_ID,
    "type": "Microsoft.RedHatOpenShift/openShiftClusters/operations",
    "properties": {
        "status": "Updating",
        "plan": "stop",
        "startTime": "2026-12-01T18:00:00Z",
        "durationSeconds": 113.0,
        "percentComplete": 40,
        "attempt": 1,
        "begunBy": {
            "objectId": "22222222-0000-0000-0000-000000000002",
            "kind": "User",
            "at": "2026-12-01T18:00:00Z",
        },
        "correlationId": "33333333-0000-0000-0000-000000000003",
        "currentSteps": ["stop_workers"],
        "phases": [
            {"name": "power", "status": "Running", "startTime": "2026-12-01T18:00:03Z", "durationSeconds": 110.0}
        ],
        "steps": [_STEP],
    },
}
_TRIED: Json = {"row": "validate_quota", "phase": "validation", "verdict": "refused", "message": "Quota is exceeded."}

EXAMPLES: dict[Body, Json] = {
    Body.CLUSTER_UPDATE: {
        "properties": {
            "powerSchedule": {
                "timeZone": "Europe/Berlin",
                "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"],
                "startTime": "07:00",
                "stopTime": "19:00",
            },
            "longLivedCredentials": "Disabled",
        }
    },
    Body.CREDENTIAL_REQUEST: {
        "publicKey": "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE...\n-----END PUBLIC KEY-----\n",
        "expirationSeconds": 28800,
    },
    Body.CREDENTIAL: {
        "kubeconfig": "YXBpVmVyc2lvbjogdjEKa2luZDogQ29uZmlnCg==",
        "user": "system:aro-admin:22222222-0000-0000-0000-000000000002",
        "serialNumber": "1f3a",
        "expirationTime": "2026-12-02T02:00:00Z",
    },
    Body.REVOCATION: {
        "notRevoked": ["the password of kubeadmin", "OAuth tokens of users", "tokens of service accounts"]
    },
    Body.CLUSTER_OPERATION: _OPERATION,
    Body.CLUSTER_OPERATIONS: {"value": [_OPERATION]},
    Body.EXPIRATIONS: {
        "value": [
            {
                "name": "user-kubeconfig",
                "what": "the kubeconfig of listAdminCredentials",
                "end": "2027-09-01T12:00:00Z",
                "renewedBy": "Service",
                "renewed": "once a week, with 275 days or fewer left",
                "renewedFrom": "2026-12-01T12:00:00Z",
            }
        ],
        "readAt": "2026-12-01T17:55:00Z",
    },
    Body.DRY_RUN: {"plan": "create", "refused": ["validate_quota"], "rows": [_TRIED]},
    Body.DRY_RUN_STATUS: {"id": f"create-{_OPERATION_ID}", "status": "Running"},
}
