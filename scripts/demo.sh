#!/usr/bin/env bash
# Builds driftbar and shows what it does, on this machine, without a cluster:
#
#   scripts/demo.sh           a few requests over TLS, and what kubectl would show
#   scripts/demo.sh --keep    leaves the gate running, to send it requests of your own
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build
echo "building (a few minutes the first time)"
log=build/demo-build.log
mkdir -p build
if ! { cmake --preset release && cmake --build --preset release --target driftbar; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi
exec build/release/driftbar demo "$@"
