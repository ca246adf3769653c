/**
 * Default choices fit into whatever workgroup memory there is. `compileFunc` throws where they do
 * not; the pipeline would go on in storage, without subgroup matrices, and nothing would report why
 * it is slow.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import type { Target } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { lowerSigned } from './testing/lowerSigned';
import { compileFunc } from './testing/run';

const HEAD = `import triton
import triton.language as tl
@triton.jit
def kernel(q_ptr, k_ptr, v_ptr, g_ptr, out_ptr, sum_ptr, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.arange(0, BM)
    columns = tl.arange(0, BN)
    d = tl.arange(0, D)
    own = rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + own)
    acc = tl.zeros((BM, D), tl.float32)
`;
/** Attention; with `each`, what becomes of the probabilities besides. */
const attention = (each = ''): string => `${HEAD}
    most = tl.full((BM,), -1.0e6, tl.float32)
    total = tl.zeros((BM,), tl.float32)
    extra = tl.zeros((BN,), tl.float32)
    for start in range(0, n, BN):
        at = (start + columns)[:, None] * D + d[None, :]
        s = tl.dot(q, tl.trans(tl.load(k_ptr + at)))
        higher = tl.maximum(most, tl.max(s, axis=1))
        p = tl.exp2(s - higher[:, None])
        rescale = tl.exp2(most - higher)
        total = total * rescale + tl.sum(p, axis=1)
        ${each}
        acc = tl.dot(p.to(tl.float16), tl.load(v_ptr + at), acc * rescale[:, None])
        most = higher
    tl.store(out_ptr + own, acc / total[:, None])
    tl.store(sum_ptr + columns, extra)
`;
const GRADIENTS = `${HEAD}
    v = tl.load(v_ptr + own)
    other = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        at = (start + columns)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at)
        p = tl.exp2(tl.dot(q, tl.trans(k)))
        g = tl.load(g_ptr + at)
        other = tl.dot(p.to(tl.float16), g, other)
        p = p * tl.dot(v, tl.trans(g))
        acc = tl.dot(p.to(tl.float16), k, acc)
    tl.store(out_ptr + own, acc)
    tl.store(sum_ptr + own, other)
`;
const MATMUL = `${HEAD.replace('(BM, D)', '(BM, BN)')}
    for k in range(0, n, D):
        right = (k + d)[:, None] * BN + columns[None, :]
        acc = tl.dot(tl.load(q_ptr + rows[:, None] * n + k + d[None, :]), tl.load(k_ptr + right), acc)
    tl.store(out_ptr + rows[:, None] * BN + columns[None, :], acc.to(tl.float16))
`;
const KERNELS = {
  matmul: MATMUL,
  attention: attention(),
  // Through scratch, for which matrices must leave memory.
  'attention and sums over rows': attention('extra += tl.sum(p, axis=0)'),
  'attention and sorted rows': attention('extra += tl.sum(tl.sort(p, dim=1), axis=0)'),
  gradients: GRADIENTS,
};
const TYPES = { q_ptr: '*fp16:16', k_ptr: '*fp16:16', v_ptr: '*fp16:16', g_ptr: '*fp16:16' };
const SIZES = [16, 32, 64, 128];

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** Bytes of workgroup memory that the text declares. */
function declared(wgsl: string): number {
  const all = [...wgsl.matchAll(/^var<workgroup> \w+: (.*);$/gm)].map(([, type]) => type!);
  return all.reduce((sum, type) => {
    const counts = [...type.matchAll(/, (\d+)>/g)].map(([, count]) => Number(count));
    const entry = type.includes('vec4') ? 16 : 4;
    return sum + counts.reduce((product, count) => product * count, entry);
  }, 0);
}

it.each(
  [16_384, 32_768, 49_152].flatMap((bytes) =>
    Object.keys(KERNELS).map((name) => [name, bytes] as const),
  ),
)('%s in %i bytes', (name, maxWorkgroupBytes) => {
  const target: Target = { ...MATRIX_TARGET, maxWorkgroupBytes };
  for (const D of SIZES)
    for (const BM of SIZES)
      for (const BN of SIZES) {
        const source = KERNELS[name as keyof typeof KERNELS];
        const results = {
          out_ptr: name === 'matmul' ? '*fp16:16' : '*fp32:16',
          sum_ptr: '*fp32:16',
        };
        const func = lowerSigned(parser, source, { ...TYPES, ...results, n: 'i32', BM, BN, D });
        for (const pass of OPTIMIZE_PASSES) pass.run(func);
        const what = `heads of ${D}, ${BM}×${BN}`;
        const { wgsl } = wrapped(what, () => compileFunc(func, target));
        expect(declared(wgsl), what).toBeLessThanOrEqual(maxWorkgroupBytes);
      }
});

function wrapped<T>(what: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw new Error(`${what}: ${String(error)}`, { cause: error });
  }
}
