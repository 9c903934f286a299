"""What people type beside `az aro`: commands of the Azure CLI, in their order, and what each prints."""

from dataclasses import dataclass

GROUP = "--resource-group {name}"
SCOPE = "/subscriptions/{subscription}/resourceGroups/{name}"
ME = "--assignee {client_id}"
SUBNET = f"{GROUP} --vnet-name net"
ZONE = f"{GROUP} --zone-name {{name}}.example.com"
VAULT = "--vault-name kv{name}"
BLOBS = "--account-name st{name} --auth-mode login"
IDENTITY = f"{GROUP} --name operator --resource-type Microsoft.ManagedIdentity/userAssignedIdentities"
TEMPLATE = f"{GROUP} --template-file {{home}}/template.json --parameters name=other"
DATABASE = f"{GROUP} --account-name db{{name}}"
POLICY = """'{"if": {"field": "tags.team", "exists": "false"}, "then": {"effect": "audit"}}'"""


@dataclass(frozen=True)
class Command:
    """One command, which succeeds.

    Args:
        words: its words after `az`, as in a shell; `{name}`, `{subscription}`, `{client_id}` and `{home}` are facts
            about the run.
        prints: a regular expression that fits a part of its output.
    """

    words: str
    prints: str = ""


COMMANDS = (
    Command("account show --query id", "{subscription}"),
    Command("account list-locations --query [].name", '"eastus"'),
    *(
        Command(f"provider register --wait --namespace Microsoft.{namespace}")
        for namespace in ("DocumentDB", "KeyVault", "Storage")
    ),
    Command("provider show --namespace Microsoft.KeyVault --query registrationState", "Registered"),
    Command("provider list --query [].namespace", "Microsoft.RedHatOpenShift"),
    Command("group create --name {name} --location eastus --tags team=red", "Succeeded"),
    Command("group update --name {name} --set tags.cost=low", '"cost": "low"'),
    Command("group show --name {name} --query tags.team", "red"),
    Command("group list --tag team=red --query [].name", "{name}"),
    Command("group exists --name {name}", "true"),
    # Rights that later commands need.
    Command(
        f"role assignment create --role 'Key Vault Secrets Officer' {ME} --scope {SCOPE}",
        '"principalType": "ServicePrincipal"',
    ),
    Command(
        f"role assignment create --role 'Storage Blob Data Contributor' {ME} --scope {SCOPE}",
        '"principalType": "ServicePrincipal"',
    ),
    Command(f"role assignment list --scope {SCOPE} --query [].roleDefinitionName", "Key Vault Secrets Officer"),
    Command("role definition list --name Contributor --query [].roleType", "BuiltInRole"),
    # Networks.
    Command(f"network vnet create {GROUP} --name net --address-prefixes 10.0.0.0/22", "Succeeded"),
    Command(
        f"network vnet subnet create {SUBNET} --name master --address-prefixes 10.0.0.0/23"
        " --service-endpoints Microsoft.ContainerRegistry",
        "Microsoft.ContainerRegistry",
    ),
    Command(
        f"network vnet subnet update {SUBNET} --name master --private-link-service-network-policies Disabled",
        '"privateLinkServiceNetworkPolicies": "Disabled"',
    ),
    Command(f"network vnet subnet list {SUBNET} --query [].name", "master"),
    Command(f"network vnet update {GROUP} --name net --dns-servers 10.0.0.4", "10.0.0.4"),
    Command(f"network nsg create {GROUP} --name guard", "AllowVnetInBound"),
    Command(f"network nsg rule create {GROUP} --nsg-name guard --name api --priority 200", "Succeeded"),
    Command(f"network public-ip create {GROUP} --name address --sku Standard", "Static"),
    Command(f"network lb list {GROUP}", r"^\[\]"),
    Command(f"network private-dns zone create {GROUP} --name {{name}}.example.com", "Succeeded"),
    Command(f"network private-dns link vnet create {ZONE} --name link --virtual-network net -e false", "Succeeded"),
    Command(f"network private-dns record-set a add-record {ZONE} -n api --ipv4-address 10.0.0.5", "10.0.0.5"),
    Command(f"network private-dns record-set list {ZONE} --query [].name", "api"),
    # Identities, templates and resources of any type.
    Command(f"identity create {GROUP} --name operator", "principalId"),
    Command(f"deployment group validate {TEMPLATE}", "Succeeded"),
    Command(f"deployment group what-if {TEMPLATE} --no-pretty-print", '"changeType": "Create"'),
    Command(f"deployment group create {TEMPLATE} --name one", "Succeeded"),
    Command(f"deployment group show {GROUP} --name one --query properties.outputs.id.value", "Identities/other"),
    Command(f"deployment operation group list {GROUP} --name one --query [].properties.provisioningState", "Succeeded"),
    Command(f"resource tag {IDENTITY} --tags part=shop"),
    Command(f"resource show {IDENTITY} --query tags.part", "shop"),
    Command("resource list --tag part=shop --query [].name", "operator"),
    Command(f"resource list {GROUP} --query [].name", "other"),
    # Vaults, blobs and databases.
    Command(f"keyvault create {GROUP} --name kv{{name}}", "https://kv{name}.vault.azure.net/"),
    Command("keyvault show --name kv{name} --query properties.enableRbacAuthorization", "true"),
    Command(f"keyvault secret set {VAULT} --name pull --value open", '"value": "open"'),
    Command(f"keyvault secret show {VAULT} --name pull --query value", "open"),
    Command(f"keyvault secret list {VAULT} --query [].name", "pull"),
    Command("keyvault delete --name kv{name}"),
    Command("keyvault list-deleted --query [].name", "kv{name}"),
    Command("keyvault purge --name kv{name}"),
    Command(f"storage account create {GROUP} --name st{{name}} --sku Standard_LRS", "Succeeded"),
    Command(f"storage account show {GROUP} --name st{{name}} --query primaryEndpoints.blob", "st{name}.blob"),
    Command(f"storage account keys list {GROUP} --account-name st{{name}} --query [].keyName", "key1"),
    Command(f"storage container create {BLOBS} --name box", '"created": true'),
    Command(f"storage blob upload {BLOBS} -c box --name a.json --file {{home}}/template.json --no-progress", "etag"),
    Command(f"storage blob list {BLOBS} -c box --query [].name", "a.json"),
    Command(f"cosmosdb create {GROUP} --name db{{name}} --locations regionName=eastus", "Succeeded"),
    Command(f"cosmosdb show {GROUP} --name db{{name}} --query documentEndpoint", "https://db{name}.documents"),
    Command(f"cosmosdb sql database create {DATABASE} --name clusters", '"name": "clusters"'),
    Command(f"cosmosdb list {GROUP} --query [].name", "db{name}"),
    # Machines, and who may do what.
    Command(f"vm list {GROUP}", r"^\[\]"),
    Command("vm list-skus --location eastus --size Standard_D8s_v5 --query [].name", "Standard_D8s_v5"),
    Command("vm list-usage --location eastus --query [].name.value", "standardDSv5Family"),
    Command(f"disk create {GROUP} --name data --size-gb 8", "Succeeded"),
    Command(f"disk list {GROUP} --query [].diskSizeGB", "8"),
    Command(f"lock create --name keep --lock-type CanNotDelete {GROUP}", "CanNotDelete"),
    Command(f"lock list {GROUP} --query [].name", "keep"),
    Command(f"lock delete --name keep {GROUP}"),
    Command(f"policy definition create --name audit-{{name}} --mode Indexed --rules {POLICY}", "Custom"),
    Command(f"policy assignment create --name audit --policy audit-{{name}} {GROUP}", "audit-{name}"),
    Command(f"policy assignment list {GROUP} --query [].name", "audit"),
    Command(f"ad sp create-for-rbac --name sp-{{name}} --role Reader --scopes {SCOPE}", "password"),
    Command("ad sp list --display-name sp-{name} --query [].displayName", "sp-{name}"),
    # The service itself.
    Command(f"functionapp list {GROUP}", r"^\[\]"),
    Command(f"monitor activity-log list {GROUP} --offset 1h --query [].operationName.value", "disks/write"),
    Command(f"rest --method get --url {SCOPE}?api-version=2021-04-01 --query name", "{name}"),
    Command("group delete --name {name} --yes --no-wait"),
)
