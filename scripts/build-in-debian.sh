#!/usr/bin/env bash
# Builds and tests driftbar in a fresh Debian of another release, in a chroot below build/: shows what the README
# says of it. Wants root and the package debootstrap; takes half an hour on two cores. What is committed is built.
#
#   scripts/build-in-debian.sh trixie            Debian 13: builds the program and runs the unit tests
#   scripts/build-in-debian.sh trixie bash       a shell in there
set -euo pipefail
cd "$(dirname "$0")/.."

release=${1:?usage: scripts/build-in-debian.sh RELEASE [COMMAND…]}
shift
root=$PWD/build/debian-$release
inside='scripts/deps.sh build && cmake --preset dev -DDRIFTBAR_CONTROLPLANE=OFF -DDRIFTBAR_ORACLE=OFF &&
  cmake --build --preset dev && ctest --preset dev && build/dev/driftbar demo'

command -v debootstrap >/dev/null || { echo "install debootstrap first" >&2; exit 2; }
if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase "$release" "$root"
  cp /etc/resolv.conf "$root/etc/"
  # The way to the packages is this machine's.
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
fi
rm -rf "$root/driftbar"
mkdir -p "$root/driftbar"
git archive HEAD | tar -x -C "$root/driftbar"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
if [ $# -eq 0 ]; then set -- bash -c "$inside"; fi
chroot "$root" env -C /driftbar -u TMPDIR HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
