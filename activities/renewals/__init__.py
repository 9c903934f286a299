"""The renewals of a living cluster: what OpenShift and Azure do not renew by themselves."""
