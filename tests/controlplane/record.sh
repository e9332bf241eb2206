#!/bin/sh
# Records what a real API server sends to a webhook, into tests/data/reviews:
#
#   tests/controlplane/record.sh CONTROLPLANE [OUTPUT]
#
# CONTROLPLANE is the program that build.sh makes. It starts a control plane, a recorder that is registered for
# everything, and a node; then it does, one after the other, what the table at the end of this file says. A line
# there is a review that is kept: its name, which of the reviews of the command it is, and the command. The reviews
# are kept whole, as they were sent. OUTPUT/INDEX says how each came about.
set -eu
controlplane=$(realpath "${1:?usage: record.sh CONTROLPLANE [OUTPUT]}")
output=${2:-$(dirname "$0")/../data/reviews}
mkdir -p "$output"
output=$(realpath "$output")
work=$(mktemp -d)
pids=

end() {
  for pid in $pids; do kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM

# start NAME ARGS…: runs a part of the control plane until this script ends, and returns when it is ready.
start() {
  name=$1; shift
  : > "$work/$name.log"
  "$controlplane" "$@" > "$work/$name.log" 2>&1 &
  pids="$! $pids"
  await "grep -q '^READY' '$work/$name.log'" || { cat "$work/$name.log" >&2; exit 1; }
}

# await CONDITION: up to a minute.
await() {
  tries=0
  until eval "$1"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { echo "record.sh: not in a minute: $1" >&2; return 1; }
    sleep 0.1
  done
}

kubectl() { HOME=$work KUBECONFIG=$work/state/admin.kubeconfig "$controlplane" kubectl "$@"; }

# newest: the number of the last review so far.
newest() { ls "$work/reviews" | sed -n 's/^0*\([1-9][0-9]*\)\..*/\1/p' | sort -n | tail -1; }

# find_review MARK PATTERN TEXT: the first review after MARK whose file name matches PATTERN and which contains TEXT.
find_review() {
  for file in "$work/reviews"/[0-9]*.$2.json; do
    [ -e "$file" ] || continue
    number=${file##*/}; number=${number%%.*}
    if [ "$number" -gt "$1" ] && grep -q "$3" "$file"; then echo "$file"; return; fi
  done
  return 1
}

# record NAME PATTERN TEXT COMMAND…: runs kubectl, with $manifest as its input, and keeps the validating review that
# matches; with both=yes also the mutating one. A command may fail: there is nothing to exec into.
record() {
  name=$1 pattern=$2 text=$3; shift 3
  mark=$(newest); mark=${mark:-0}
  printf '%s\n' "$manifest" | kubectl "$@" > "$work/command.log" 2>&1 || true
  keep "$name" "$pattern" "$text" "$mark" "kubectl$(quoted "$@")${manifest:+ <<< '$manifest'}"
}

# quoted ARGS…: each after a blank, in quotes where a shell needs them.
quoted() {
  for word; do
    case $word in *[!A-Za-z0-9_./=:,@%-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
  done
}

# also NAME PATTERN TEXT: keeps one more review of the last command.
also() { keep "$1" "$2" "$3" "$mark" '(the same command)'; }

keep() {
  await "find_review $4 'validate.$2' '$3' > '$work/found'" || { cat "$work/command.log" >&2; exit 1; }
  cp "$(cat "$work/found")" "$output/$1.json"
  if [ "${both:-no}" = yes ]; then
    cp "$(find_review "$4" "mutate.$2" "$3")" "$output/$1.mutating.json"
  fi
  printf '%s\t%s\n' "$1" "$5" >> "$output/INDEX"
}

start plane up -dir "$work/state"
start recorder record --state "$work/state" --out "$work/reviews"
kubectl apply -f "$work/reviews/webhooks.yaml" > /dev/null
await "kubectl create configmap probe --dry-run=server > /dev/null && find_review 0 'validate.CREATE.configmaps.probe' . > /dev/null"
release=$(kubectl version | sed -n 's/^Server Version: //p')

rm -f "$output"/*.json
cat > "$output/INDEX" <<HEADER
# AdmissionReviews as kube-apiserver $release sent them, made by tests/controlplane/record.sh.
# NAME.json went to a validating webhook, NAME.mutating.json (where there is one) to a mutating one.
# NAME, then the command that caused it.
HEADER

main='containers: [{name: main, image: registry.example/train:1, command: [sleep, "1000"]}]'
gpu='containers: [{name: main, image: registry.example/train:1, command: [sleep, "1000"], resources: {limits: {nvidia.com/gpu: 1}}}]'
alice='--as alice --as-group ml-team'
manifest=

# The table. Nodes first: pods need one.
record namespace-create 'CREATE.namespaces.ml' . create namespace ml
kubectl create rolebinding ml-team --namespace ml --clusterrole edit --group ml-team > /dev/null
start kubelet kubelet --state "$work/state" --node gpu-01 --label example.com/pool=a100 --capacity nvidia.com/gpu=8
mark=0
both=yes keep node-create-by-node 'CREATE.nodes.gpu-01' '"username": "system:node:gpu-01"' 0 '(a kubelet registers its node)'
keep node-status-by-node 'UPDATE.nodes_status.gpu-01' '"username": "system:node:gpu-01"' 0 '(a kubelet reports that it is ready)'
keep node-untaint-by-controller 'UPDATE.nodes.gpu-01' '"username": "system:serviceaccount:kube-system:node-controller"' 0 '(the node lifecycle controller removes the not-ready taint)'
record node-label 'UPDATE.nodes.gpu-01' driftbar.io/drift label node gpu-01 driftbar.io/drift=none
record node-status-label-by-admin 'UPDATE.nodes_status.gpu-01' example.com/slipped patch node gpu-01 --subresource=status --type=merge -p '{"metadata":{"labels":{"example.com/slipped":"in"}}}'
manifest='{apiVersion: v1, kind: Node, metadata: {name: gpu-02, labels: {example.com/pool: a100}}, spec: {taints: [{key: driftbar.io/drift, value: critical, effect: NoSchedule}]}}'
record node-create-by-admin 'CREATE.nodes.gpu-02' . create -f -
manifest=
record node-taint 'UPDATE.nodes.gpu-02' example.com/broken taint node gpu-02 example.com/broken=yes:NoSchedule
record node-cordon 'UPDATE.nodes.gpu-02' '"unschedulable": true' cordon gpu-02

manifest="{apiVersion: v1, kind: Pod, metadata: {name: plain}, spec: {$main}}"
both=yes record pod-create 'CREATE.pods.plain' . -n ml $alice create -f -
also pod-bind-by-scheduler 'CREATE.pods_binding.plain' '"username": "system:kube-scheduler"'
also pod-status-by-node 'UPDATE.pods_status.plain' '"phase": "Running"'
manifest="{apiVersion: v1, kind: Pod, metadata: {name: pinned}, spec: {nodeName: gpu-01, $gpu}}"
record pod-create-pinned 'CREATE.pods.pinned' . -n ml $alice create -f -
manifest="{apiVersion: v1, kind: Pod, metadata: {generateName: many-}, spec: {$main}}"
both=yes record pod-create-generatename 'CREATE.pods.*' many- -n ml $alice create -f -
manifest="{apiVersion: v1, kind: Pod, metadata: {name: choosy}, spec: {nodeSelector: {example.com/pool: a100}, tolerations: [{key: driftbar.io/drift, operator: Exists}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: driftbar.io/drift, operator: NotIn, values: [critical]}]}]}}}, $gpu}}"
record pod-create-affinity 'CREATE.pods.choosy' . -n ml $alice create -f -
manifest="{apiVersion: v1, kind: Pod, metadata: {name: maybe}, spec: {$main}}"
record pod-create-dry-run 'CREATE.pods.maybe' '"dryRun": true' -n ml $alice create --dry-run=server -f -
manifest="{apiVersion: v1, kind: Pod, metadata: {name: gated}, spec: {schedulingGates: [{name: example.com/quota}], $gpu}}"
record pod-create-gated 'CREATE.pods.gated' . -n ml $alice create -f -
manifest=
record pod-update-gated-selector 'UPDATE.pods.gated' . -n ml $alice patch pod gated --type=merge -p '{"spec":{"nodeSelector":{"kubernetes.io/hostname":"gpu-02"}}}'
record pod-update-toleration 'UPDATE.pods.plain' example.com/late -n ml $alice patch pod plain --type=json -p '[{"op":"add","path":"/spec/tolerations/-","value":{"key":"example.com/late","operator":"Exists"}}]'
record pod-exec 'CONNECT.pods_exec.plain' . -n ml $alice exec plain -- nvidia-smi
record pod-ephemeralcontainers 'UPDATE.pods_ephemeralcontainers.plain' . -n ml debug plain --image=registry.example/debug:1 --profile=general -- sleep 1
manifest="{apiVersion: v1, kind: Pod, metadata: {name: mine}, spec: {schedulerName: nobody, $main}}"
kubectl -n ml create -f - > /dev/null <<POD
$manifest
POD
manifest='{apiVersion: v1, kind: Binding, metadata: {name: mine}, target: {apiVersion: v1, kind: Node, name: gpu-02}}'
record pod-bind-legacy 'CREATE.bindings.mine' . -n ml create -f -

manifest="{apiVersion: batch/v1, kind: Job, metadata: {name: bert}, spec: {template: {spec: {restartPolicy: Never, $gpu}}}}"
record job-create 'CREATE.jobs.bert' . -n ml $alice create -f -
also pod-create-by-job-controller 'CREATE.pods.bert-*' '"username": "system:serviceaccount:kube-system:job-controller"'
manifest="{apiVersion: apps/v1, kind: Deployment, metadata: {name: eval}, spec: {selector: {matchLabels: {app: eval}}, template: {metadata: {labels: {app: eval}}, spec: {$main}}}}"
record deployment-create 'CREATE.deployments.eval' . -n ml $alice create -f -
also replicaset-create-by-deployment-controller 'CREATE.replicasets.eval-*' '"username": "system:serviceaccount:kube-system:deployment-controller"'
also pod-create-by-replicaset-controller 'CREATE.pods.eval-*' '"username": "system:serviceaccount:kube-system:replicaset-controller"'
manifest="{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: probe}, spec: {selector: {matchLabels: {app: probe}}, template: {metadata: {labels: {app: probe}}, spec: {$main}}}}"
record pod-create-by-daemonset-controller 'CREATE.pods.probe-*' '"username": "system:serviceaccount:kube-system:daemon-set-controller"' -n ml create -f -
manifest=
record deployment-scale 'UPDATE.deployments_scale.eval' . -n ml $alice scale deployment eval --replicas=2
record deployment-update 'UPDATE.deployments.eval' registry.example/train:2 -n ml $alice set image deployment/eval main=registry.example/train:2

manifest='{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "pinned"}}'
record pod-evict 'CREATE.pods_eviction.pinned' . create --raw /api/v1/namespaces/ml/pods/pinned/eviction -f -
manifest=
record pod-delete 'DELETE.pods.plain' '"username": "alice"' -n ml $alice delete pod plain --wait=false
record pod-deletecollection 'DELETE.pods.' . delete --raw '/api/v1/namespaces/ml/pods?labelSelector=app%3Deval'
record node-delete 'DELETE.nodes.gpu-02' . delete node gpu-02 --wait=false

echo "$(ls "$output"/*.json | wc -l) reviews of kube-apiserver $release in $output"
