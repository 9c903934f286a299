"""The inputs of a cluster's machines at boot: an asset graph from install-config to the bootstrap ignition.

An asset is named after the file it makes (`installer.all_assets.asset_of` finds it). `tls/*` are rows in
`install_certificates.py`, `auth/*` in `kubeconfigs.py`, `manifests/*` in `manifests.py` and `platform.py`,
`openshift/*` in `machines.py` and `platform.py`, `*.ign` in `bootstrap.py`. Files of the bootstrap machine's own system
are rows of `host_files.py`, its units rows of `units.py`, both by their path on the machine. Scripts are in `scripts/`,
except `bootkube.sh`, which `bootkube.py` makes from the stages of `stages.py`. Nothing here calls Azure: the activity
that makes the graph passes the inputs in and stores the results.
"""
