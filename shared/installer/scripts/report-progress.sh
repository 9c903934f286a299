#!/usr/bin/env bash
# Tells the cluster that the bootstrap machine has done its work: $1 is the kubeconfig by which it is reached.
set -euo pipefail

export KUBECONFIG="${1:?the path of a kubeconfig is needed}"

until [[ -f /opt/openshift/.bootkube.done ]]; do
    sleep 5
done

reported() {
    [[ "$(oc --namespace=kube-system get configmap bootstrap --output='jsonpath={.data.status}')" == complete ]]
}

# What an earlier run of this has written is as good.
until oc --namespace=kube-system create configmap bootstrap --from-literal=status=complete || reported; do
    echo "The cluster could not be told yet; once more in 5 seconds."
    sleep 5
done
