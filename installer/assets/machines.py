"""The cluster's machines: masters, worker machine sets by zone, their user data, and who may log in.

Source: openshift/installer 4.3 with ARO-RP's patches, `pkg/asset/machines`, `pkg/asset/machines/azure`.
"""

from typing import Any

from installer import manifest_yaml
from installer.config import install_config
from installer.graph import Asset, Content, Inputs
from installer.ignition import ignition, snippets
from installer.manifest_yaml import metadata, secret
from installer.release.releases import Releases

_API = "machine.openshift.io/v1beta1"
_LABEL = "machine.openshift.io/cluster-api-"
_NAMESPACE = "openshift-machine-api"
_FILE = "openshift/99_openshift-cluster-api_"
_MACHINE_CONFIG_FILE = "openshift/99_openshift-machineconfig_99-"
_INSTALL, _ID, _RELEASE = "install-config", "cluster-id", "release-image"
_ROLES = ("master", "worker")
_ONE_THREAD = "nosmt"
_WITH_KERNEL_ARGUMENTS_FILE = Releases(until=(4, 11))


def _labels(infra_id: str, role: str, **more: str) -> dict[str, str]:
    labels = {"cluster": infra_id, "machine-role": role, "machine-type": role} | more
    return {f"{_LABEL}{name}": value for name, value in labels.items()}


def _provider_spec(config: Content, pool: dict[str, Any], role: str, zone: str) -> dict[str, Any]:
    azure, machine = install_config.azure(config), pool["platform"]["azure"]
    managed_disk: dict[str, Any] = {"storageAccountType": "Premium_LRS"}
    if encryption_set := machine["osDisk"].get("diskEncryptionSet"):
        managed_disk["diskEncryptionSet"] = {"id": _encryption_set_id(encryption_set)}
    spec = {
        "apiVersion": "azureproviderconfig.openshift.io/v1beta1",
        "kind": "AzureMachineProviderSpec",
        "metadata": {"creationTimestamp": None},
        "userDataSecret": {"name": f"{role}-user-data"},
        "credentialsSecret": {"name": "azure-cloud-credentials", "namespace": _NAMESPACE},
        "location": azure["region"],
        "vmSize": machine["type"],
        "image": azure["image"] | {"resourceID": ""},
        "osDisk": {"osType": "Linux", "managedDisk": managed_disk, "diskSizeGB": machine["osDisk"]["diskSizeGB"]},
        "publicIP": False,
        "subnet": azure["controlPlaneSubnet" if role == "master" else "computeSubnet"],
        "vnet": azure["virtualNetwork"],
        "resourceGroup": azure["resourceGroupName"],
        "networkResourceGroup": azure["networkResourceGroupName"],
        "zone": zone,
    }
    if machine.get("encryptionAtHost"):
        spec["securityProfile"] = {"encryptionAtHost": True}
    return spec


def _encryption_set_id(encryption_set: dict[str, str]) -> str:
    return (
        f"/subscriptions/{encryption_set['subscriptionId']}/resourceGroups/{encryption_set['resourceGroup']}"
        f"/providers/Microsoft.Compute/diskEncryptionSets/{encryption_set['name']}"
    )


def _masters(inputs: Inputs) -> Content:
    config, infra_id = inputs[_INSTALL], inputs[_ID]["infraId"]
    pool = config["controlPlane"]
    zones = pool["platform"]["azure"]["zones"]
    machines = (
        {
            "apiVersion": _API,
            "kind": "Machine",
            "metadata": {
                "creationTimestamp": None,
                "name": f"{infra_id}-master-{number}",
                "namespace": _NAMESPACE,
                "labels": _labels(infra_id, "master"),
            },
            "spec": {
                "metadata": {"creationTimestamp": None},
                "providerSpec": {"value": _provider_spec(config, pool, "master", zones[number % len(zones)])},
            },
            "status": {},
        }
        for number in range(pool["replicas"])
    )
    return {
        f"{_FILE}master-machines-{number}.yaml": manifest_yaml.to_yaml(machine)
        for number, machine in enumerate(machines)
    }


def _worker_sets(inputs: Inputs) -> Content:
    """One machine set for each zone; the first ones take the remainder."""
    config, infra_id = inputs[_INSTALL], inputs[_ID]["infraId"]
    made: Content = {}
    for pool in config["compute"]:
        zones = pool["platform"]["azure"]["zones"]
        for number, zone in enumerate(zones):
            replicas = pool["replicas"] // len(zones) + (number < pool["replicas"] % len(zones))
            name = f"{infra_id}-{pool['name']}-{install_config.azure(config)['region']}{zone}"
            machine_set = _worker_set(config, pool, infra_id, name, zone, replicas)
            made[f"{_FILE}worker-machineset-{len(made)}.yaml"] = manifest_yaml.to_yaml(machine_set)
    return made


def _worker_set(  # noqa: PLR0917 - one caller, right above
    config: Content, pool: dict[str, Any], infra_id: str, name: str, zone: str, replicas: int
) -> dict[str, Any]:
    spec = _provider_spec(config, pool, "worker", zone)
    if not install_config.uses_own_routes(config):
        # The outbound load balancer has the infra id as its name, because the cluster adds the ingress to it.
        spec["publicLoadBalancer"] = infra_id
    return {
        "apiVersion": _API,
        "kind": "MachineSet",
        "metadata": {
            "creationTimestamp": None,
            "name": name,
            "namespace": _NAMESPACE,
            "labels": _labels(infra_id, "worker"),
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {f"{_LABEL}cluster": infra_id, f"{_LABEL}machineset": name}},
            "template": {
                "metadata": {"creationTimestamp": None, "labels": _labels(infra_id, "worker", machineset=name)},
                "spec": {"metadata": {"creationTimestamp": None}, "providerSpec": {"value": spec}},
            },
        },
        "status": {"replicas": 0},
    }


def pointer(config: Content, role: str, root_ca: str) -> ignition.Config:
    """Return the first configuration of a machine of a role: the address of the rest, and the authority to trust.

    Args:
        config: the install-config.
        role: role of the machine.
        root_ca: certificate of the authority, PEM.
    """
    source = f"https://api-int.{install_config.domain(config)}:22623/config/{role}"
    return ignition.Config(merge=(ignition.Pointer(source),), authorities=(root_ca,))


def _pointer_asset(role: str) -> Asset:
    def make(inputs: Inputs) -> Content:
        config = pointer(inputs[_INSTALL], role, inputs["tls/root-ca"]["tls/root-ca.crt"])
        return snippets.ignition_files(role, config, inputs[_INSTALL], inputs[_RELEASE])

    return Asset(f"{role}.ign", snippets.files(role), (_INSTALL, _RELEASE, "tls/root-ca"), make)


def _user_data_asset(role: str) -> Asset:
    path = f"{_FILE}{role}-user-data-secret.yaml"

    def make(inputs: Inputs) -> Content:
        data = {"userData": inputs[f"{role}.ign"][f"{role}.ign"], "disableTemplating": "true\n"}
        return {path: manifest_yaml.to_yaml(secret(f"{role}-user-data", _NAMESPACE, data))}

    return Asset(path, (path,), (f"{role}.ign",), make)


def _machine_config(
    name: str, role: str, config: dict[str, Any], *, fips: bool = False, kernel_arguments: list[str] | None = None
) -> str:
    """Return a MachineConfig, which the machine config operator applies to every machine of a role."""
    document = {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": metadata(name, labels={"machineconfiguration.openshift.io/role": role}),
        "spec": {"config": config, "fips": fips, "kernelArguments": kernel_arguments, "osImageURL": ""},
    }
    return manifest_yaml.to_yaml(document)


def _ssh_asset(role: str) -> Asset:
    path = f"{_MACHINE_CONFIG_FILE}{role}-ssh.yaml"

    def make(inputs: Inputs) -> Content:
        config = ignition.Config(users=(ignition.User("core", (inputs[_INSTALL]["sshKey"],)),))
        rendered = ignition.render(config, inputs[_RELEASE]["ignitionVersion"])
        return {path: _machine_config(f"99-{role}-ssh", role, rendered)}

    return Asset(path, (path,), (_INSTALL, _RELEASE), make)


def _fips_asset(role: str) -> Asset:
    """Validated cryptographic modules, if the customer asked for them; otherwise there is no file."""
    path = f"{_MACHINE_CONFIG_FILE}{role}-fips.yaml"

    def make(inputs: Inputs) -> Content:
        if not inputs[_INSTALL].get("fips"):
            return {}
        rendered = ignition.render(ignition.Config(), inputs[_RELEASE]["ignitionVersion"])
        return {path: _machine_config(f"99-{role}-fips", role, rendered, fips=True)}

    return Asset(path, (path,), (_INSTALL, _RELEASE), make)


def _one_thread_asset(role: str) -> Asset:
    """One thread for each core, if the install-config asks for it; otherwise there is no file.

    Source: openshift/installer `pkg/asset/machines/machineconfig/hyperthreading.go`; its pull request 5439, in 4.11,
    replaced the file by a kernel argument.
    """
    path = f"{_MACHINE_CONFIG_FILE}{role}-disable-hyperthreading.yaml"

    def make(inputs: Inputs) -> Content:
        config, release = inputs[_INSTALL], inputs[_RELEASE]
        pool = config["controlPlane"] if role == "master" else config["compute"][0]
        if pool["hyperthreading"] == "Enabled":
            return {}
        by_file = release in _WITH_KERNEL_ARGUMENTS_FILE
        files = (ignition.File("/etc/pivot/kernel-args", f"ADD {_ONE_THREAD}", 0o600),) if by_file else ()
        rendered = ignition.render(ignition.Config(files=files), release["ignitionVersion"])
        arguments = None if by_file else [_ONE_THREAD]
        name = f"99-{role}-disable-hyperthreading"
        return {path: _machine_config(name, role, rendered, kernel_arguments=arguments)}

    return Asset(path, (path,), (_INSTALL, _RELEASE), make)


_OF_ROLES = (_pointer_asset, _user_data_asset, _ssh_asset, _fips_asset, _one_thread_asset)
ASSETS = (
    *(asset(role) for role in _ROLES for asset in _OF_ROLES),
    Asset(f"{_FILE}master-machines", (f"{_FILE}master-machines-*.yaml",), (_INSTALL, _ID), _masters),
    Asset(f"{_FILE}worker-machineset", (f"{_FILE}worker-machineset-*.yaml",), (_INSTALL, _ID), _worker_sets),
)
