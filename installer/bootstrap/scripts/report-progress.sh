#!/usr/bin/env bash
# Tells the cluster that the bootstrap machine has done its work: $1 is the kubeconfig by which it is reached.
set -euo pipefail

#records: # shellcheck source=/dev/null
#records: . /usr/local/bin/bootstrap-service-record.sh progress

readonly kubeconfig="${1:?the path of a kubeconfig is needed}"

api() {
    oc @KUBECONFIG_FLAG@="${kubeconfig}" --namespace=kube-system "$@"
}

#records: begin_stage wait-for-bootstrap-complete
until [[ -f /opt/openshift/.bootkube.done ]]; do
    sleep 5
done
#records: end_stage

reported() {
    [[ "$(api get configmap bootstrap --output='jsonpath={.data.status}')" == complete ]]
}

#records: begin_stage report-bootstrap-complete
# What an earlier run of this has written is as good.
until api create configmap bootstrap --from-literal=status=complete || reported; do
    echo "The cluster could not be told yet; once more in 5 seconds."
    sleep 5
done
#records: end_stage
