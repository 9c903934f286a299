"""ARM's routes: its own paths first, then all resource types, told apart by the shape of the path."""

from emulator.arm.api_versions import versions
from emulator.arm.call import Row
from emulator.arm.responses import groups, metadata, operations, resources, subscriptions, tags

RESOURCES_VERSIONS = versions("Microsoft.Resources")
FEATURES_VERSIONS = ("2014-08-01-preview", "2015-12-01", "2021-07-01")

S = "/subscriptions/{subscription_id}"
G = S + "/resourcegroups/{group}"
P = S + "/providers/{namespace}"
F = S + "/providers/Microsoft.Features/providers/{namespace}/features"
L = P + "/locations/{location}"
T = "{scope:path}/providers/Microsoft.Resources/tags/default"
GROUPS = groups.TYPE
# Source: https://learn.microsoft.com/rest/api/resources/tags
TAGS_VERSIONS = tuple(version for version in RESOURCES_VERSIONS if version >= "2019-10-01")

ROWS = (
    Row("GET", "/metadata/endpoints", metadata.endpoints, "metadata/endpoints", public=True),
    Row("GET", "/metadata/authentication", metadata.authentication, "metadata/authentication", public=True),
    Row("GET", "/tenants", subscriptions.list_tenants, "Microsoft.Resources/tenants", RESOURCES_VERSIONS),
    Row(
        "GET",
        "/subscriptions",
        subscriptions.list_subscriptions,
        "Microsoft.Resources/subscriptions",
        RESOURCES_VERSIONS,
    ),
    Row("GET", S, subscriptions.get_subscription, "Microsoft.Resources/subscriptions", RESOURCES_VERSIONS),
    Row(
        "GET",
        S + "/locations",
        subscriptions.list_locations,
        "Microsoft.Resources/subscriptions/locations",
        RESOURCES_VERSIONS,
    ),
    Row("GET", S + "/providers", subscriptions.list_providers, "Microsoft.Resources/providers", RESOURCES_VERSIONS),
    Row("GET", P, subscriptions.get_provider, "Microsoft.Resources/providers", RESOURCES_VERSIONS),
    Row(
        "POST",
        P + "/register",
        subscriptions.register_provider,
        "Microsoft.Resources/providers/register",
        RESOURCES_VERSIONS,
    ),
    Row(
        "POST",
        P + "/unregister",
        subscriptions.unregister_provider,
        "Microsoft.Resources/providers/unregister",
        RESOURCES_VERSIONS,
    ),
    Row("GET", F + "/{feature}", subscriptions.get_feature, "Microsoft.Features/features", FEATURES_VERSIONS),
    Row("POST", F + "/{feature}/{verb}", subscriptions.set_feature, "Microsoft.Features/features", FEATURES_VERSIONS),
    Row("GET", S + "/resourcegroups", groups.list_groups, GROUPS, RESOURCES_VERSIONS),
    Row("GET", G, groups.get_group, GROUPS, RESOURCES_VERSIONS),
    Row("HEAD", G, groups.head_group, GROUPS, RESOURCES_VERSIONS),
    Row("PUT", G, groups.put_group, GROUPS, RESOURCES_VERSIONS),
    Row("PATCH", G, groups.patch_group, GROUPS, RESOURCES_VERSIONS),
    Row("DELETE", G, groups.delete_group, GROUPS, RESOURCES_VERSIONS),
    Row("GET", G + "/resources", groups.list_group_resources, GROUPS + "/resources", RESOURCES_VERSIONS),
    Row(
        "GET",
        S + "/resources",
        groups.list_subscription_resources,
        "Microsoft.Resources/subscriptions/resources",
        RESOURCES_VERSIONS,
    ),
    Row("GET", T, tags.get_tags, tags.TYPE, TAGS_VERSIONS),
    Row("PUT", T, tags.put_tags, tags.TYPE, TAGS_VERSIONS),
    Row("PATCH", T, tags.patch_tags, tags.TYPE, TAGS_VERSIONS),
    Row("DELETE", T, tags.delete_tags, tags.TYPE, TAGS_VERSIONS),
    Row(
        "GET HEAD PUT PATCH DELETE POST",
        S + "/providers/Microsoft.RedHatOpenShift/{rest:path}",
        resources.serve,
        "resources",
        operation=resources.name,
    ),
    Row("GET", S + "/operationresults/{operation_id}", operations.operation_result, "operationresults"),
    Row("GET", L + "/operations/{operation_id}", operations.operation_status, "locations/operations"),
    Row("GET", L + "/operationResults/{operation_id}", operations.operation_result, "locations/operationResults"),
    Row("GET", L + "/asyncoperations/{operation_id}", operations.operation_result, "locations/asyncoperations"),
    Row(
        "GET",
        "{resource:path}/operationStatuses/{operation_id}",
        operations.resource_operation_status,
        "operationStatuses",
    ),
    Row(
        "GET HEAD PUT PATCH DELETE POST",
        "{scope:path}",
        resources.serve,
        "resources",
        operation=resources.name,
    ),
)
