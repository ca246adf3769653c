/** The recorded schedule is what the kernel has, and its reasons follow the target's facts. */
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from './1-parse/testing/testParser';
import type { Parser } from './1-parse/parser';
import { outline } from './1-parse/outline';
import { createCompiler } from './pipeline';
import { DEFAULT_OPTIONS, type ArgumentSpec, type CompileOptions } from './program';
import type { ScheduleDecision, ScheduleField } from './schedule';
import { type Target } from './target';
import { galleryKernels, KINDS } from './testing/gallery';
import { MATRIX_TARGET } from './testing/targets';
import { settle } from './regroup';

const MATMUL = `import triton
import triton.language as tl

@triton.jit
def mm(a, b, c, N, K, BM: tl.constexpr = 64, BN: tl.constexpr = 64, BK: tl.constexpr = 32):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
        acc += tl.dot(x, y)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)
`;

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

interface Made {
  readonly schedule: readonly ScheduleDecision[];
  readonly threads: number;
  readonly ir: (pass: string) => string;
  readonly of: (field: ScheduleField) => ScheduleDecision;
}

function compiled(
  dtype: string,
  target: Target,
  options: Partial<CompileOptions> = {},
  text = MATMUL,
): Made {
  const [{ program, guess } = { program: null, guess: null }] = outline({ 'mm.py': text }, parser);
  if (!program || !guess) throw new Error('no kernel');
  const specs = guess.arguments.map((spec, i): ArgumentSpec =>
    spec.kind === 'pointer' && i < 2 ? { ...spec, dtype } : spec,
  );
  const result = createCompiler(parser).compile({
    ...{ program, specialization: { ...guess, arguments: specs }, target },
    options: { ...DEFAULT_OPTIONS, keepIr: true, ...options },
  });
  if (result.kind !== 'compiled') throw new Error(JSON.stringify(result));
  const { schedule, kernel, log } = result;
  return {
    schedule,
    threads: kernel.workgroupSize,
    ir: (pass) => log.findLast(({ name }) => name === pass)!.ir,
    of: (field) => {
      const found = schedule.filter((each) => each.field === field);
      expect([field, found.length]).toEqual([field, 1]);
      return found[0]!;
    },
  };
}

describe('a matmul', () => {
  it('on matrices has the tile, grid, slice and stages that its IR has', () => {
    const made = compiled('float16', MATRIX_TARGET);
    expect(made.of('dot path')).toMatchObject({ chosen: 'matrices', location: { line: 13 } });
    expect(made.of('dot path').next).toMatch(/^fma/);
    const size = Number(MATRIX_TARGET.subgroupSize);
    expect(made.of('threads').chosen).toBe(
      `${made.threads} (${made.threads / size} × ${size} lanes)`,
    );
    const [down, across] = made.of('warp grid').chosen.split(/[× ]/).map(Number);
    expect(down! * across! * size).toBe(made.threads);
    const [rows, columns] = made.of('accumulator tile').chosen.split(/[× ]/).map(Number);
    expect([down! * rows!, across! * columns!]).toEqual([64, 64]);
    const ir = made.ir('stage_operands');
    expect(made.of('K slice').chosen).toBe('32: all of K');
    expect(ir).toContain('!ttg.memdesc<64x32xf16');
    expect(made.of('stages').chosen).toBe('3');
    expect(made.ir('overlap_stores_with_mma')).not.toBe(ir);
  });

  it('on multiply-adds has the registers and the unrolling that its IR has', () => {
    const made = compiled('float32', { ...MATRIX_TARGET, readsZeroOutside: false });
    expect(made.of('dot path').chosen).toBe('fma');
    expect(made.of('dot path').why).toMatch(/not matrices, as .*float32|f32 × f32/);
    const [rows, columns] = made.of('accumulator tile').chosen.split(/[× ]/).map(Number);
    expect(rows! * columns! * made.threads).toBe(64 * 64);
    expect(made.of('K slice').chosen).toBe('8 of 32');
    expect(made.ir('stage_operands')).toContain('!ttg.memdesc<64x8xf32');
    expect(made.of('unroll').chosen).toBe('8 steps of K');
    expect(made.ir('stage_operands')).toContain('unroll = 8');
    expect(made.of('stages').chosen).toMatch(/^1/);
    expect(made.of('stages').why).toContain('readsZeroOutside');
  });

  it('prefetches where the fact that forbade it changes, and says so', () => {
    const made = compiled('float32', { ...MATRIX_TARGET, readsZeroOutside: true });
    expect(made.of('stages').chosen).toBe('2');
    expect(made.of('stages').why).toContain('readsZeroOutside');
    expect(made.ir('pipeline_loads')).toContain('prefetched');
  });

  it('follows num_stages of its loop, and its reasons do', () => {
    const staged = (stages: number): Made =>
      compiled(
        'float32',
        { ...MATRIX_TARGET, readsZeroOutside: false },
        {},
        MATMUL.replace('range(0, K, BK)', `tl.range(0, K, BK, num_stages=${stages})`),
      );
    expect(staged(2).of('stages')).toMatchObject({ chosen: '2' });
    expect(staged(2).of('stages').why).toContain('num_stages=2');
    expect(staged(1).of('stages').why).toBe('num_stages is 1');
  });

  it('names a tuning where that decided, with the default beside it', () => {
    const tuned = compiled(
      'float32',
      { ...MATRIX_TARGET, readsZeroOutside: false },
      { choices: { kSlice: 16, threads: 128 } },
    );
    expect(tuned.of('threads')).toMatchObject({ why: 'a tuning set it', next: '64, the default' });
    expect(tuned.threads).toBe(128);
    expect(tuned.of('K slice')).toMatchObject({ chosen: '16 of 32' });
    expect(tuned.of('K slice').why).toMatch(/^a tuning set it/);
  });

  it('gives up matrices whose result has no room, and the record has the path that is compiled', () => {
    const small = compiled('float16', { ...MATRIX_TARGET, maxWorkgroupBytes: 1024 });
    const path = small.of('dot path');
    expect(path).toMatchObject({ chosen: 'fma', next: null });
    expect(path.why).toMatch(/^with matrices it takes \d+ bytes of shared memory, not 960$/);
    expect(small.ir('stage_operands')).not.toContain('fragments');
  });
});

it.each(KINDS)('every kernel of the gallery has all of its decisions on $name', (target) => {
  const compiler = createCompiler(parser);
  for (const { file, name, request } of galleryKernels(parser, target)) {
    let dots = 0;
    const { result } = settle(
      (each) =>
        compiler.compile(each, {}, (record, func) => {
          if (record.name !== 'choose_threads') return;
          dots = 0;
          const count = (ops: typeof func.body.ops): void => {
            for (const op of ops) {
              if (op.name === 'tt.dot') dots++;
              for (const region of op.regions) count(region.ops);
            }
          };
          count(func.body.ops);
        }),
      request,
    );
    const at = `${file} ${name}`;
    if (result.kind !== 'compiled') throw new Error(`${at}: ${result.kind}`);
    const { schedule, kernel } = result;
    const fields = schedule.map(({ field }) => field);
    const count = (field: ScheduleField): number => fields.filter((each) => each === field).length;
    expect([at, count('threads'), count('epilogue')]).toEqual([at, 1, dots > 0 ? 1 : 0]);
    for (const field of ['dot path', 'accumulator tile', 'warp grid'] as const)
      expect([at, field, count(field)]).toEqual([at, field, dots]);
    for (const { chosen, why, next } of schedule)
      for (const text of [chosen, why, next ?? '-']) {
        expect([at, text]).toEqual([at, expect.stringMatching(/^\S/)]);
        expect([at, text]).toEqual([
          at,
          expect.not.stringMatching(/undefined|NaN|Infinity|\.\d{4}/),
        ]);
      }
    const threads = schedule.find(({ field }) => field === 'threads')!;
    expect([at, Number.parseInt(threads.chosen, 10)]).toEqual([at, kernel.workgroupSize]);
  }
});
