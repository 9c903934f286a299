"""Tables: `kubectl get` asks for them, so that the server decides what is shown of a kind."""

import json
from itertools import count
from typing import Any

import httpx
import pytest

from emulator.json_object import Json
from tests.emulator.integration.kubernetes.widgets import Widgets, define
from tests.local_azure import wait_for

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
# As kubectl sends it.
ACCEPT = {"Accept": f"{TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"}
MERGE = {"Content-Type": "application/merge-patch+json"}
NODES = "/api/v1/nodes"
CONTAINERS = [{"name": "one", "image": "i:1"}, {"name": "two", "image": "i:2"}]
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": CONTAINERS, "nodeSelector": {"disk": "ssd"}}}
SELECTED = {"selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE}
_numbers = count(1)


def _table(answer: httpx.Response) -> Json:
    found: Json = answer.raise_for_status().json()
    assert (found["kind"], found["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    return found


def _columns(table: Json) -> list[tuple[str, str, str, int]]:
    return [(one["name"], one["type"], one["format"], one["priority"]) for one in table["columnDefinitions"]]


def _cells(table: Json) -> Json:
    """Return the cells of the only row, by column."""
    (row,) = table["rows"]
    return dict(zip((one["name"] for one in table["columnDefinitions"]), row["cells"], strict=True))


def _is_age(text: Any) -> bool:
    return isinstance(text, str) and text.endswith("s") and text[:-1].isdecimal()


@pytest.mark.parametrize(
    ("path", "want_columns"),
    [
        ("/api/v1/configmaps", "Name Data Age"),
        (
            "/api/v1/events",
            "Last_Seen Type Reason Object Subobject* Source* Message First_Seen* Count* Name*",
        ),
        ("/api/v1/namespaces", "Name Status Age"),
        (
            NODES,
            "Name Status Roles Age Version Internal-IP* External-IP* OS-Image* Kernel-Version* Container-Runtime*",
        ),
        ("/api/v1/pods", "Name Ready Status Restarts:integer Age IP* Node* Nominated_Node* Readiness_Gates*"),
        ("/api/v1/secrets", "Name Type Data Age"),
        ("/api/v1/services", "Name Type Cluster-IP External-IP Port(s) Age Selector*"),
        ("/api/v1/serviceaccounts", "Name Secrets Age"),
        (
            "/apis/apps/v1/daemonsets",
            """
            Name Desired:integer Current:integer Ready:integer Up-to-date:integer Available:integer Node_Selector Age
            Containers* Images* Selector*
            """,
        ),
        ("/apis/apps/v1/deployments", "Name Ready Up-to-date Available Age Containers* Images* Selector*"),
        (
            "/apis/apps/v1/replicasets",
            "Name Desired:integer Current:integer Ready:integer Age Containers* Images* Selector*",
        ),
        ("/apis/apps/v1/statefulsets", "Name Ready Age Containers* Images*"),
        (
            "/apis/certificates.k8s.io/v1/certificatesigningrequests",
            "Name Age SignerName Requestor Condition",
        ),
    ],
)
def test_every_built_in_kind_has_its_columns(admin: httpx.Client, path: str, want_columns: str) -> None:
    """The columns come in this order; a star marks those that only `-o wide` shows."""
    want = []
    for word in want_columns.split():
        name, _, kind = word.replace("_", " ").rstrip("*").partition(":")
        want.append((name, kind or "string", "name" if name == "Name" else "", int(word.endswith("*"))))
    assert _columns(_table(admin.get(path, headers=ACCEPT))) == want


def test_a_list_is_a_table_with_the_version_and_the_pages_of_the_list(admin: httpx.Client, config_maps: str) -> None:
    """Each object is a row; a page says how many objects remain, and can be continued."""
    for name in "abc":
        body = {"metadata": {"name": name}, "data": {"k": "v"}, "binaryData": {"b": "AA=="}}
        admin.post(config_maps, json=body).raise_for_status()
    query = {"limit": "2"}
    first = _table(admin.get(config_maps, params=query, headers=ACCEPT))
    plain = admin.get(config_maps, params=query).json()["metadata"]
    assert [row["cells"][:2] for row in first["rows"]] == [["a", 2], ["b", 2]]
    assert all(_is_age(row["cells"][2]) for row in first["rows"])
    assert {name: value for name, value in first["metadata"].items() if name != "continue"} == {
        "resourceVersion": plain["resourceVersion"],
        "remainingItemCount": plain["remainingItemCount"],
    }
    rest = _table(admin.get(config_maps, params=query | {"continue": first["metadata"]["continue"]}, headers=ACCEPT))
    assert rest["rows"][0]["cells"][0] == "c"
    assert admin.get("/api/v1/namespaces/nowhere/configmaps", headers=ACCEPT).json()["rows"] == []


@pytest.mark.parametrize(
    ("include", "want_kind", "want_version"),
    [
        ("", "PartialObjectMetadata", "meta.k8s.io/v1"),
        ("Metadata", "PartialObjectMetadata", "meta.k8s.io/v1"),
        ("Object", "ConfigMap", "v1"),
    ],
)
def test_a_row_holds_as_much_of_its_object_as_is_asked_for(
    admin: httpx.Client, config_maps: str, include: str, want_kind: str, want_version: str
) -> None:
    """A single object is a table as well, with its version."""
    made = admin.post(config_maps, json={"metadata": {"name": "a", "labels": {"l": "1"}}, "data": {"k": "v"}}).json()
    for path in (f"{config_maps}/a", config_maps):
        query = {"includeObject": include, "fieldSelector": "metadata.name=a"}
        (row,) = _table(admin.get(path, params=query, headers=ACCEPT))["rows"]
        found = row["object"]
        assert (found["kind"], found["apiVersion"], found["metadata"]["labels"]) == (
            want_kind,
            want_version,
            {"l": "1"},
        )
        assert ("data" in found) == (include == "Object")
    table = _table(admin.get(f"{config_maps}/a", headers=ACCEPT))
    assert table["metadata"] == {"resourceVersion": made["metadata"]["resourceVersion"]}


def test_a_row_may_do_without_its_object(admin: httpx.Client) -> None:
    """`None` leaves the object out."""
    path = "/api/v1/namespaces/default"
    (row,) = _table(admin.get(path, params={"includeObject": "None"}, headers=ACCEPT))["rows"]
    assert (row["object"], row["cells"][:2]) == (None, ["default", "Active"])


@pytest.mark.parametrize(
    ("accept", "want_kind", "want_version"),
    [
        (TABLE.replace("v=v1", "v=v1beta1"), "Table", "meta.k8s.io/v1beta1"),
        ("application/json;g=meta.k8s.io;v=v1;as=Table", "Table", "meta.k8s.io/v1"),
        (f"application/json,{TABLE}", "Namespace", "v1"),
        (f"application/json;q=0.1,{TABLE};q=0.9", "Table", "meta.k8s.io/v1"),
        (TABLE.replace("v=v1", "v=v9") + ",application/json", "Namespace", "v1"),
        ("application/json;as=Other;v=v1;g=meta.k8s.io,*/*", "Namespace", "v1"),
    ],
)
def test_the_client_gets_what_it_likes_best(
    admin: httpx.Client, accept: str, want_kind: str, want_version: str
) -> None:
    """The client gets its first choice that is served, unless it gives weights."""
    found = admin.get("/api/v1/namespaces/default", headers={"Accept": accept}).json()
    assert (found["kind"], found["apiVersion"]) == (want_kind, want_version)


@pytest.mark.parametrize(
    "accept", [TABLE.replace("v=v1", "v=v9"), "application/json;as=Table", "application/json;as=Table;v=v1"]
)
def test_a_form_that_is_not_served_is_not_acceptable(admin: httpx.Client, accept: str) -> None:
    """The answer is a 406 unless there is a second choice."""
    refused = admin.get("/api/v1/namespaces/default", headers={"Accept": accept})
    assert (refused.status_code, refused.json()["reason"]) == (406, "NotAcceptable")
    assert refused.json()["message"].startswith("only the following media types are accepted: application/json")


def test_errors_and_deletions_stay_statuses(admin: httpx.Client, config_maps: str) -> None:
    """Other writes return a table, as reads do."""
    made = admin.post(config_maps, json={"metadata": {"name": "a"}, "data": {"k": "v"}}, headers=ACCEPT)
    assert (made.status_code, _cells(_table(made))["Data"]) == (201, 1)
    changed = admin.patch(f"{config_maps}/a", json={"data": {"l": "w"}}, headers=ACCEPT | MERGE)
    assert _cells(_table(changed))["Data"] == 2
    assert admin.delete(f"{config_maps}/a", headers=ACCEPT).json()["status"] == "Success"
    missing = admin.get(f"{config_maps}/a", headers={"Accept": TABLE})
    assert (missing.status_code, missing.json()["kind"]) == (404, "Status")


def test_a_review_is_never_a_table(admin: httpx.Client) -> None:
    """A review is an answer, not a stored object."""
    body = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    answer = admin.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json=body, headers=ACCEPT)
    assert (answer.status_code, answer.json()["kind"]) == (201, "SelfSubjectAccessReview")


def test_a_watch_tells_tables_of_one_row(admin: httpx.Client, config_maps: str) -> None:
    """Only the first event names the columns."""
    version = admin.get(config_maps).json()["metadata"]["resourceVersion"]
    for data in ({"k": "v"}, {"l": "w"}):
        body = {"metadata": {"name": "a"}, "data": data}
        if admin.patch(f"{config_maps}/a", json=body, headers=MERGE).status_code == 404:
            admin.post(config_maps, json=body).raise_for_status()
    query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": "1", "fieldSelector": "metadata.name=a"}
    lines = admin.get(config_maps, params=query, headers=ACCEPT).text.splitlines()
    events = [json.loads(line) for line in lines]
    assert [(event["type"], event["object"]["rows"][0]["cells"][:2]) for event in events] == [
        ("ADDED", ["a", 1]),
        ("MODIFIED", ["a", 2]),
    ]
    assert [event["object"]["columnDefinitions"] is None for event in events] == [False, True]
    for event in events:
        (row,) = event["object"]["rows"]
        assert event["object"]["metadata"] == {"resourceVersion": row["object"]["metadata"]["resourceVersion"]}


def test_a_node_shows_its_state_roles_and_versions(admin: httpx.Client, namespace: str) -> None:
    """Roles come from labels, the state from a condition; `-o wide` adds the addresses."""
    labels = {"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/infra": "", "kubernetes.io/role": "old"}
    path = f"{NODES}/{namespace}"
    body = {"metadata": {"name": namespace, "labels": labels}, "spec": {"unschedulable": True}}
    admin.post(NODES, json=body).raise_for_status()
    new = _cells(_table(admin.get(path, headers=ACCEPT)))
    assert (new["Status"], new["Version"], new["OS-Image"]) == ("Unknown,SchedulingDisabled", "", "<unknown>")
    assert (new["Internal-IP"], new["External-IP"]) == ("<none>", "<none>")
    info = dict.fromkeys(
        ("architecture", "bootID", "kubeProxyVersion", "machineID", "operatingSystem", "systemUUID"), "-"
    )
    info |= {
        "kubeletVersion": "v1.32.5",
        "osImage": "Red Hat",
        "kernelVersion": "5.14",
        "containerRuntimeVersion": "cri-o://1.32",
    }
    status = {
        "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "True"}],
        "addresses": [{"type": "Hostname", "address": "n"}, {"type": "InternalIP", "address": "10.0.0.4"}],
        "nodeInfo": info,
    }
    admin.patch(f"{path}/status", json={"status": status}, headers=MERGE).raise_for_status()
    admin.patch(path, json={"spec": {"unschedulable": None}}, headers=MERGE).raise_for_status()
    cells = _cells(_table(admin.get(path, headers=ACCEPT)))
    assert _is_age(cells.pop("Age"))
    assert cells == {
        "Name": namespace,
        "Status": "Ready",
        "Roles": "infra,old,worker",
        "Version": "v1.32.5",
        "Internal-IP": "10.0.0.4",
        "External-IP": "<none>",
        "OS-Image": "Red Hat",
        "Kernel-Version": "5.14",
        "Container-Runtime": "cri-o://1.32",
    }


@pytest.mark.parametrize(
    ("plural", "written", "want"),
    [
        pytest.param(
            "deployments",
            (
                {"replicas": 3, **SELECTED},
                {"replicas": 3, "readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1},
            ),
            ["2/3", 3, 1, "one,two", "i:1,i:2", "app=a"],
            id="a deployment",
        ),
        pytest.param(
            "replicasets",
            ({"replicas": 3, **SELECTED}, {"replicas": 2, "readyReplicas": 1}),
            [3, 2, 1, "one,two", "i:1,i:2", "app=a"],
            id="a replica set",
        ),
        pytest.param(
            "statefulsets",
            ({"replicas": 2, "serviceName": "s", **SELECTED}, {"replicas": 2, "readyReplicas": 1}),
            ["1/2", "one,two", "i:1,i:2"],
            id="a stateful set",
        ),
        pytest.param(
            "daemonsets",
            (
                SELECTED,
                {
                    "desiredNumberScheduled": 5,
                    "currentNumberScheduled": 4,
                    "numberReady": 3,
                    "updatedNumberScheduled": 2,
                    "numberAvailable": 1,
                    "numberMisscheduled": 0,
                },
            ),
            [5, 4, 3, 2, 1, "disk=ssd", "one,two", "i:1,i:2", "app=a"],
            id="a daemon set",
        ),
    ],
)
def test_a_workload_shows_its_counts(
    admin: httpx.Client, namespace: str, plural: str, written: tuple[Json, Json], want: list[Any]
) -> None:
    """`-o wide` adds the workload's containers, images and selector."""
    path = f"/apis/apps/v1/namespaces/{namespace}/{plural}"
    spec, status = written
    admin.post(path, json={"metadata": {"name": "a"}, "spec": spec}).raise_for_status()
    admin.patch(f"{path}/a/status", json={"status": status}, headers=MERGE).raise_for_status()
    cells = _cells(_table(admin.get(f"{path}/a", headers=ACCEPT)))
    assert cells.pop("Name") == "a"
    assert _is_age(cells.pop("Age"))
    assert list(cells.values()) == want


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({"phase": "Pending"}, ["0/2", "Pending", 0], id="nothing yet"),
        pytest.param(
            {
                "phase": "Running",
                "containerStatuses": [
                    {"ready": True, "restartCount": 1, "state": {"running": {}}},
                    {"ready": False, "restartCount": 2, "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
                ],
            },
            ["1/2", "CrashLoopBackOff", 3],
            id="a container that crashes",
        ),
        pytest.param(
            {
                "phase": "Failed",
                "containerStatuses": [
                    {"ready": False, "restartCount": 0, "state": {"terminated": {"exitCode": 3}}},
                    {"ready": False, "restartCount": 0, "state": {"terminated": {"exitCode": 0, "signal": 9}}},
                ],
            },
            ["0/2", "ExitCode:3", 0],
            id="containers that ended without a reason",
        ),
        pytest.param({"phase": "Failed", "reason": "Evicted"}, ["0/2", "Evicted", 0], id="one that was evicted"),
        pytest.param(
            {
                "phase": "Running",
                "containerStatuses": [
                    {
                        "ready": False,
                        "restartCount": 0,
                        "state": {"terminated": {"exitCode": 0, "reason": "Completed"}},
                    },
                    {"ready": True, "restartCount": 0, "state": {"running": {}}},
                ],
            },
            ["1/2", "NotReady", 0],
            id="one container of two through",
        ),
        pytest.param(
            {
                "phase": "Pending",
                "initContainerStatuses": [
                    {"ready": False, "restartCount": 4, "state": {"waiting": {"reason": "ErrImagePull"}}}
                ],
            },
            ["0/2", "Init:ErrImagePull", 4],
            id="one that cannot begin",
        ),
        pytest.param(
            {
                "phase": "Pending",
                "initContainerStatuses": [{"ready": False, "restartCount": 0, "state": {"running": {}}}],
            },
            ["0/2", "Init:0/1", 0],
            id="one that begins",
        ),
    ],
)
def test_a_pod_shows_what_its_containers_do(admin: httpx.Client, namespace: str, status: Json, want: list[Any]) -> None:
    """The reason of a container takes precedence over the pod's phase."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    spec = {"containers": CONTAINERS, "initContainers": [{"name": "first", "image": "i:0"}]}
    admin.post(path, json={"metadata": {"name": "p"}, "spec": spec}).raise_for_status()
    for member in ("containerStatuses", "initContainerStatuses"):
        for number, one in enumerate(status.get(member, ())):
            one |= {"name": f"c{number}", "image": "", "imageID": ""}
    admin.patch(f"{path}/p/status", json={"status": status}, headers=MERGE).raise_for_status()
    cells = _cells(_table(admin.get(f"{path}/p", headers=ACCEPT)))
    assert [cells[name] for name in ("Ready", "Status", "Restarts")] == want
    assert [cells[name] for name in ("IP", "Node", "Nominated Node", "Readiness Gates")] == ["<none>"] * 4


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        (
            {"type": "LoadBalancer", "selector": {"a": "b"}, "ports": [{"port": 80, "nodePort": 31000}]},
            ["LoadBalancer", "<pending>", "80:31000/TCP", "a=b"],
        ),
        ({"clusterIP": "None"}, ["ClusterIP", "<none>", "<none>", "<none>"]),
        (
            {"externalIPs": ["1.2.3.4"], "ports": [{"name": "u", "port": 53, "protocol": "UDP"}]},
            ["ClusterIP", "1.2.3.4", "53/UDP", "<none>"],
        ),
        ({"type": "ExternalName", "externalName": "example.com"}, ["ExternalName", "example.com", "<none>", "<none>"]),
    ],
)
def test_a_service_shows_where_it_is_reached(admin: httpx.Client, namespace: str, spec: Json, want: list[str]) -> None:
    """A Service shows its addresses, its ports and its selector."""
    path = f"/api/v1/namespaces/{namespace}/services"
    admin.post(path, json={"metadata": {"name": "s"}, "spec": spec}).raise_for_status()
    cells = _cells(_table(admin.get(f"{path}/s", headers=ACCEPT)))
    assert [cells[name] for name in ("Type", "External-IP", "Port(s)", "Selector")] == want


def test_a_secret_shows_how_many_keys_it_has(admin: httpx.Client, namespace: str) -> None:
    """It shows none of them."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    made = admin.post(path, json={"metadata": {"name": "s"}, "data": {"a": "AA=="}}, headers=ACCEPT)
    assert [_cells(_table(made))[name] for name in ("Type", "Data")] == ["Opaque", 1]


PRINTED: list[tuple[str, str, str, Any]] = [
    ("Size", "integer", ".spec.size", 3),
    ("Size As Text", "string", ".spec.size", "3"),
    ("Number", "number", ".spec.size", 3),
    ("Ready", "boolean", ".status.ready", True),
    ("Ready As Text", "string", ".status.ready", "true"),
    ("Of Another Type", "integer", ".spec.color", None),
    ("Missing", "string", ".spec.none.x", None),
    ("Null", "string", ".spec.any.null", "<no value>"),
    ("List", "string", ".spec.list", '["x","y"]'),
    ("First", "string", ".spec.list[0]", "x"),
    ("Beyond", "string", ".spec.list[5]", None),
    ("All", "string", ".spec.list[*]", "x"),
    ("Map", "string", ".spec.map", '{"a.b":"c","k":"v"}'),
    ("Escaped", "string", r".spec.map.a\.b", "c"),
    ("Quoted", "string", r".spec.map['a\.b']", "c"),
    ("Quoted Plain", "string", ".spec.map['a.b']", None),
    ("Condition", "string", '.spec.any.conditions[?(@.type=="Available")].status', "True"),
    ("Spaced", "string", ".spec.any.conditions[?(@.type == 'Available')].status", "True"),
    ("Other", "string", '.spec.any.conditions[?(@.type!="Available")].type', "Degraded"),
    ("None Such", "string", '.spec.any.conditions[?(@.type=="No")].status', None),
    ("Text Since", "string", ".spec.since", "2020-01-01T00:00:00Z"),
    ("No Date", "date", ".spec.color", "<invalid>"),
    ("Fraction", "string", ".spec.any.f", "1.5"),
]


@pytest.fixture
def printed(admin: httpx.Client, namespace: str) -> Widgets:
    """Define a kind whose definition names columns."""
    columns: list[Json] = [{"name": name, "type": kind, "jsonPath": path} for name, kind, path, _ in PRINTED]
    columns[0] |= {"description": "how large", "format": "int32"}
    columns[1] |= {"priority": 1}
    return define(admin, f"printed{next(_numbers)}.example.com", namespace, additionalPrinterColumns=columns)


def test_a_definition_says_what_is_shown_of_its_kind(admin: httpx.Client, printed: Widgets) -> None:
    """Columns are paths; a value that is missing, or of another type than its column, is null."""
    conditions = [
        {"type": "Available", "status": "True", "n": 2},
        {"type": "Degraded", "status": "False"},
    ]
    body = printed.widget(
        "w",
        size=3,
        list=["x", "y"],
        map={"k": "v", "a.b": "c"},
        any={"conditions": conditions, "f": 1.5, "null": None},
        since="2020-01-01T00:00:00Z",
    )
    admin.post(printed.path, json=body).raise_for_status()
    admin.patch(f"{printed.path}/w/status", json={"status": {"ready": True}}, headers=MERGE).raise_for_status()
    wanted = {"Name": "w"} | {name: want for name, _, _, want in PRINTED}
    # The real server takes up a definition's columns a moment after it calls the definition established.
    wait_for(lambda: _cells(_table(admin.get(printed.path, headers=ACCEPT))) == wanted, "the columns")
    table = _table(admin.get(printed.path, headers=ACCEPT))
    assert _columns(table)[:3] == [
        ("Name", "string", "name", 0),
        ("Size", "integer", "int32", 0),
        ("Size As Text", "string", "", 1),
    ]
    assert [one["description"] for one in table["columnDefinitions"][1:3]] == [
        "how large",
        "Custom resource definition column (in JSONPath format): .spec.size",
    ]


def test_a_definition_without_columns_shows_names_and_ages(admin: httpx.Client, widgets: Widgets) -> None:
    """The age is a date that is shown as the time since then."""
    admin.post(widgets.path, json=widgets.widget("w", size=1)).raise_for_status()
    table = _table(admin.get(f"{widgets.path}/w", headers=ACCEPT))
    assert _columns(table) == [("Name", "string", "name", 0), ("Age", "date", "", 0)]
    assert _is_age(_cells(table)["Age"])


@pytest.mark.parametrize("path", ['.spec.map["k"]', ".a{b}", ".spec.[", ".a[?(@.x==1"])
def test_a_path_that_cannot_be_read_ends_the_columns(admin: httpx.Client, namespace: str, path: str) -> None:
    """The definition is accepted all the same."""
    columns = [("Color", ".spec.color"), ("Bad", path), ("Behind", ".spec.color")]
    widgets = define(
        admin,
        f"unread{next(_numbers)}.example.com",
        namespace,
        additionalPrinterColumns=[{"name": name, "type": "string", "jsonPath": path} for name, path in columns],
    )
    made = admin.post(widgets.path, json=widgets.widget("w", size=1), headers=ACCEPT)
    assert _cells(_table(made)) == {"Name": "w", "Color": "red"}
