#!/usr/bin/env bash
# All tests, as CI runs them: the unit tests with the address and undefined-behaviour sanitizers, those that use
# several threads with the thread sanitizer, and everything in the ordinary build: unit tests, Kubernetes' own code
# as the judge of ours, and the gate at a real API server.
#
#   scripts/test.sh            all of it (half an hour on two cores, more when Kubernetes is first compiled)
#   scripts/test.sh dev        the ordinary build alone
#   scripts/test.sh asan|tsan  one of the sanitizers
#
# With CI=true a skipped test fails unless tests/allowed-skips.txt has its name and the reason.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh test
[ -x build/tools/go/bin/go ] && PATH="$PWD/build/tools/go/bin:$PATH"
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

run() { # PRESET, then arguments of ctest
  local preset=$1 report
  shift
  report=$PWD/build/$preset/tests.xml
  ctest --preset "$preset" --parallel "$jobs" --output-junit "$report" "$@"
  if [ "${CI:-}" = true ]; then python3 scripts/check_skips.py "$report" tests/allowed-skips.txt; fi
}

asan() {
  say "address and undefined-behaviour sanitizers"
  cmake --preset asan >/dev/null
  cmake --build --preset asan --parallel "$jobs"
  run asan
}

# Rooms in which several threads meet.
threaded='^(base|certs|record|lookup|cluster|server|cli)\.'

tsan() {
  say "thread sanitizer"
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan --parallel "$jobs" --target base_test certs_test record_test lookup_test cluster_test server_test cli_test
  run tsan --tests-regex "$threaded"
}

dev() {
  say "everything, in the ordinary build"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --parallel "$jobs"
  run dev
}

case "${1:-all}" in
  all) # not joined by &&, in which a failure within a function would not end the script
    asan
    tsan
    dev
    ;;
  asan | tsan | dev) "$1" ;;
  *)
    echo "usage: scripts/test.sh [dev|asan|tsan]" >&2
    exit 2
    ;;
esac
