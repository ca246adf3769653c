#!/bin/bash
# The second part of the benchmark, on a machine with an NVIDIA GPU: the programs under real Triton with torch's own
# operations (cuBLAS and the like) beside; the same programs' kernels by us, hand-written WGSL and the libraries that
# run on WebGPU, in Dawn; and one table.
# Needs `python3` with torch and triton, and either this checkout with its packages or the two files that
# `npm run bench -- --bundle` makes, in one folder (BENCH=FILE; DAWN_NODE names Dawn's module).
#
#   bash bench/nvidia.sh [FOLDER for results] [part …]
#
# Parts: triton, ours (with WGSL and the libraries), trusted (f16 without Dawn's bounds checks), facts, table; all where none is named.
# Each keeps what it found in the folder, so they can be run one by one. Some five minutes in all.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=${BENCH:-$here/../.cache/bench.mjs}
out=$(realpath -m "${1:-.}")
shift
parts=" ${*:-triton ours trusted facts table} "
mkdir -p "$out"
[ -f "$bench" ] || node "$here/run.ts" --bundle
export BENCH_SIZES=full

# A program and what is measured of it (all where nothing is said), as `program` or `program:part of the names`.
programs='vector_add softmax layer_norm rope cross_entropy decode attention:f32 attention:f16
  attention_backward:f32 attention_backward:f16 matmul:f32 matmul:f16 matmul:i8'

# Runs one, at most so many seconds; its lines go to the file.
python() {
  local program=${1%%:*} only=${1#*:}
  [ "$only" = "$1" ] && only=
  (cd "$here/programs" && BENCH_ONLY=$only timeout "$2" python3 "$program.py") >>"$3" 2>"$out/${1/:/_}.err" ||
    echo "$1 failed: $(tail -n 1 "$out/${1/:/_}.err")"
}

node_part() {
  local file=$1 limit=$2
  shift 2
  timeout "$limit" node "$bench" --in dawn --rounds 8 --out "$out/$file.jsonl" --json "$@" \
    >/dev/null 2>"$out/$file.err" || echo "$file ended early: $(tail -n 1 "$out/$file.err")"
}

if [[ $parts = *' triton '* ]]; then
  # Compilations take the most time: all programs at once, so that they are cached when it counts.
  for each in $programs; do BENCH_COMPILE=1 python "$each" 120 /dev/null & done
  wait
  echo "compiled after $SECONDS s"
  : >"$out/triton.txt"
  for each in $programs; do python "$each" 60 "$out/triton.txt"; done
  echo "triton done after $SECONDS s"
fi
# Default toggles with f16 let through; then, for f16, without Dawn's bounds checks too.
if [[ $parts = *' ours '* ]]; then
  node_part ours 240 --toggles halves
  echo "ours done after $SECONDS s"
fi
if [[ $parts = *' trusted '* ]]; then
  node_part trusted 60 --toggles trusted --only f16 --peers ''
  # Nor with ours, as other people's kernels are.
  node_part unchecked 40 --toggles trusted --unchecked --only 'f16 matmul,f16 attention' --peers ''
fi
if [[ $parts = *' facts '* ]]; then
  timeout 60 node "$bench" --facts >"$out/facts.txt" 2>&1 || echo "facts ended early"
  grep µs "$out/facts.txt"
fi
if [[ $parts = *' table '* ]]; then
  touch "$out/ours.jsonl" "$out/trusted.jsonl" "$out/unchecked.jsonl" "$out/triton.txt"
  node "$bench" --merge "$out/ours.jsonl" --merge "$out/trusted.jsonl" --merge "$out/unchecked.jsonl" \
    --merge "$out/triton.txt" | tee "$out/table.md"
fi
