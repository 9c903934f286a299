"""The types, routes and actions of Microsoft.Web."""

from emulator.web import configs, plans, sites, stacks

TYPES = (
    plans.SERVER_FARMS,
    sites.FUNCTION_APPS,
    configs.SITE_CONFIGS,
    configs.PUBLISHING_POLICIES,
    configs.HOSTS,
)
ROWS = (*stacks.ROWS, *configs.ROWS)
PROVIDER_ACTIONS = sites.PROVIDER_ACTIONS
