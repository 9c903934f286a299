"""Azure Resource Manager: front door, subscriptions, resource groups, resources, access checks."""
