#!/bin/bash
# The second part of the benchmark, on a machine with an NVIDIA GPU: the programs under real Triton
# with torch's own operations (cuBLAS and the like) beside; the same programs' kernels by us,
# hand-written WGSL and the libraries that run on WebGPU, in Dawn; and one table. Needs `python3`
# with torch and triton, and either this checkout with its packages or the two files that `npm run
# bench -- --bundle` makes, in one folder (BENCH=FILE; DAWN_NODE names Dawn's module).
#
#   [ONLY=WORK,…] bash bench/nvidia.sh [FOLDER for results] [part …]
#
# Parts: triton, ours (with WGSL), trusted (f16 without Dawn's bounds checks), libraries, facts,
# table; all where none is named. Libraries have a process each, apart from ours, so that no memory
# of theirs lies beside what is measured. ONLY: the works whose names have one of these in them, on
# all sides; all of them take some twelve minutes, five of them for the libraries. On a machine that
# is lent for less, some parts or works each time, and the table of all behind them:
#
#   bash bench/nvidia.sh OUT/1 triton ours trusted
#   ONLY='f32' bash bench/nvidia.sh OUT/2 libraries
#   bash bench/nvidia.sh OUT table      # of what lies in OUT and in its folders
#
# Each part keeps what it found in the folder, so they can be run one by one; results.tgz there has
# all of it.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=${BENCH:-$here/../.cache/bench.mjs}
out=$(realpath -m "${1:-.}")
shift
parts=" ${*:-triton ours trusted libraries facts table} "
export BENCH_SIZES=full

# How the works' names begin, and the program that measures them under real Triton, if one does.
all='vector add=vector_add
softmax=softmax
layer norm=layer_norm
RoPE=rope
cross entropy=cross_entropy
f16 paged decode=decode
f32 paged decode=
f32 attention 128=attention
f16 attention 128=attention
f16 grouped attention=
f32 attention backward=attention_backward
f16 attention backward=attention_backward
f32 matmul=matmul
f16 matmul=matmul
i8 matmul=matmul'

libraries=(tfjs onnxruntime-web jax-js)

works=()
IFS=, read -ra asked <<<"${ONLY:-}"
for part in "${asked[@]}"; do
  cut -d= -f1 <<<"$all" | grep -qF -- "$part" && continue
  printf 'ONLY: no work is called %s. There are:\n' "$part"
  cut -d= -f1 <<<"$all"
  exit 2
done
while read -r work; do
  for part in "${asked[@]:-}"; do
    [[ ${work%=*} = *"$part"* ]] && works+=("$work") && break
  done
done <<<"$all"

mkdir -p "$out"
[ -f "$bench" ] || node "$here/run.ts" --bundle

# Runs a work's program, at most so many seconds; its lines go to the file.
python() {
  local name=${1%=*} program=${1#*=}
  local errors=$out/${name// /_}.err
  [ -n "$program" ] || return 0
  (cd "$here/programs" && BENCH_ONLY=$name timeout "$2" python3 "$program.py") >>"$3" 2>"$errors" ||
    echo "$name failed: $(tail -n 1 "$errors")"
}

# Measures ours: of the works that are requested, those whose names fit the pattern.
node_part() {
  local file=$1 limit=$2 pattern=$3 only
  shift 3
  only=$(printf '%s\n' "${works[@]%=*}" | grep -E "$pattern" | paste -sd,)
  [ -n "$only" ] || return 0
  timeout "$limit" node "$bench" --in dawn --rounds 8 --only "$only" --out "$out/$file.jsonl" --json "$@" \
    >/dev/null 2>"$out/$file.err" || echo "$file ended early: $(tail -n 1 "$out/$file.err")"
}

# All results in one file, those that are there (a glob of one letter is left out where nothing
# fits). After each part, since a lent machine may be gone before the next one's end.
pack() {
  echo "$1 done after $SECONDS s"
  (cd "$out" && shopt -s nullglob &&
    tar -czf results.tgz *.jsonl {triton,facts}.tx[t] table.m[d] *.err)
}

if [[ $parts = *' triton '* ]]; then
  # Compilations take the most time: all programs at once, so that they are cached when it counts.
  for each in "${works[@]}"; do BENCH_COMPILE=1 python "$each" 120 /dev/null & done
  wait
  echo "compiled after $SECONDS s"
  : >"$out/triton.txt"
  for each in "${works[@]}"; do python "$each" 60 "$out/triton.txt"; done
  pack triton
fi
# Default toggles with f16 let through; then, for f16, without Dawn's bounds checks too.
if [[ $parts = *' ours '* ]]; then
  node_part ours 300 . --toggles halves --peers ''
  pack ours
fi
if [[ $parts = *' trusted '* ]]; then
  node_part trusted 150 ^f16 --toggles trusted --peers ''
  # Nor with ours, as other people's kernels are.
  node_part unchecked 100 '^f16 (matmul|attention)' --toggles trusted --unchecked --peers ''
  pack trusted
fi
if [[ $parts = *' libraries '* ]]; then
  for library in "${libraries[@]}"; do
    node_part "$library" 200 . --toggles halves --without-wgsl --peers "$library"
  done
  pack libraries
fi
if [[ $parts = *' facts '* ]]; then
  timeout 60 node "$bench" --facts >"$out/facts.txt" 2>&1 || echo "facts ended early"
  grep µs "$out/facts.txt"
  pack facts
fi
if [[ $parts = *' table '* ]]; then
  merges=()
  # Ours first: the libraries' rows state ours by the wall clock, too.
  for name in {ours,trusted,unchecked}.jsonl "${libraries[@]/%/.jsonl}" triton.txt; do
    for each in "$out"/{,*/}"$name"; do
      [ -f "$each" ] && merges+=(--merge "$each")
    done
  done
  [ ${#merges[@]} -gt 0 ] || { echo "table: nothing was measured yet"; exit 2; }
  node "$bench" "${merges[@]}" | tee "$out/table.md"
  pack table
fi
