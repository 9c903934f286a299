"""What a cluster's machines boot from: an asset graph from install-config to the bootstrap ignition.

An asset is named after the file it makes (`installer.assets.assets.asset_of` finds it): `tls/*` stand as rows in
`certificates.py`, `auth/*` in `kubeconfigs.py`, `manifests/*` in `manifests.py` and `platform.py`, `openshift/*` in
`machines.py` and `platform.py`, `*.ign` in `bootstrap.py`. Files of the bootstrap
machine's own system are rows of `host_files.py`, its units rows of `units.py`, both by the path that they have there;
scripts lie in `scripts/`, but for `bootkube.sh`, which `bootkube.py` makes from the stages of `stages.py`. Nothing here
asks Azure: the activity that has the graph made brings what goes in, and keeps what comes out.
"""
