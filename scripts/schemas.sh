#!/usr/bin/env bash
# Writes webhook/schema/kubernetes.txt, the fields of built-in kinds, from the control planes that the tests use: the
# newest release, and the oldest, whose lack of a field is marked; and webhook/schema/defaults.txt, what the absence of
# a field means, from the newest release's own defaulting. Run it when tests/go.mod or tests/go-1.35.mod has
# another release, and read the diff.
#
#   scripts/schemas.sh
#
# Two starts of a control plane; minutes more where Kubernetes is not compiled yet.
set -euo pipefail
cd "$(dirname "$0")/../tests"

[ -x ../build/tools/go/bin/go ] && PATH="$PWD/../build/tools/go/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fields() { # MODFILE, then flags: runs the test that can write the file, at the control plane of MODFILE
  local modfile=$1
  shift
  controlplane/build.sh "$work/controlplane" "$modfile"
  CGO_ENABLED=0 DRIFTBAR_CONTROLPLANE_BINARY="$work/controlplane" \
    go test -count=1 -modfile="$modfile" -trimpath -buildvcs=false ./schemas "$@"
}

fields go-1.35.mod -write "$work/older.txt"
fields go.mod -older "$work/older.txt" -write "$work/newest.txt" -write-defaults "$work/defaults.txt"
mv "$work/newest.txt" ../webhook/schema/kubernetes.txt
mv "$work/defaults.txt" ../webhook/schema/defaults.txt
wc ../webhook/schema/kubernetes.txt ../webhook/schema/defaults.txt
