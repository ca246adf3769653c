/**
 * Proofs for every n, tried to be refuted: random kernels that divide, with whatever relations
 * their proofs take, run on the interpreter at random numbers that keep these relations, with
 * tensors of exactly the elements that they state. `FUZZ_SEED=4 FUZZ_COUNT=2000` for more.
 */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { lowered } from '../inspect/testing/kernels';
import { RaceMap } from '../inspect/races';
import { bytesOfAccess, parameterOf, traceAccesses } from '../inspect/trace';
import { argumentValues, memoryOf, programCount, type LaunchInputs } from '../inspect/launch';
import { isMaskedOff } from '../ir/access';
import type { Func } from '../ir/ir';
import { createCompiler } from '../pipeline';
import { proofOf } from './report';
import type { Case } from './testing/case';
import { givenAt } from './testing/given';
import { launchOf } from './testing/prove';

const SEED = Number(process.env['FUZZ_SEED'] ?? 7);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 16);
const BLOCK = 16;
const MOST_ELEMENTS = 20_000;
const SCALARS = ['n', 'h', 'g', 's'] as const;

interface Sizes {
  readonly n: number;
  readonly h: number;
  readonly g: number;
  readonly s: number;
  readonly grid: readonly [number, number];
}
interface Random {
  readonly text: string;
  readonly sizes: Sizes;
  readonly shape: readonly number[];
}

/** Kernels on rows that are heads of groups or packed, many of them wrong. */
const random: fc.Arbitrary<Random> = fc
  .record({
    by: fc.constantFrom('h', 'h', 'h', 'g', '4'),
    row: fc.constantFrom(
      ...['q', 'a * h + b', 'a * (h // g) + b // g', 'a * (h // g) + b // g', 'q // g'],
      ...['a * (h // g) + b % g', 'b // g', 'a * g + b', '(q + g - 1) // g', 'a', 'b', 'q // 4'],
      ...['a * (h // 4) + b // 4', 'q // h', 'q // 2 // 2', 'tl.minimum(q, h)', 's + q'],
    ),
    column: fc.constantFrom(
      ...['p * BLOCK + i', 'p * BLOCK + i', '(p * BLOCK + i) // 2', '(p * BLOCK + i) // 4 * 2'],
      ...['s + p * BLOCK + i', 'p * BLOCK + i // 2', 't * BLOCK + i', 't * 4 + i % 4', 't + i'],
    ),
    loop: fc.constantFrom('n // 4', 'n // 16', 'tl.cdiv(n, BLOCK)', '(n + 3) // 4', 'n // g'),
    mask: fc.constantFrom(
      ...['c < n', 'c < n', 'c < n // 2', 'c < (n + 1) // 2', 'c < n // 4', 'c <= n', 'c < s + n'],
      ...['c < n // 4 * 4', 'c + s < n', 'c < n // g', 'c >= 0'],
    ),
    width: fc.constantFrom(
      'n',
      'n',
      'n // 2',
      '(n + 1) // 2',
      'n // 4',
      'n + s',
      'n - 1',
      'n // g',
    ),
    rows: fc.constantFrom('all', 'all', 'groups', 'groups', 'heads', 'quarter', 'batch', 'shifted'),
    split: fc.boolean(),
    n: fc.constantFrom(24, 40, 48),
    g: fc.constantFrom(2, 3, 4),
    heads: fc.constantFrom(2, 4),
    batch: fc.constantFrom(2, 5),
    s: fc.constantFrom(0, 3, 8),
  })
  .map(({ by, row, column, loop, mask, width, rows, split, n, g, heads, batch, s }) => {
    const looped = column.startsWith('t');
    const indent = looped ? '        ' : '    ';
    const h = heads * g;
    const count = { all: batch * h, groups: batch * heads, heads: h, quarter: (batch * h) >> 2 };
    const of = { ...count, batch, shifted: s + batch * h }[rows];
    const wide = { 'n // 2': n >> 1, '(n + 1) // 2': (n + 1) >> 1, 'n // 4': n >> 2 };
    const columns =
      { ...wide, n, 'n + s': n + s, 'n - 1': n, 'n // g': Math.floor(n / g) }[width] ?? n;
    const shape = split && of % batch === 0 ? [batch, of / batch, columns] : [of, columns];
    const text = `def k(x_ptr, y_ptr, n, h, g, s, BLOCK: tl.constexpr):
    p, q = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, BLOCK)
    a, b = q // ${by}, q % ${by}
    row = ${row}
    to = p * BLOCK + i
${looped ? `    for t in range(0, ${loop}):\n` : ''}${indent}c = ${column}
${indent}v = tl.load(x_ptr + row * (${width}) + c, mask=${mask}, other=0.0)
${indent}tl.store(y_ptr + q * n + to, v + q, mask=to < n)
`;
    return { text, shape, sizes: { n, h, g, s, grid: [Math.ceil(n / BLOCK), batch * h] } };
  });

/** Any numbers; most do not keep a proof's relations. */
const others: fc.Arbitrary<Sizes> = fc
  .record({
    n: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(15, 16, 17, 64)),
    h: fc.integer({ min: 1, max: 8 }),
    g: fc.integer({ min: 1, max: 4 }),
    s: fc.integer({ min: 0, max: 5 }),
    x: fc.integer({ min: 1, max: 4 }),
    y: fc.integer({ min: 1, max: 12 }),
    times: fc.integer({ min: 1, max: 3 }),
    fits: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ n, h, g, s, x, y, times, fits }) => {
    // Three of four are multiples of one another, as hosts make them.
    const heads = fits > 0 ? h * g : h;
    const width = fits > 2 ? 4 * n : n;
    const grid = [fits > 1 ? Math.ceil(width / BLOCK) : x, fits > 0 ? heads * times : y] as const;
    return { n: width, h: heads, g, s, grid };
  });

const signature = { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', h: 'i32', g: 'i32', s: 'i32', BLOCK };

function caseOf(text: string, { n, h, g, s, grid }: Sizes, x: number[], y: number[]): Case {
  const data = (shape: number[]): { data: Float32Array; shape: number[] } => {
    const length = shape.reduce((a, b) => a * b, 1);
    return { data: Float32Array.from({ length }, (_, i) => i + 1), shape };
  };
  const args = [data(x), data(y), n, h, g, s];
  return { name: 'k', text, signature: signature as Case['signature'], grid: [...grid, 1], args };
}

/** Lines of accesses that leave their tensors, on the interpreter. */
function outside(func: Func, inputs: LaunchInputs): Set<number> {
  const lines = new Set<number>();
  traceAccesses({
    func,
    args: argumentValues(inputs),
    memory: memoryOf(inputs),
    grid: inputs.grid,
    range: { first: 0, end: programCount(inputs) },
    onAccess: (op, addresses, mask) => {
      const argument = inputs.args[parameterOf(op, func)!];
      if (argument?.kind !== 'pointer') throw new Error('a pointer from nowhere');
      const { address, byteLength } = inputs.storages[argument.storage]!;
      const last = address + byteLength - bytesOfAccess(op);
      addresses.forEach((each, i) => {
        if (!isMaskedOff(mask, i) && (each < address || each > last)) lines.add(op.location.line);
      });
    },
  });
  return lines;
}

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

it('what is proved for every n holds wherever its relations do', { timeout: 3_600_000 }, () => {
  const compiler = createCompiler(parser);
  const counts = { proved: 0, multiples: 0, runs: 0 };
  const numbers = fc.sample(others, { seed: SEED, numRuns: 400 });
  for (const { text, sizes, shape } of fc.sample(random, { seed: SEED, numRuns: COUNT })) {
    const rows = [sizes.grid[1], sizes.n];
    const inputs = launchOf(parser, caseOf(text, sizes, [...shape], rows));
    const func = lowered(compiler, inputs.request);
    const proof = proofOf(func, inputs);
    const every = proof.bounds.filter(({ answer }) => answer.kind === 'every');
    const apart =
      proof.races.length > 0 && proof.races.every(({ answer }) => answer.kind === 'every');
    if (every.length === 0 && !apart) continue;
    counts.proved++;
    if (proof.relations.some((each) => each.includes('multiple'))) counts.multiples++;
    let runs = 0;
    for (const other of numbers) {
      const names = SCALARS.map((name) => [name, other[name]] as const);
      const [x, y] = other.grid;
      const values = new Map([...names, ['grid.x', x], ['grid.y', y]] as [string, number][]);
      const { holds, elements } = givenAt(proof.relations, values);
      // Scalars that the first launch's specialization has as constants stay what they are.
      const fixed = SCALARS.some((name) => sizes[name] === 1 && other[name] !== 1);
      const sizeOf = (name: string): number => elements.get(name) ?? MOST_ELEMENTS;
      const lengths = ['x_ptr', 'y_ptr'].map(sizeOf);
      if (!holds || fixed || lengths.some((size) => size < 1 || size > MOST_ELEMENTS)) continue;
      if (runs++ >= 12) break;
      const made = launchOf(parser, caseOf(text, other, [lengths[0]!], [lengths[1]!]));
      const found = outside(func, made);
      const where = `${JSON.stringify(other)} ${lengths.join()} given ${proof.relations.join('; ')} of\n${text}`;
      for (const { location } of every) expect(found.has(location.line), where).toBe(false);
      if (!apart) continue;
      const { report } = new RaceMap(func, made, 0, programCount(made));
      expect(report.readWrite + report.writeWrite, where).toBe(0);
    }
    counts.runs += runs;
  }
  if (process.env['FUZZ_COUNT']) console.log(counts);
  expect(counts.proved).toBeGreaterThan(COUNT / 4);
  expect(counts.multiples).toBeGreaterThan(0);
  expect(counts.runs).toBeGreaterThan(COUNT);
});
