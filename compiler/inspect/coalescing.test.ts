import { CPU_FACTS } from '../machine';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import type { ArgumentText } from '../2-lower/testing/lowerText';
import { createCompiler, type Compiler } from '../pipeline';
import { gridOptions } from '../program';
import { BASELINE_TARGET, type Target } from '../target';
import { efficiency, isPoor } from './efficiency';
import { funcAfter } from './funcAfter';
import { coalescingOf, type CoalescingReport, type LaneView } from './globalAccesses';
import { launchFor, ramp, requestFor } from './testing/launches';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

const WIDE: Target = { ...BASELINE_TARGET, name: 'a GPU', subgroupSize: 32 };
const NARROW: Target = { ...BASELINE_TARGET, name: 'a phone', subgroupSize: 4 };
const SOFTWARE: Target = {
  ...NARROW,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  sharedMemoryInStorage: true,
  slicedLaunches: true,
};

interface Program {
  readonly text: string;
  readonly args: Readonly<Record<string, ArgumentText | number>>;
  /** For the tensors and scalars that are no constexprs. */
  readonly values: readonly (number | { readonly data: Float32Array | Int32Array })[];
}

function report(
  { text, args, values }: Program,
  target: Target,
  view: LaneView | null = null,
  grid: readonly [number, number, number] = [1, 1, 1],
): CoalescingReport {
  const plain = requestFor(parser, text, args, target);
  const options = { ...plain.options, ...gridOptions(grid, target) };
  const inputs = launchFor({ ...plain, options }, grid, values);
  const lowered = funcAfter(compiler, inputs.request, ({ phase }) => phase === 'lower');
  if (!lowered.ok) throw new Error(lowered.diagnostics[0]?.message);
  const found = coalescingOf(compiler, {
    inputs,
    program: [0, 0, 0],
    lowered: lowered.func,
    view,
  });
  if ('diagnostics' in found) throw new Error(found.diagnostics[0]?.message);
  expect(found.end).toEqual({ kind: 'complete' });
  return found;
}
/** Kind, operand, line, efficiency in percent, mark. */
const rows = ({ accesses }: CoalescingReport): unknown[] =>
  accesses.map((access) => [
    access.kind,
    access.operand,
    access.location.line,
    Math.round(efficiency(access) * 1e4) / 100,
    isPoor(access) ? '!' : '',
  ]);

/** Copies a column of a matrix of 300 columns; line 6 loads, line 7 stores. */
const column = (block = 1024): Program => ({
  text: `def column(x_ptr, y_ptr, BLOCK: tl.constexpr):
    x_ptrs = x_ptr + tl.arange(0, BLOCK) * 300
    tl.store(y_ptr + tl.arange(0, BLOCK), tl.load(x_ptrs))
`,
  args: { x_ptr: '*fp32:16', y_ptr: '*fp32:16', BLOCK: block },
  values: [{ data: ramp(300 * block) }, { data: new Float32Array(block) }],
});
/** Copies neighbouring elements of so many bits. */
const copy = (dtype: string, step = 1): Program => ({
  text: `def copy(x_ptr, y_ptr, STEP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at * STEP))
`,
  args: { x_ptr: `*${dtype}`, y_ptr: `*${dtype}`, STEP: step, BLOCK: 1024 },
  values: [{ data: ramp(1024 * step) }, { data: new Float32Array(1024) }],
});

describe('coalescing on a GPU with 32 lanes', () => {
  it('is whole for a contiguous load, and is the adapter’s own', () => {
    const found = report(copy('fp32:16'), WIDE);
    expect(found).toMatchObject({ view: 'own', lanes: 32 });
    expect(found.accesses[0]).toMatchObject({ vector: 4, bytes: 4096, segments: 32, least: 32 });
    expect(rows(found)).toEqual([
      ['load', 'x_ptr + at * STEP', 7, 100, ''],
      ['store', 'y_ptr + at', 7, 100, ''],
    ]);
  });
  it('falls with the stride of a column, which is marked and named', () => {
    const found = report(column(), WIDE);
    expect(rows(found)).toEqual([
      ['load', 'x_ptrs', 7, 3.13, '!'],
      ['store', 'y_ptr + tl.arange(0, BLOCK)', 7, 100, ''],
    ]);
    // Every element lies in a segment of its own.
    expect(found.accesses[0]).toMatchObject({
      segments: 1024,
      least: 32,
      tile: { segments: 1024, least: 32 },
      // The threads' registers hold four neighbours, for the store's sake.
      pattern: { kind: 'strided', stride: 300, apart: 1200 },
    });
  });
  it('is whole for one address that all lanes load', () => {
    const found = report(
      {
        text: `def fill(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    same = tl.load(x_ptr + at * 0)
    tl.store(y_ptr + at, same + tl.load(x_ptr))
`,
        args: { x_ptr: '*fp32:16', y_ptr: '*fp32:16', BLOCK: 1024 },
        values: [{ data: ramp(16) }, { data: new Float32Array(1024) }],
      },
      WIDE,
    );
    expect(rows(found)).toEqual([
      ['load', 'x_ptr + at * 0', 7, 100, ''],
      ['load', 'x_ptr', 8, 100, ''],
      ['store', 'y_ptr + at', 8, 100, ''],
    ]);
  });
  it.each(['i8', 'fp16', 'i8:16', 'fp16:16'])('is whole for contiguous elements of %s', (dtype) => {
    expect(rows(report(copy(dtype), WIDE))).toEqual([
      ['load', 'x_ptr + at * STEP', 7, 100, ''],
      ['store', 'y_ptr + at', 7, 100, ''],
    ]);
  });
  it.each(['i8', 'fp16'])('marks a stride of 64 elements of %s', (dtype) => {
    const found = report(copy(dtype, 64), WIDE);
    const [load, store] = found.accesses;
    expect([isPoor(load!), isPoor(store!)]).toEqual([true, false]);
    expect(load!.pattern).toMatchObject({ kind: 'strided', stride: 64 });
  });
});

describe('a load whose layout is chosen for a dot', () => {
  it('is distinct from one whose addresses are poor', () => {
    const [load] = report(
      {
        text: `def product(x_ptr, y_ptr, K: tl.constexpr):
    i = tl.arange(0, 64)
    k = tl.arange(0, K)
    a = tl.load(x_ptr + i[:, None] * K + k[None, :])
    b = tl.load(x_ptr + k[:, None] * 64 + i[None, :])
    tl.store(y_ptr + i[:, None] * 64 + i[None, :], tl.dot(a, b))
`,
        args: { x_ptr: '*fp32:16', y_ptr: '*fp32:16', K: 128 },
        values: [{ data: ramp(64 * 128) }, { data: new Float32Array(64 * 64) }],
      },
      WIDE,
    ).accesses;
    // A slice of K at a time: eight elements of each row.
    expect(load!.pattern).toEqual({ kind: 'rows', run: 8, pitch: 128 });
    expect([isPoor(load!), isPoor(load!.tile)]).toEqual([true, false]);
  });
});

describe('coalescing on an adapter with few lanes', () => {
  it('is shown as on a GPU with 32, by default', () => {
    const found = report(column(), NARROW);
    expect(found).toMatchObject({
      view: 'reference',
      lanes: 32,
      own: { adapter: 'a phone', lanes: 4, programs: 1 },
    });
    expect(rows(found)).toEqual(rows(report(column(), WIDE)));
  });
  it('is whole for a contiguous store with its own four lanes, and marked for a column', () => {
    const found = report(column(), NARROW, 'own');
    expect(found).toMatchObject({ view: 'own', lanes: 4 });
    expect(rows(found)).toEqual([
      ['load', 'x_ptrs', 7, 25, '!'],
      ['store', 'y_ptr + tl.arange(0, BLOCK)', 7, 100, ''],
    ]);
  });
  it('is that of a GPU where the adapter reports no size', () => {
    const found = report(column(), BASELINE_TARGET);
    expect(found).toMatchObject({ view: 'reference', own: { lanes: null } });
    expect(rows(found)).toEqual(rows(report(column(), WIDE)));
  });
});

describe('coalescing where a program is one thread', () => {
  /** Each program scales a row of 512; enough of them that SwiftShader runs each in a thread. */
  const rowPrograms: Program = {
    text: `def scale(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(0) + tl.arange(0, BLOCK) * 300
    tl.store(y_ptr + at, tl.load(x_ptr + column))
`,
    args: { x_ptr: '*fp32:16', y_ptr: '*fp32:16', BLOCK: 512 },
    values: [{ data: ramp(300 * 512) }, { data: new Float32Array(300 * 512) }],
  };
  it('is shown as on a GPU with 32 lanes', () => {
    const found = report(rowPrograms, SOFTWARE, null, [300, 1, 1]);
    expect(found).toMatchObject({
      view: 'reference',
      lanes: 32,
      own: { adapter: 'SwiftShader', lanes: 4, programs: 4 },
    });
    expect(rows(found)).toEqual([
      ['load', 'x_ptr + column', 8, 3.13, '!'],
      ['store', 'y_ptr + at', 8, 100, ''],
    ]);
  });
  it('has neighbouring programs for lanes, where the adapter’s own are chosen', () => {
    const found = report(rowPrograms, SOFTWARE, 'own', [300, 1, 1]);
    expect(found).toMatchObject({ view: 'own', lanes: 4, own: { programs: 4 } });
    // In step, four programs load neighbouring columns and store to rows 512 elements apart.
    expect(rows(found)).toEqual([
      ['load', 'x_ptr + column', 8, 100, ''],
      ['store', 'y_ptr + at', 8, 25, '!'],
    ]);
    expect(found.accesses[1]!.pattern).toEqual({ kind: 'strided', stride: 512, apart: 512 });
  });
});
