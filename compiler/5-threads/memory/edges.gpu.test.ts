/**
 * Accesses that run over the end of a tensor: every element in range is read, written and updated,
 * whatever lies in its vector or word, and nothing else is touched; the report counts the others
 * and names the first. Thousands of small launches of few kernels; what is expected follows from
 * the sizes alone.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import type { OpenedDevice } from '../../../app/cli/dawn';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { readReport } from '../../boundsReport';
import { floatBits } from '../../ir/numbers';
import { byteSize, type DType, isFloat, scalar } from '../../ir/types';
import { BASELINE_TARGET, type Target } from '../../target';
import { lowerSigned, type Signature } from '../testing/lowerSigned';
import { compileFunc, launchKernel, type LaunchArgument, type LaunchOptions } from '../testing/run';
import { byEnds, endsOf, stateEnds } from '../testing/storages';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const DTYPES: Readonly<Record<string, DType>> = {
  fp32: 'f32',
  fp16: 'f16',
  bf16: 'bf16',
  fp8e5: 'f8E5M2',
  fp8e4nv: 'f8E4M3FN',
  i1: 'i1',
  i8: 'i8',
  u16: 'i16',
  i32: 'i32',
  i64: 'i64',
  fp64: 'f64',
};

/** Elements that are never 0. */
function elements(dtype: DType, count: number, f: (i: number) => number): Uint8Array<ArrayBuffer> {
  const size = byteSize(scalar(dtype));
  const out = new Uint8Array(count * size);
  for (let i = 0; i < count; i++) {
    const value = dtype === 'i1' ? 1 : f(i);
    const bits = isFloat(dtype) ? floatBits(dtype, value) : BigInt(value);
    for (let k = 0; k < size; k++) out[i * size + k] = Number((bits >> BigInt(8 * k)) & 0xffn);
  }
  return out;
}
const input = (i: number): number => (i % 7) + 1;
const POISON = 2;
const OTHER = 1;

interface Way {
  readonly name: string;
  readonly target: (adapter: Target) => Target;
  readonly launch: LaunchOptions;
  /** Tiles of more registers are written as loops. */
  readonly named?: number;
}
const WAYS: readonly Way[] = [
  { name: 'the adapter', target: (adapter) => adapter, launch: {} },
  { name: 'a GPU', target: () => BASELINE_TARGET, launch: { numWarps: 1 } },
  { name: 'loops', target: (adapter) => adapter, launch: { numWarps: 1 }, named: 2 },
  { name: 'loops of a GPU', target: () => BASELINE_TARGET, launch: { numWarps: 1 }, named: 2 },
  {
    name: 'a program a thread',
    target: (adapter) => adapter,
    launch: { choices: { threads: 1, programs: 4 } },
  },
];

/**
 * Whether reports are those that are wanted; a load in a loop may say how many there are at least.
 */
function agree(got: readonly string[], wanted: readonly string[]): boolean {
  return (
    got.length === wanted.length &&
    got.every((text, i) => {
      const least = /^(\w+) at least (\d+) (.*)$/.exec(text);
      if (!least) return text === wanted[i];
      const [, kind, count, rest] = least;
      const most = Number(/ (\d+) /.exec(wanted[i]!)![1]);
      return Number(count) <= most && wanted[i] === `${kind} ${most} ${rest}`;
    })
  );
}

const HEAD = 'import triton\nimport triton.language as tl\n\n\n@triton.jit\n';

describe.skipIf(software.kind === 'missing')('past the end of a tensor', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });

  /** A kernel that is launched many times. */
  const compiled = (source: string, signature: Signature, way: Way) => {
    const kernelFor = byEnds((ends) => {
      const func = stateEnds(lowerSigned(parser, HEAD + source, signature), ends);
      if (way.named !== undefined) func.attributes['scalarizedRegisters'] = way.named;
      return { func, kernel: compileFunc(func, way.target(gpu.target), way.launch) };
    });
    return async (
      args: readonly LaunchArgument[],
      shifts: readonly number[] = [],
      grid: readonly [number, number, number] = [1, 1, 1],
    ) => {
      const launch = { ...way.launch, shifts };
      if (endsOf(args, shifts).includes(true)) wholes++;
      const { func, kernel } = kernelFor(args, shifts);
      const { buffers, report } = await launchKernel(gpu.device, func, kernel, args, grid, launch);
      const reports = readReport(report, kernel.boundsReport!.accesses).map(
        ({ access, count, counted, distance }) =>
          `${access.kind} ${counted ? '' : 'at least '}${count} from ${distance | 0}`,
      );
      return { buffers, reports };
    };
  };

  /** A tensor's memory: where it points into its storage, and the storage's bytes. */
  const stored = (dtype: DType, shift: number, bytes: Uint8Array): number[] => [
    ...new Array<number>(shift * byteSize(scalar(dtype))).fill(0x5a),
    ...bytes,
  ];

  interface Copy {
    readonly name: string;
    readonly load: string;
    readonly store: string;
    /** Elements of the output, and up to which the load's mask reaches. */
    readonly room: (n: number, block: number) => number;
    readonly end?: (n: number, block: number) => number;
  }
  const COPIES: readonly Copy[] = [
    { name: 'masks the store', load: '', store: ', mask=i < n', room: (n) => n },
    { name: 'masks neither', load: '', store: '', room: (n) => Math.max(1, n - 2) },
    {
      name: 'masks the load too far',
      load: ', mask=i < m, other=OTHER',
      store: '',
      room: (_, block) => block,
      end: (n, block) => Math.min(block, n + 5),
    },
    {
      name: 'masks whole vectors too far',
      load: ', mask=i < (m + 15) // 16 * 16, other=OTHER',
      store: ', mask=i < (m + 15) // 16 * 16',
      room: (n) => n + 3,
      end: (n, block) => Math.min(block, Math.ceil((n + 5) / 16) * 16),
    },
  ];
  const LENGTHS = [1, 2, 3, 5, 6, 7, 9, 13, 15, 30, 31, 33, 61, 126, 127];

  let [copies, wholes] = [0, 0];
  it.each(Object.keys(DTYPES))('copies of %s', async (name) => {
    const dtype = DTYPES[name]!;
    const small = name.startsWith('fp8');
    const failures: string[] = [];
    for (const [c, copy] of COPIES.entries())
      for (const [b, block] of [32, 128].entries()) {
        if (small && copy.load !== '') continue;
        const source = `def kernel(x_ptr, out_ptr, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i${copy.load.replace('OTHER', dtype === 'i1' ? 'True' : '1')})
    tl.store(out_ptr + i, x${copy.store})
`;
        for (const aligned of [true, false]) {
          const at = aligned ? ':16' : '';
          const way = WAYS[(c + 2 * b + (aligned ? 0 : 1)) % WAYS.length]!;
          const signature = {
            x_ptr: `*${name}${at}`,
            out_ptr: `*${name}${at}`,
            n: 'i32',
            m: 'i32',
          };
          const launch = compiled(source, { ...signature, B: block }, way);
          for (const n of LENGTHS) {
            if (n > block) continue;
            const shift = aligned ? (n % 2) * (16 / byteSize(scalar(dtype))) : n % 4;
            const end = copy.end?.(n, block) ?? block;
            const room = Math.min(block, copy.room(n, block));
            const x = elements(dtype, n, input);
            const before = elements(dtype, room, () => POISON);
            const shifts = [shift, 1, 0, 0].map((each) => each * byteSize(scalar(dtype)));
            if (aligned) shifts[1] = 16;
            const { buffers, reports } = await launch(
              [x, before, [n], [Math.min(n + 5, block)]],
              shifts,
            );
            copies++;
            const last = copy.store === '' ? block : copy.name === 'masks the store' ? n : end;
            const value = (i: number): number => (i < n ? input(i) : i < end ? 0 : OTHER);
            const expected = before.slice();
            for (let i = 0; i < Math.min(room, last); i++) {
              const zero = i >= n && i < end;
              const one = zero
                ? new Uint8Array(byteSize(scalar(dtype)))
                : elements(dtype, 1, () => value(i));
              expected.set(one, i * one.length);
            }
            const wanted = [
              ...(end > n ? [`load ${end - n} from ${n + shift}`] : []),
              ...(last > room
                ? [`store ${last - room} from ${room + shifts[1]! / byteSize(scalar(dtype))}`]
                : []),
            ];
            const where = `${copy.name}, ${way.name}, block ${block}, n ${n}, shift ${shift}`;
            const outShift = shifts[1]! / byteSize(scalar(dtype));
            if (stored(dtype, outShift, expected).join() !== [...buffers[1]!].join())
              failures.push(`${where}: other elements`);
            if (reports.join() !== wanted.join())
              failures.push(`${where}: reports ${reports.join()}, not ${wanted.join()}`);
          }
        }
      }
    expect(failures.slice(0, 20)).toEqual([]);
  });
  it('are more than two thousand', () => {
    expect(copies).toBeGreaterThan(2000);
    expect(wholes).toBeGreaterThan(200);
  });

  interface Shape {
    readonly name: string;
    /** The kernel's body for a tensor of `n` numbers, rows of `R` by `C`. */
    readonly body: string;
    /** Element `i` of the output, of 1024; 0 where it is none of the input's. */
    readonly element: (i: number, n: number) => number;
    readonly reports: (n: number) => string[];
  }
  const [R, C] = [16, 64];
  const at = (i: number, n: number): number => (i < n ? input(i) : 0);
  const whole = (n: number): string[] => [`load ${R * C - n} from ${n}`];
  const BLOCK = 'order=(1, 0))';
  const flat = 'tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]';
  const SHAPES: readonly Shape[] = [
    {
      name: 'a tile of two dimensions',
      body: `    i = ${flat}
    tl.store(out + i, tl.load(x + i))`,
      element: at,
      reports: whole,
    },
    {
      name: 'a transposed tile',
      body: `    i = tl.arange(0, C)[:, None] * R + tl.arange(0, R)[None, :]
    t = tl.load(x + tl.arange(0, C)[:, None] + tl.arange(0, R)[None, :] * C)
    tl.store(out + i, t)`,
      element: (i, n) => at(Math.floor(i / R) + (i % R) * C, n),
      reports: whole,
    },
    {
      name: 'a block pointer',
      body: `    p = tl.make_block_ptr(x, (R, C), (C, 1), (0, 0), (R, C), ${BLOCK}
    o = tl.make_block_ptr(out, (R, C), (C, 1), (0, 0), (R, C), ${BLOCK}
    tl.store(o, tl.load(p))`,
      element: at,
      reports: whole,
    },
    {
      name: 'a block pointer whose boundary is not the tensor',
      body: `    p = tl.make_block_ptr(x, (R, C - 3), (C, 1), (0, 0), (R, C), ${BLOCK}
    o = tl.make_block_ptr(out, (R, C), (C, 1), (0, 0), (R, C), ${BLOCK}
    tl.store(o, tl.load(p, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))`,
      element: (i, n) => (i % C < C - 3 ? at(i, n) : 0),
      reports: (n) => {
        const outside = Array.from({ length: R * C - n }, (_, k) => n + k).filter(
          (i) => i % C < C - 3,
        );
        return outside.length === 0 ? [] : [`load ${outside.length} from ${outside[0]}`];
      },
    },
    {
      name: 'a tensor descriptor',
      body: `    d = tl.make_tensor_descriptor(x, [R, C], [C, 1], [R, C])
    e = tl.make_tensor_descriptor(out, [R, C], [C, 1], [R, C])
    e.store([0, 0], d.load([0, 0]))`,
      element: at,
      reports: whole,
    },
    {
      name: 'loads in a loop',
      body: `    for r in range(0, R):
        i = r * C + tl.arange(0, C)
        tl.store(out + i, tl.load(x + i))`,
      element: at,
      reports: whole,
    },
    {
      name: 'a pointer that moves',
      body: `    p = x + tl.arange(0, C)
    for r in range(0, R):
        tl.store(out + r * C + tl.arange(0, C), tl.load(p))
        p += C`,
      element: at,
      reports: whole,
    },
    {
      name: 'a sum of rows',
      body: `    i = ${flat}
    s = tl.sum(tl.load(x + i), axis=1)
    tl.store(out + i, (i < 0).to(DTYPE) + s[:, None])`,
      element: (i, n) => {
        const row = Math.floor(i / C) * C;
        return Array.from({ length: C }, (_, k) => at(row + k, n)).reduce((a, b) => a + b);
      },
      reports: whole,
    },
    {
      name: 'a dot',
      body: `    i = tl.arange(0, R)
    eye = (i[:, None] == i[None, :]).to(DTYPE)
    b = tl.load(x + ${flat})
    tl.store(out + ${flat}, tl.dot(eye, b, out_dtype=OUT).to(DTYPE))`,
      element: at,
      reports: whole,
    },
    {
      name: 'a dot in a loop',
      body: `    i = tl.arange(0, R)
    acc = tl.zeros((R, C), dtype=OUT)
    for k in range(0, R, 16):
        a = (i[:, None] == (k + tl.arange(0, 16))[None, :]).to(DTYPE)
        b = tl.load(x + (k + tl.arange(0, 16))[:, None] * C + tl.arange(0, C)[None, :])
        acc += tl.dot(a, b, out_dtype=OUT)
    tl.store(out + ${flat}, acc.to(DTYPE))`,
      element: at,
      reports: whole,
    },
  ];
  const SIZES = [1, 3, 65, 130, 517, 1023];
  it.each(SHAPES)('$name', async ({ body, element, reports }) => {
    const failures: string[] = [];
    const names = body.includes('tl.dot') ? ['fp32', 'fp16'] : ['fp32', 'fp16', 'i8', 'i32'];
    for (const [d, name] of names.entries()) {
      const dtype = DTYPES[name]!;
      const out = isFloat(dtype) ? 'tl.float32' : 'tl.int32';
      const source = `def kernel(x, out, R: tl.constexpr, C: tl.constexpr):
${body.replaceAll('DTYPE', 'x.dtype.element_ty').replaceAll('OUT', out)}
`;
      const early: Way = {
        name: 'prefetched loads',
        target: () => ({
          ...BASELINE_TARGET,
          readsZeroOutside: gpu.target.readsZeroOutside ?? false,
        }),
        launch: { choices: { prefetchRegisters: 64, direct: false, prefetchUnstaged: true } },
      };
      for (const way of [WAYS[d % WAYS.length]!, WAYS[(d + 2) % WAYS.length]!, early]) {
        if (body.includes('tl.dot') && way.named !== undefined) continue;
        const signature = { x: `*${name}:16`, out: `*${name}:16`, R, C };
        const launch = compiled(source, signature, way);
        for (const n of SIZES) {
          const args = [elements(dtype, n, input), elements(dtype, R * C, () => POISON)];
          const { buffers, reports: got } = await launch(args);
          const bytes = Array.from({ length: R * C }, (_, i) => {
            const value = element(i, n);
            return value === 0
              ? [...new Uint8Array(byteSize(scalar(dtype)))]
              : [...elements(dtype, 1, () => value)];
          }).flat();
          const where = `${name}, ${way.name}, ${n} elements`;
          if (bytes.join() !== [...buffers[1]!].join()) failures.push(`${where}: other elements`);
          const wanted = reports(n);
          if (!agree(got, wanted))
            failures.push(`${where}: reports ${got.join()}, not ${wanted.join()}`);
        }
      }
    }
    expect(failures.slice(0, 20)).toEqual([]);
  });

  it.each(['i32', 'fp32', 'fp16', 'i64'])('atomic updates of %s', async (name) => {
    const dtype = DTYPES[name]!;
    const source = `def kernel(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    old = tl.atomic_add(x + i, (i * 0 + 1).to(x.dtype.element_ty))
    tl.store(out + i, old)
`;
    const failures: string[] = [];
    for (const way of WAYS.slice(0, 2)) {
      const launch = compiled(source, { x: `*${name}:16`, out: `*${name}:16`, B: 64 }, way);
      for (const n of [1, 2, 3, 7, 30, 31, 61]) {
        const args = [elements(dtype, n, input), elements(dtype, 64, () => POISON)];
        const { buffers, reports } = await launch(args);
        const after = elements(dtype, n, (i) => input(i) + 1);
        const size = byteSize(scalar(dtype));
        const old = new Uint8Array(64 * size);
        old.set(elements(dtype, n, input));
        const where = `${name}, ${way.name}, ${n} elements`;
        if (after.join() !== buffers[0]!.join()) failures.push(`${where}: other elements`);
        if (old.join() !== buffers[1]!.join()) failures.push(`${where}: other old values`);
        if (reports.join() !== `atomic ${64 - n} from ${n}`)
          failures.push(`${where}: ${reports.join()}`);
      }
    }
    expect(failures.slice(0, 20)).toEqual([]);
  });
});
