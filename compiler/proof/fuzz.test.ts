/**
 * Proofs against the interpreter on random kernels: no access that is proved to stay inside goes
 * out of range, no pair that is proved apart meets, a proof for every n holds for other n, and the
 * slice of addresses finds what the whole kernel does. `FUZZ_SEED=4 FUZZ_COUNT=500` tries others.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { launched } from '../5-threads/testing/differential';
import { fuzzCase, fuzzInputs, type FuzzCase } from '../5-threads/testing/fuzzCase';
import type { LaunchArgument, LaunchInputs } from '../inspect/launch';
import { RaceMap } from '../inspect/races';
import { lowered } from '../inspect/testing/kernels';
import { bytesOfAccess, parameterOf, traceAccesses } from '../inspect/trace';
import { isMaskedOff } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { createCompiler } from '../pipeline';
import type { CompileRequest } from '../program';
import { BASELINE_TARGET } from '../target';
import { checkBounds } from './concrete';
import { settingOfLaunch } from './launchProof';
import { proofOf } from './report';
import type { Case } from './testing/case';
import { answersOf, launchOf } from './testing/prove';

const SEED = Number(process.env['FUZZ_SEED'] ?? 5);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 60);
const OPTIONS = { elements: 128, statements: 8 };

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** The case as a launch; nobody compiles it, so it has no request. */
function inputsOf(func: Func, test: FuzzCase): LaunchInputs {
  const { memory, values } = launched(func, test.args, test.launch.shifts);
  let storage = 0;
  const args = func.body.args.map((arg, i): LaunchArgument => {
    const value = values[i]!;
    if (arg.type.kind !== 'pointer') return { kind: 'scalar', value };
    const view = { address: Number(value), storage: storage++, shape: null, strides: null };
    return { kind: 'pointer', ...view };
  });
  const storages = memory.map(({ address, bytes }) => ({
    address,
    byteLength: bytes.length,
    contents: bytes,
  }));
  const request = null as unknown as CompileRequest;
  return { launch: 1, kernel: 'k', key: 'k', request, grid: test.grid, args, storages };
}

/** The accesses of which the interpreter finds an element out of range. */
function outsideOf(func: Func, inputs: LaunchInputs): { found: Set<Operation>; complete: boolean } {
  const found = new Set<Operation>();
  const end = traceAccesses({
    func,
    args: inputs.args.map((arg) => (arg.kind === 'pointer' ? arg.address : arg.value)),
    memory: inputs.storages.map(({ address, contents }) => ({
      address,
      bytes: (contents as Uint8Array).slice(),
    })),
    grid: inputs.grid,
    range: { first: 0, end: inputs.grid.reduce((a, b) => a * b, 1) },
    onAccess: (op, addresses, mask) => {
      const argument = inputs.args[parameterOf(op, func) ?? -1];
      if (argument?.kind !== 'pointer') return;
      const { address, byteLength } = inputs.storages[argument.storage]!;
      const last = address + byteLength - bytesOfAccess(op);
      addresses.forEach((each, i) => {
        const on = !isMaskedOff(mask, i);
        if (on && (each < address || each > last)) found.add(op);
      });
    },
  });
  return { found, complete: end.kind === 'complete' };
}

const cases = (): { func: Func; inputs: LaunchInputs; description: string }[] =>
  fc.sample(fuzzInputs(OPTIONS), { seed: SEED, numRuns: COUNT }).flatMap((input) => {
    const test = fuzzCase(input, BASELINE_TARGET, parser, OPTIONS);
    const func = test.make();
    return [{ func, inputs: inputsOf(func, test), description: test.description }];
  });

describe('of random kernels', () => {
  it('what is proved to stay inside does, and the slice finds what goes outside', () => {
    let [proved, outside, accesses] = [0, 0, 0];
    for (const { func, inputs, description } of cases()) {
      const { inside, accesses: all } = settingOfLaunch(func, inputs);
      const { found, complete } = outsideOf(func, inputs);
      for (const op of inside)
        expect(found.has(op), `${op.name} at ${op.location.line} of\n${description}`).toBe(false);
      const check = checkBounds(func, inputs);
      if (complete && check.end.kind === 'complete')
        for (const op of all.keys())
          if (parameterOf(op, func) !== null)
            expect(check.outside.has(op), description).toBe(found.has(op));
      proved += inside.size;
      outside += found.size;
      accesses += all.size;
    }
    expect(outside).toBeGreaterThan(COUNT / 10);
    expect(proved).toBeGreaterThan(accesses / 3);
  });
});

/** Sizes of launches: of the first one, whose relations are read, and of others that keep them. */
const SIZES = [97, 1, 15, 16, 17, 50, 130] as const;
const ROWS = [3, 1, 2, 5] as const;
const [BLOCK, STEP] = [16, 16];

/** A kernel on `n * m` elements, of random offsets and masks; many are wrong. */
const kernelText: fc.Arbitrary<string> = fc
  .record({
    step: fc.constantFrom('STEP', 'STEP', 'STEP', 'STEP // 2', 'STEP + 1'),
    row: fc.constantFrom('q * n', 'q * n', 'q * (n - 1)', 'q', '0', '(q % 2) * n', 'q // 2 * n'),
    column: fc.constantFrom(
      ...['p * S + i', 'p * S + i', 'i * tl.num_programs(0) + p', 'n - 1 - (p * S + i)'],
      ...[
        '(p * S + i) % n',
        'tl.minimum(p * S, n - BLOCK) + i',
        'p // 2 * S + i',
        'p * S + i // 2',
      ],
      ...['(p ^ 1) * S + i', 'tl.maximum(p * S + i - 3, 0)', 'p * S + (i & 7)', 't * S + i'],
    ),
    mask: fc.constantFrom(
      ...['c < n', 'c < n', '(c < n) & (c >= 0)', 'c <= n', 'c < n - 1', '(c < n) | (p == 0)'],
      ...['row + c < n * m', '(c >= 0) & (row + c < n * m)', 'c >= 0', 'p > 0'],
    ),
    shift: fc.constantFrom('0', '0', '1', '-1'),
    source: fc.constantFrom('x_ptr', 'x_ptr', 'y_ptr'),
    value: fc.constantFrom('v', 'v + p', 'v * 2.0 + q'),
  })
  .map(({ step, row, column, mask, shift, source, value }) => {
    const looped = column.startsWith('t');
    const indent = looped ? '        ' : '    ';
    return `def k(x_ptr, y_ptr, n, m, BLOCK: tl.constexpr, STEP: tl.constexpr):
    p, q = tl.program_id(0), tl.program_id(1)
    S = ${step}
    i = tl.arange(0, BLOCK)
    row = ${row}
${looped ? '    for t in range(p, tl.cdiv(n, S), tl.num_programs(0)):\n' : ''}${indent}c = ${column}
${indent}v = tl.load(${source} + row + c + ${shift}, mask=${mask}, other=0.0)
${indent}tl.store(y_ptr + row + c, ${value}, mask=${mask})
`;
  });

const launch = (n: number, m: number): Pick<Case, 'grid' | 'args'> => {
  const data = Float32Array.from({ length: n * m }, (_, i) => i + 1);
  return { grid: [Math.ceil(n / STEP), m, 1], args: [{ data }, { data: data.slice() }, n, m] };
};
const signature = { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', m: 'i32', BLOCK, STEP } as const;
/** The relations that the other launches keep. */
const KEPT =
  /^(n, m >= 1|grid\.x = \(\(n \+ 15\) \/\/ 16\)|grid\.y = m|\w+ has (n \* m|n \* grid\.y|m \* n) elements|no integer.*)$/;

describe('of kernels with random offsets and masks', () => {
  it('every answer agrees with the interpreter, here and for other sizes', () => {
    const compiler = createCompiler(parser);
    const counts = { every: 0, launch: 0, counterexample: 0 };
    for (const text of fc.sample(kernelText, { seed: SEED, numRuns: COUNT })) {
      const test = { name: 'k', text, signature, ...launch(SIZES[0], ROWS[0]) };
      const inputs = launchOf(parser, test);
      const func = lowered(compiler, inputs.request);
      const proof = proofOf(func, inputs);
      const faults = (n: number, m: number) => {
        const made = launchOf(parser, { ...test, ...launch(n, m) });
        const { report } = new RaceMap(func, made, 0, made.grid[0] * made.grid[1]);
        const { found } = outsideOf(func, made);
        const lines = [...found].map((op) => op.location.line);
        return { lines, races: report.readWrite + report.writeWrite };
      };
      const here = faults(SIZES[0], ROWS[0]);
      const accused = (kind: string): boolean =>
        answersOf(proof).some(({ answer }) => answer.kind === kind);
      for (const { location, answer } of proof.bounds) {
        const isWrong = here.lines.includes(location.line);
        expect(answer.kind === 'counterexample', text).toBe(isWrong);
        if (answer.kind in counts) counts[answer.kind as keyof typeof counts]++;
      }
      const racing = proof.races.some(
        ({ answer: { kind } }) => kind !== 'every' && kind !== 'launch',
      );
      if (here.races > 0) expect(racing, text).toBe(true);
      else expect(proof.races.some(({ answer }) => answer.kind === 'counterexample')).toBe(false);
      if (!accused('every') || !proof.relations.every((each) => KEPT.test(each))) continue;
      for (const n of SIZES)
        for (const m of ROWS) {
          const there = faults(n, m);
          for (const { location, answer } of proof.bounds)
            if (answer.kind === 'every')
              expect(there.lines, `n ${n}, m ${m} of\n${text}`).not.toContain(location.line);
          if (proof.races.every(({ answer }) => answer.kind === 'every'))
            expect(there.races, `n ${n}, m ${m} of\n${text}`).toBe(0);
        }
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  });
});
