"""The built-in kinds of a real server that this one lacks, so that it can say so instead of knowing nothing of them.

Source: the reference of the API, https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.32/, and for the
groups of OpenShift's own API server https://docs.redhat.com/en/documentation/openshift_container_platform/4.19/html/api_overview/.
"""

from collections.abc import Mapping

# By group and version, their names in paths.
ABSENT: Mapping[tuple[str, str], frozenset[str]] = {
    key: frozenset(plurals.split())
    for key, plurals in {
        ("", "v1"): "bindings componentstatuses limitranges podtemplates replicationcontrollers resourcequotas",
        ("admissionregistration.k8s.io", "v1"): (
            "mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings "
            "validatingwebhookconfigurations"
        ),
        ("apiregistration.k8s.io", "v1"): "apiservices",
        ("apps", "v1"): "controllerrevisions",
        ("authentication.k8s.io", "v1"): "selfsubjectreviews tokenreviews",
        ("authorization.k8s.io", "v1"): "localsubjectaccessreviews",
        ("autoscaling", "v1"): "horizontalpodautoscalers",
        ("autoscaling", "v2"): "horizontalpodautoscalers",
        ("batch", "v1"): "cronjobs jobs",
        ("discovery.k8s.io", "v1"): "endpointslices",
        ("events.k8s.io", "v1"): "events",
        ("flowcontrol.apiserver.k8s.io", "v1"): "flowschemas prioritylevelconfigurations",
        ("networking.k8s.io", "v1"): "ingressclasses ingresses networkpolicies",
        ("node.k8s.io", "v1"): "runtimeclasses",
        ("policy", "v1"): "poddisruptionbudgets",
        ("scheduling.k8s.io", "v1"): "priorityclasses",
        ("storage.k8s.io", "v1"): "csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
        ("apps.openshift.io", "v1"): "deploymentconfigs",
        ("build.openshift.io", "v1"): "buildconfigs builds",
        ("image.openshift.io", "v1"): "images imagestreams imagestreamtags",
        ("oauth.openshift.io", "v1"): "oauthaccesstokens oauthauthorizetokens oauthclientauthorizations oauthclients",
        ("project.openshift.io", "v1"): "projectrequests projects",
        ("route.openshift.io", "v1"): "routes",
        ("template.openshift.io", "v1"): "templateinstances templates",
        ("user.openshift.io", "v1"): "groups identities useridentitymappings users",
    }.items()
}


def has(group: str, version: str, plural: str) -> bool:
    """Tell whether a real server has this kind.

    Args:
        group: API group, "" for core.
        version: version of the group.
        plural: the kind's name in paths.
    """
    return plural in ABSENT.get((group, version), ())
