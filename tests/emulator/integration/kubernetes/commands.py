"""What people and pipelines type: commands of kubectl, in their order, and what each prints."""

from dataclasses import dataclass

NO_CONTROLLER = "no controller or kubelet runs beside the real server of the tests"
LATER = "the real server of the tests is of release 1.20, which lacks it"
OPENSHIFT = "a kind of OpenShift"


@dataclass(frozen=True)
class Command:
    """One command.

    Args:
        words: its words after `kubectl`, as in a shell; `{ns}` stands for the namespace of the run.
        prints: a regular expression that fits a part of its output; of its errors, if it fails.
        text: its standard input.
        fails: whether it exits with another code than 0.
        not_real: why the real server of the tests cannot do it, "" if it can.
    """

    words: str
    prints: str = ""
    text: str = ""
    fails: bool = False
    not_real: str = ""


SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: applied, namespace: {ns}, labels: {part: shop}}
data: {color: COLOR}
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.{ns}.example.com}
spec:
  group: {ns}.example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 3, example: 7}
              strategy: {type: string, enum: [Spread, Pack], default: Spread}
"""
WIDGET = """
apiVersion: {ns}.example.com/v1
kind: Widget
metadata: {name: small, namespace: {ns}}
spec: {}
"""
POLICY = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: {ns}}
spec: {podSelector: {}, policyTypes: [Ingress]}
"""
WEBHOOK = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: "{ns}-checks"}
webhooks:
- name: checks.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  clientConfig: {service: {name: checks, namespace: {ns}, path: /validate}}
  rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]
"""
STATEFUL_SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store, namespace: {ns}}
spec:
  replicas: 2
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "quay.io/example/store:1"}]}
"""
NODE = """
apiVersion: v1
kind: Node
metadata: {name: "{ns}-node"}
"""
REQUEST = """
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: "{ns}-request"}
spec: {request: CERTIFICATE, signerName: example.com/signer, usages: [client auth]}
"""
STORAGE_CLASS = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: "{ns}-fast"}
provisioner: disk.csi.azure.com
"""
# OpenShift's documentation has constraints in this form.
CONSTRAINTS = """
kind: SecurityContextConstraints
apiVersion: security.openshift.io/v1
metadata: {name: "{ns}-scc-admin"}
allowPrivilegedContainer: true
runAsUser: {type: RunAsAny}
seLinuxContext: {type: RunAsAny}
fsGroup: {type: RunAsAny}
supplementalGroups: {type: RunAsAny}
users: [my-admin-user]
groups: [my-admin-group]
requiredDropCapabilities: [KILL, MKNOD, SYS_CHROOT]
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reconciled, namespace: {ns}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
"""

COMMANDS = (
    Command("version", "Server Version: v"),
    Command("api-resources -o name", r"(?m)^networkpolicies\.networking\.k8s\.io$"),
    Command("api-versions", r"(?m)^apps/v1$"),
    Command("cluster-info", "Kubernetes control plane"),
    Command("get --raw /readyz", "^ok$"),
    Command("explain deployment.spec.replicas", r"replicas\s+<integer>"),
    # What `create` sends as protobuf.
    Command("create namespace {ns}", "namespace/{ns} created"),
    Command("wait --for=jsonpath={.status.phase}=Active namespace/{ns} --timeout=20s", "condition met"),
    Command("create configmap settings -n {ns} --from-literal=color=blue", "configmap/settings created"),
    Command("get configmap settings -n {ns} -o jsonpath={.data.color}", "^blue$"),
    Command("create secret generic token -n {ns} --from-literal=password=open", "secret/token created"),
    Command("get secret token -n {ns} -o jsonpath={.data.password}", "^b3Blbg==$"),
    Command(
        "create secret docker-registry pull -n {ns} --docker-server=quay.io --docker-username=u --docker-password=p",
        "secret/pull created",
    ),
    Command("create serviceaccount robot -n {ns}", "serviceaccount/robot created"),
    Command(
        "create deployment web -n {ns} --image=quay.io/example/web:1 --replicas=2 --port=8080",
        "deployment.apps/web created",
    ),
    Command("get deployment web -n {ns} -o jsonpath={.spec.template.spec.containers[0].ports[0]}", "8080"),
    Command("expose deployment web -n {ns} --port=80 --target-port=8080", "service/web exposed"),
    Command("create service clusterip api -n {ns} --tcp=80:8080", "service/api created"),
    Command("get service api -n {ns} -o jsonpath={.spec.ports[0].targetPort}", "^8080$"),
    Command("create role reader -n {ns} --verb=get,list --resource=pods", "role.rbac.authorization.k8s.io/reader"),
    Command("create rolebinding reader -n {ns} --role=reader --serviceaccount={ns}:robot", "reader created"),
    Command("create clusterrole {ns}-reader --verb=get --resource=nodes", "{ns}-reader created"),
    Command("create clusterrolebinding {ns}-reader --clusterrole={ns}-reader --user=eve", "{ns}-reader created"),
    Command("create job once -n {ns} --image=quay.io/example/once:1 -- sync --all", "job.batch/once created"),
    Command("get job once -n {ns} -o jsonpath={.spec.template.spec.containers[0].command}", r'\["sync","--all"\]'),
    Command(
        "create cronjob nightly -n {ns} --image=quay.io/example/once:1 --schedule='0 3 * * *'",
        "cronjob.batch/nightly created",
        not_real=LATER,
    ),
    Command("create ingress web -n {ns} --rule=shop.example.com/=web:80", "ingress.networking.k8s.io/web created"),
    Command("create quota small -n {ns} --hard=pods=10,requests.cpu=4", "resourcequota/small created"),
    Command(
        "create poddisruptionbudget web -n {ns} --selector=app=web --min-available=50%",
        "poddisruptionbudget.policy/web created",
        not_real=LATER,
    ),
    Command("create priorityclass {ns}-high --value=1000", "{ns}-high created"),
    Command("autoscale deployment web -n {ns} --min=1 --max=3 --cpu=80%", "web autoscaled", not_real=LATER),
    Command("run one -n {ns} --image=quay.io/example/one:1 --env=A=b", "pod/one created"),
    Command("auth can-i list pods -n {ns}", "^yes"),
    Command("auth whoami", "admin", not_real=LATER),
    Command("auth reconcile -f -", "reconciled", text=ROLE),
    # What is applied, by the client and by the server.
    Command("diff -f -", r"\+\s*color: COLOR", text=SETTINGS, fails=True),
    Command("apply -f -", "configmap/applied created", text=SETTINGS),
    Command("apply -f -", "configmap/applied unchanged", text=SETTINGS),
    Command("replace -f -", "configmap/applied replaced", text=SETTINGS),
    Command("apply --server-side -f -", "serverside-applied", text=DEFINITION),
    Command("wait --for=condition=Established crd/widgets.{ns}.example.com --timeout=20s", "condition met"),
    Command("apply --server-side -f -", "widget.{ns}.example.com/small serverside-applied", text=WIDGET),
    Command("get widgets.{ns}.example.com -n {ns} -o jsonpath={.items[0].spec}", r'"size":3,"strategy":"Spread"'),
    Command("apply -f -", "networkpolicy.networking.k8s.io/closed created", text=POLICY),
    Command("apply --server-side -f -", "{ns}-checks serverside-applied", text=WEBHOOK),
    Command("apply -f -", "statefulset.apps/store created", text=STATEFUL_SET),
    Command("apply -f -", "{ns}-fast created", text=STORAGE_CLASS),
    Command("apply -f -", "{ns}-scc-admin created", text=CONSTRAINTS, not_real=OPENSHIFT),
    Command(
        "apply -f - --prune -n {ns} -l part=shop --prune-allowlist=core/v1/ConfigMap",
        "configmap/applied (unchanged|configured)",
        text=SETTINGS,
    ),
    # What waits.
    Command("rollout status deployment/web -n {ns} --timeout=40s", "successfully rolled out", not_real=NO_CONTROLLER),
    Command("rollout status statefulset/store -n {ns} --timeout=40s", "complete", not_real=NO_CONTROLLER),
    Command("wait --for=condition=Available deployment/web -n {ns} --timeout=40s", "met", not_real=NO_CONTROLLER),
    Command("wait --for=condition=Complete job/once -n {ns} --timeout=40s", "condition met", not_real=NO_CONTROLLER),
    Command("wait --for=condition=Ready pod/one -n {ns} --timeout=40s", "condition met", not_real=NO_CONTROLLER),
    Command("wait --for=create configmap/applied -n {ns} --timeout=20s", "condition met"),
    # What changes objects.
    Command("label deployment web -n {ns} tier=front", "web labeled"),
    Command("annotate deployment web -n {ns} note=this", "web annotated"),
    Command("set image deployment/web -n {ns} web=quay.io/example/web:2", "image updated"),
    Command("set env deployment/web -n {ns} COLOR=red", "env updated"),
    Command("set resources deployment/web -n {ns} --limits=cpu=200m", "resource requirements updated"),
    Command("set serviceaccount deployment/web robot -n {ns}", "serviceaccount updated"),
    Command("rollout restart deployment/web -n {ns}", "web restarted"),
    Command("rollout pause deployment/web -n {ns}", "web paused"),
    Command("rollout resume deployment/web -n {ns}", "web resumed"),
    Command("rollout status deployment/web -n {ns} --timeout=40s", "successfully rolled out", not_real=NO_CONTROLLER),
    Command("rollout history deployment/web -n {ns}", "deployment.apps/web"),
    Command("scale deployment web -n {ns} --replicas=3", "web scaled"),
    Command("""patch deployment web -n {ns} -p '{"spec": {"minReadySeconds": 1}}'""", "web patched"),
    Command(
        """patch configmap applied -n {ns} --type=json -p '[{"op": "add", "path": "/data/k", "value": "v"}]'""",
        "applied patched",
    ),
    Command("edit configmap settings -n {ns}", "Edit cancelled, no changes made"),
    Command("create -f -", "{ns}-node created", text=NODE),
    Command("cordon {ns}-node", "cordoned"),
    Command("taint node {ns}-node side=left:NoSchedule", "tainted"),
    Command("drain {ns}-node --ignore-daemonsets", "drained"),
    Command("uncordon {ns}-node", "uncordoned"),
    Command("create -f -", "{ns}-request created", text=REQUEST),
    Command("certificate approve {ns}-request", "approved"),
    # What reads.
    Command("get all -n {ns}", "deployment.apps/web"),
    Command("get pods -n {ns} --field-selector=metadata.name=one -o wide", "one"),
    Command("get networkpolicies,ingresses,storageclasses,jobs -n {ns}", "closed"),
    Command("get events -n {ns}"),
    Command("events -n {ns}"),
    Command("describe deployment web -n {ns}", "quay.io/example/web:2"),
    Command("describe namespace {ns}", "small"),
    Command("get routes -n {ns}", "the server doesn't have a resource type", fails=True),
    # What removes.
    Command("delete pod one -n {ns} --now", 'pod "one" '),
    Command("wait --for=delete pod/one -n {ns} --timeout=20s"),
    Command("delete deployment web -n {ns} --cascade=orphan", '"web" deleted', not_real=NO_CONTROLLER),
    Command("delete job,statefulset --all -n {ns}", 'job.batch "once" deleted'),
    Command("delete crd widgets.{ns}.example.com", "deleted"),
    Command("delete node {ns}-node", "deleted"),
    Command("delete namespace {ns}", "deleted", not_real=NO_CONTROLLER),
)
