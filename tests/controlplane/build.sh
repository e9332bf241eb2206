#!/bin/sh
# Builds the control plane's one program:
#
#   tests/controlplane/build.sh OUTPUT [MODFILE]
#
# MODFILE picks the Kubernetes release: go.mod (the default) or go-1.35.mod. $GO is the go to use, if not that of
# PATH. The first build of a release compiles all of Kubernetes: about five minutes on two cores and 2.5 GB of
# memory; later ones link only.
set -eu
output=${1:?usage: build.sh OUTPUT [MODFILE]}
modfile=${2:-go.mod}
case $output in /*) ;; *) output=$PWD/$output ;; esac
cd "$(dirname "$0")/.."

go=${GO:-go}
release=$("$go" list -modfile="$modfile" -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${release#v1.}
# A release knows its own version only by what the linker is told; without it the API server cannot start.
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags="$flags -X $package.gitVersion=$release -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
  flags="$flags -X $package.gitTreeState=clean -X $package.gitCommit=from-modules -X $package.buildDate=1970-01-01T00:00:00Z"
done
CGO_ENABLED=0 exec "$go" build -buildvcs=false -modfile="$modfile" -trimpath -ldflags="$flags" -o "$output" ./controlplane/cmd/controlplane
