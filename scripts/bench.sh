#!/usr/bin/env bash
# Measures what a review costs, in the release build, beside two handlers in the same server that judge nothing.
#
#   scripts/bench.sh              the table
#   scripts/bench.sh --json       for programs; --requests, --connections 1,8,64,400, --nodes, --bytes: see --help
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build
cmake --preset release >/dev/null
cmake --build --preset release --target driftbar_bench >/dev/null
ulimit -n "$(ulimit -Hn)"
exec build/release/tests/bench/driftbar_bench "$@"
