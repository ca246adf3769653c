/**
 * Decode attention over pages, for tests: its text, its memory, and what the interpreter makes of
 * it.
 */
import type { Parser } from '../../1-parse/parser';
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { runInterpreter } from '../../interpret/index';
import type { Func } from '../../ir/ir';
import { seededRandom } from '../../ir/seededRandom';
import { lowerSigned } from './lowerSigned';

const SOURCE = `import triton
import triton.language as tl
@triton.jit
def kernel(q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, out_ptr, HEADS: tl.constexpr, DIM: tl.constexpr, BN: tl.constexpr):
    sequence = tl.program_id(0)
    head = tl.program_id(1)
    rows = tl.arange(0, 16)
    dims = tl.arange(0, DIM)
    q = tl.load(q_ptr + (sequence * HEADS + head) * 4 * DIM + (rows % 4)[:, None] * DIM + dims[None, :])
    length = tl.load(lengths_ptr + sequence)
    highest = tl.full((16,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((16,), dtype=tl.float32)
    acc = tl.zeros((16, DIM), dtype=tl.float32)
    for start in range(0, length, BN):
        keys = start + tl.arange(0, BN)
        inside = keys < length
        page = tl.load(table_ptr + sequence * 8 + keys // 16, mask=inside, other=0)
        at = ((page * 16 + keys % 16) * HEADS + head) * DIM
        k = tl.load(k_ptr + at[None, :] + dims[:, None], mask=inside[None, :], other=0.0)
        scores = tl.where(inside[None, :], tl.dot(q, k) * 0.2, -1.0e30)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        rescale = tl.exp2(highest - new)
        total = total * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptr + at[:, None] + dims[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        highest = new
    out = (sequence * HEADS + head) * 16 * DIM + rows[:, None] * DIM + dims[None, :]
    tl.store(out_ptr + out, acc / total[:, None])
`;
export const [SEQUENCES, HEADS, DIM] = [4, 2, 64];
const LENGTHS = [128, 77, 64, 1];
const PAGES = SEQUENCES * 8;

/** Halves of quarters between −2 and 2. */
function halves(count: number, seed: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(seed);
  const values = Float16Array.from({ length: count }, () => Math.floor(17 * random()) / 4 - 2);
  return new Uint8Array(values.buffer);
}
export function memory(): { address: number; bytes: Uint8Array<ArrayBuffer> }[] {
  const random = seededRandom(3);
  const table = Int32Array.from({ length: PAGES }, (_, i) => i).sort(() => random() - 0.5);
  return [
    halves(SEQUENCES * HEADS * 4 * DIM, 1),
    halves(PAGES * 16 * HEADS * DIM, 2),
    halves(PAGES * 16 * HEADS * DIM, 4),
    new Uint8Array(table.buffer),
    new Uint8Array(Int32Array.from(LENGTHS).buffer),
    new Uint8Array(new Float32Array(SEQUENCES * HEADS * 16 * DIM).fill(NaN).buffer),
  ].map((bytes, i) => ({ address: 2 ** 22 * (i + 1), bytes }));
}
export function run(func: Func): Float32Array {
  const now = memory();
  const args = now.map(({ address }) => address);
  runInterpreter({ func, args, memory: now, grid: [SEQUENCES, HEADS, 1] });
  return new Float32Array(now.at(-1)!.bytes.buffer);
}

/** Its IR before distribution, for keys by `BN`. */
export function pagedKernel(parser: Parser, BN: number): Func {
  const types = { q_ptr: '*fp16:16', k_ptr: '*fp16:16', v_ptr: '*fp16:16' };
  const tables = { table_ptr: '*i32:16', lengths_ptr: '*i32:16', out_ptr: '*fp32:16' };
  const func = lowerSigned(parser, SOURCE, { ...types, ...tables, HEADS, DIM, BN });
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  return func;
}
