#!/bin/bash
# The second part of the benchmark, on a machine with an NVIDIA GPU: hand-written WGSL and ours in Dawn, then the
# same programs under real Triton with torch's own operations (cuBLAS and the like) beside, and one table.
# Needs `python3` with torch and triton, and either this checkout with its packages or the one file that
# `npm run bench -- --bundle` makes (BENCH=FILE; DAWN_NODE names Dawn's module).
#
#   bash bench/nvidia.sh [FOLDER for results]
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=${BENCH:-$here/../.cache/bench.mjs}
out=${1:-.}
mkdir -p "$out"
[ -f "$bench" ] || node "$here/run.ts" --bundle
export BENCH_SIZES=full
: >"$out/triton.txt"
# Some five minutes in all, at the most.
for program in vector_add softmax layer_norm rope cross_entropy decode attention matmul; do
  case $program in matmul) limit=85 ;; attention) limit=35 ;; *) limit=25 ;; esac
  (cd "$here/programs" && timeout $limit python3 $program.py) >>"$out/triton.txt" 2>"$out/$program.err" ||
    echo "$program failed: $(tail -n 1 "$out/$program.err")"
done
# Default toggles with f16 let through; then, for f16, without Dawn's bounds checks too.
timeout 150 node "$bench" --in dawn --toggles halves --rounds 8 --out "$out/ours.jsonl" --json \
  >/dev/null 2>"$out/ours.err" || echo "ours ended early: $(tail -n 1 "$out/ours.err")"
timeout 45 node "$bench" --in dawn --toggles trusted --only f16 --rounds 8 --out "$out/trusted.jsonl" --json \
  >/dev/null 2>"$out/trusted.err" || echo "trusted ended early: $(tail -n 1 "$out/trusted.err")"
touch "$out/ours.jsonl" "$out/trusted.jsonl"
node "$bench" --merge "$out/ours.jsonl" --merge "$out/trusted.jsonl" --merge "$out/triton.txt" | tee "$out/table.md"
