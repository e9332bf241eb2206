#!/bin/sh
# The tests of the front from outside with the idle times of a real API server and restarts with a real drain time: about
# an hour. Builds what it needs in build/release.
#
#   scripts/front-soak.sh [go test arguments, such as -run TestRestart]
#   ROUNDS=5 scripts/front-soak.sh -run TestCalls    idle to the edge five times instead of twenty
set -eu
cd "$(dirname "$0")/.."
cmake --preset release
cmake --build --preset release --target front_probe
probe=$PWD/build/release/tests/front/front_probe
cd tests/front/outside
exec go test -count=1 -v -timeout 3h "$@" . -args -soak -rounds "${ROUNDS:-20}" -probe "$probe"
