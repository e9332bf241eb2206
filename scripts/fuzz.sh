#!/usr/bin/env bash
# Runs the fuzz targets with libFuzzer, one after the other, with the address and undefined-behaviour sanitizers.
#
#   scripts/fuzz.sh                      each target for a minute
#   scripts/fuzz.sh 600                  each for ten minutes
#   scripts/fuzz.sh 600 quantity_order   only the targets named
#
# What is found lies in build/fuzz/finds with libFuzzer's words beside it, and the script ends with 1. A find that is
# mended goes to tests/fuzz/corpus/<target>, where every build replays it. What was learnt of a target's inputs is kept
# in build/fuzz/learnt and used by the next run.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: scripts/fuzz.sh [SECONDS] [TARGET…]" >&2; exit 2; }
shift $(($# > 0 ? 1 : 0))

scripts/deps.sh fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --parallel "$(nproc)" --target "${@:-fuzz_targets}"

programs=build/fuzz/tests/fuzz
finds=build/fuzz/finds
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cd $programs && ls ./*.seeds | sed 's|^\./||; s|\.seeds$||')
mkdir -p $finds
broken=()

fuzz() { # TARGET
  local learnt=build/fuzz/learnt/$1 log=$finds/$1.log seeds
  mapfile -t seeds <$programs/"$1".seeds
  mkdir -p "$learnt"
  # A pod is some kB; what needs ten seconds or two GiB for an input of such a size is a find.
  $programs/"$1" "$learnt" "${seeds[@]}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$finds/$1-" -print_final_stats=1 >"$log" 2>&1
}

for target in "${targets[@]}"; do
  printf '%-32s ' "$target"
  if fuzz "$target"; then
    awk '/^#[0-9]+.* cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") reached = $(i + 1) }
         /^stat::number_of_executed_units/ { inputs = $2 }
         END { printf "%10d inputs, %6d places reached\n", inputs, reached }' "$finds/$target.log"
    rm "$finds/$target.log"
  else
    broken+=("$target")
    printf 'BROKEN: %s\n' "$(grep -m1 -E '^broken: |ERROR: |runtime error: ' "$finds/$target.log" || tail -n 1 "$finds/$target.log")"
  fi
done

[ ${#broken[@]} -eq 0 ] && { echo "nothing found in ${#targets[@]} targets"; exit 0; }
echo "found in ${#broken[@]} of ${#targets[@]} targets: ${broken[*]}; see $finds"
exit 1
