#!/bin/sh
# Pins the module file of the tests to one Kubernetes release:
#
#   tests/controlplane/pin.sh v1.37.2 go.mod
#   tests/controlplane/pin.sh v1.35.4 go-1.35.mod
#
# k8s.io/kubernetes requires its own libraries as v0.0.0, which no proxy has, so each one is replaced by the
# library version of the same release (v1.37.2 goes with v0.37.2). Versions of everything else are those the
# release itself was built with: `go mod tidy` takes them from its go.mod.
set -eu
release=${1:?usage: pin.sh RELEASE MODFILE}
modfile=${2:?usage: pin.sh RELEASE MODFILE}
cd "$(dirname "$0")/.."

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
upstream=$(cd "$fresh" && go mod init pin >/dev/null 2>&1 &&
           go mod download -json "k8s.io/kubernetes@$release" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
go_version=$(awk '$1 == "go" { print $2 }' "$upstream")
libraries=$(awk '$1 ~ /^k8s\.io\// && $2 == "v0.0.0" { print $1 }' "$upstream" | sort -u)
{
  printf 'module driftbar.io/tests\n\ngo %s\n\ngodebug default=go%s\n\n' "$go_version" "${go_version%.*}"
  printf 'require k8s.io/kubernetes %s\n\nreplace (\n' "$release"
  for library in $libraries; do printf '\t%s => %s v0.%s\n' "$library" "$library" "${release#v1.}"; done
  printf ')\n'
} > "$fresh/pinned.mod"
cp "$fresh/pinned.mod" "$modfile"
go mod tidy -modfile="$modfile"
