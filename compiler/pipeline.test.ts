import { CPU_FACTS } from './machine';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Parser } from './1-parse/parser';
import { createParser } from './1-parse/parser';
import { checkPasses } from './interpret/checkPasses';
import type { PassCheck } from './interpret/checkPasses';
import type { Func } from './ir/ir';
import { walk } from './ir/ir';
import type { ThreadKernel } from './ir/thread/kernel';
import type { ThreadOpName } from './ir/thread/ops';
import { F32 } from './ir/thread/types';
import type { Compile, ExtraPass } from './pipeline';
import { createCompiler, PIPELINE } from './pipeline';
import type { CompileRequest } from './program';
import { DEFAULT_OPTIONS } from './program';
import { BASELINE_TARGET } from './target';

let parser: Parser;
beforeAll(async () => {
  const require = createRequire(import.meta.url);
  const bytes = (name: string) => new Uint8Array(readFileSync(require.resolve(name)));
  parser = await createParser(
    bytes('web-tree-sitter/web-tree-sitter.wasm'),
    bytes('tree-sitter-python/tree-sitter-python.wasm'),
  );
});

const SOURCE = `import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    total = tl.sum(x, axis=0)
    tl.store(y_ptr + offs, x * 2.0 + total, mask=mask)
`;
const POINTER = {
  kind: 'pointer' as const,
  dtype: 'float32',
  divisibleBy16: true,
  group: 0,
};
function request(
  options: Partial<CompileRequest['options']> = {},
  source = SOURCE,
): CompileRequest {
  return {
    program: {
      files: { 'k.py': source },
      functions: {
        scale: {
          id: 'scale',
          name: 'scale',
          file: 'k.py',
          line: 4,
          globals: {
            tl: { kind: 'triton', path: 'triton.language' },
            triton: { kind: 'triton', path: 'triton' },
          },
          defaults: {},
        },
      },
      entry: 'scale',
    },
    specialization: {
      arguments: [
        POINTER,
        { ...POINTER, group: 1 },
        { kind: 'scalar', dtype: 'int32', divisibleBy16: false },
        { kind: 'constexpr', value: { kind: 'int', value: '64' } },
      ],
      numWarps: 4,
    },
    target: BASELINE_TARGET,
    options: { ...DEFAULT_OPTIONS, verify: true, ...options },
  };
}
const inputs = () => {
  const x = Float32Array.from({ length: 100 }, (_, i) => Math.sin(i));
  return {
    args: [4096, 8192, 100],
    memory: [x, new Float32Array(100)].map((array, i) => ({
      address: 4096 * (i + 1),
      bytes: new Uint8Array(array.buffer),
    })),
    grid: [2, 1, 1] as const,
  };
};

describe('the pipeline', () => {
  test('compiles to WGSL and logs every pass by its index', () => {
    const result = createCompiler(parser).compile(request({ keepIr: true }));
    if (result.kind !== 'compiled') throw new Error(JSON.stringify(result));
    expect(result.kernel.wgsl).toContain('@compute');
    expect(result.log.map((record) => record.index)).toEqual(result.log.map((_, i) => i));
    expect(result.log.map(({ phase, name }) => ({ phase, name }))).toEqual(PIPELINE);
    for (const record of result.log) {
      const threads = record.phase === 'threads' || record.phase === 'emit';
      expect(record.ir).toContain(`${threads ? 'thread' : 'tt'}.func @scale`);
      expect(record.locations.length).toBe(record.ir.split('\n').length);
    }
  });

  // In loops of registers much is written where it is used: it still belongs to its own line.
  test.each([
    ['named registers', BASELINE_TARGET],
    [
      'loops of registers',
      { ...BASELINE_TARGET, name: 'swiftshader', machine: CPU_FACTS, subgroupSize: 4 as const },
    ],
  ])('every line that computes has lines of WGSL, in %s', (_, target) => {
    const source = SOURCE.replace('+ total', '+ 1.0')
      .replace(/ {4}total.*\n/, '')
      .replace('* BLOCK', '* 4096');
    const made = request({}, source.replace('arange(0, BLOCK)', 'arange(0, 4096)'));
    const result = createCompiler(parser).compile({ ...made, target });
    if (result.kind !== 'compiled') throw new Error(JSON.stringify(result));
    const { wgsl, sourceMap } = result.kernel;
    const linesWith = (text: RegExp): number[] =>
      wgsl
        .split('\n')
        .flatMap((line, i) => (text.test(line) ? [sourceMap[i]?.line ?? 0] : []))
        .toSorted();
    expect(new Set(linesWith(/\bmask(_\d+)? = /))).toEqual(new Set([7]));
    expect(new Set(linesWith(/= x_ptr\[/))).toEqual(new Set([8]));
    expect(new Set(linesWith(/y_ptr\[.*\] = /))).toEqual(new Set([9]));
    // Arguments and the report belong to the kernel's own line.
    expect([...new Set(sourceMap.map((at) => at?.line))].filter(Boolean).toSorted()).toEqual([
      5, 6, 7, 8, 9,
    ]);
  });

  // One after the other in a tile that is walked in loops: no link of the chain costs the stack
  // anything.
  test('a chain of thousands of operations is emitted', () => {
    const chain = Array.from({ length: 1500 }, (_, i) => `    x = x * 0.5 + ${i}.25\n`).join('');
    const source = SOURCE.replace(/ {4}total.*\n/, chain)
      .replace(' + total', '')
      .replace('* BLOCK', '* 4096')
      .replace('arange(0, BLOCK)', 'arange(0, 4096)');
    const made = request({ verify: false }, source);
    const target = {
      ...BASELINE_TARGET,
      name: 'swiftshader',
      machine: CPU_FACTS,
      subgroupSize: 4 as const,
    };
    const result = createCompiler(parser).compile({ ...made, target });
    expect(result.kind === 'failed' ? result.diagnostics : []).toEqual([]);
  });

  test('a fault in a pass is a diagnostic that names it', () => {
    const broken: ExtraPass = {
      name: 'divide_by_nothing',
      run: () => {
        throw new TypeError('boom');
      },
    };
    const result = createCompiler(parser, [broken]).compile(request());
    if (result.kind !== 'failed') throw new Error('compiled');
    expect(result.diagnostics[0]!.message).toContain('pass divide_by_nothing: boom');
    expect(result.diagnostics[0]!.location.file).toBe('k.py');
  });

  test('invalid IR after a pass is a diagnostic too', () => {
    const invalid: ExtraPass = {
      name: 'forget_the_end',
      run: (func) => {
        func.body.terminator.erase();
        return true;
      },
    };
    const result = createCompiler(parser, [invalid]).compile(request());
    if (result.kind !== 'failed') throw new Error('compiled');
    expect(result.diagnostics[0]!.message).toContain('pass forget_the_end');
  });

  test('half-typed text gives diagnostics', () => {
    for (let end = SOURCE.indexOf('offs'); end < SOURCE.length; end += 7) {
      const result = createCompiler(parser).compile(request({}, SOURCE.slice(0, end)));
      if (result.kind === 'failed')
        for (const each of result.diagnostics) expect(each.message).not.toContain('internal error');
    }
  });
});

describe('workgroup memory that does not suffice', () => {
  const sorting = (size: number): string =>
    SOURCE.replace('total = tl.sum(x, axis=0)', `total = tl.sort(tl.arange(0, ${size}))`).replace(
      'x * 2.0 + total, mask=mask)',
      'x)\n    tl.store(y_ptr + tl.arange(0, 8192), total)',
    );
  test.each([
    [1024, false],
    [8192, true],
  ])('a row of %i to sort goes through storage: %s', (size, inStorage) => {
    const source = sorting(size).replaceAll('8192)', `${size})`);
    const result = createCompiler(parser).compile(request({}, source));
    expect(result.kind === 'failed' ? result.diagnostics : []).toEqual([]);
    if (result.kind !== 'compiled') throw new Error(result.kind);
    const groups = result.kernel.bindings.map(({ group }) => group);
    expect(groups.includes('shared')).toBe(inStorage);
  });
});

describe('the check mode', () => {
  const check = (compile: Compile, options: Partial<CompileRequest['options']> = {}) =>
    checkPasses({
      compile: (...observers) => compile(request(options), {}, ...observers),
      specialization: request(options).specialization,
      instrumented: options.instrumentation !== undefined,
      ...inputs(),
    });
  const bad = (checks: readonly PassCheck[]) =>
    checks
      .filter(({ verdict }) => verdict !== 'same' && verdict !== 'rounding')
      .map(({ name, verdict }) => [name, verdict]);

  test('finds every pass the same, or rounding', () => {
    const { compile } = createCompiler(parser);
    const checks = check(compile);
    expect(checks.length).toBeGreaterThan(15);
    for (const check of checks) expect(['same', 'rounding']).toContain(check.verdict);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['lower', 'lower_tiles']),
    );
    expect(checks.at(-1)?.name).toBe('emit');
  });

  test.each(['fpsan', 'prove'] as const)('compares with what %s makes of floats', (mode) => {
    const { compile } = createCompiler(parser);
    const checks = check(compile, { instrumentation: mode });
    expect(checks.length).toBeGreaterThan(15);
    expect(checks.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
  });

  test('states for how many programs thread IR was checked, where steps are limited', () => {
    const { compile } = createCompiler(parser);
    const programs = (threadSteps?: number): Record<string, number> => {
      const checks = checkPasses({
        compile: (...observers) => compile(request(), {}, ...observers),
        specialization: request().specialization,
        ...inputs(),
        grid: [8, 1, 1],
        ...(threadSteps === undefined ? {} : { threadSteps }),
      });
      expect(bad(checks)).toEqual([]);
      return Object.fromEntries(checks.map((one) => [one.name, one.programs]));
    };
    expect(programs()).toMatchObject({ lower: 8, insert_barriers: 8, lower_tiles: 8, emit: 8 });
    const few = { lower: 8, insert_barriers: 8, lower_tiles: 1, emit: 1 };
    expect(programs(1)).toMatchObject({ ...few, eliminate_dead_registers: 1 });
  });

  const sabotage = (name: string, change: (func: Func) => void): ExtraPass => ({
    name,
    // It does not even admit that it changed something.
    run: (func) => {
      change(func);
      return false;
    },
  });
  test('names a pass that breaks the program, and the first wrong element', () => {
    const extra = sabotage('swap_addends', (func) =>
      walk(func.body, (op) => {
        if (op.name === 'arith.addf' && op.parent === func.body) op.setOperand(1, op.operand(0));
      }),
    );
    const { compile } = createCompiler(parser, [extra]);
    const checks = check(compile, { verify: false });
    const bad = checks.filter((check) => !['same', 'rounding'].includes(check.verdict));
    expect(bad.map((check) => check.name)).toEqual(['swap_addends']);
    expect(bad[0]!.verdict).toBe('different');
    expect(bad[0]!.first).toMatchObject({ argument: 'y_ptr', index: 0, after: 0 });
  });

  /** Adds an operand to itself where two tiles, or two numbers of a thread, are added. */
  const spoilTiles = (func: Func): boolean => {
    walk(func.body, (op) => {
      if (op.name === 'arith.addf' && op.parent === func.body) op.setOperand(1, op.operand(0));
    });
    return false;
  };
  const spoilThreads = ({ func }: ThreadKernel): boolean => {
    walk(func.body, (op) => {
      if (op.name === 'thread.add' && op.result.type === F32) op.setOperand(1, op.operand(0));
    });
    return false;
  };
  // The others are compared with the result of `lower`; `emit` leaves thread IR as it is, and what
  // it prints is compared on the GPU.
  const judged = PIPELINE.flatMap(({ phase, name }, into) =>
    phase === 'lower' || phase === 'emit' ? [] : [{ phase, name, into }],
  );
  test.each(judged)('names $name of $phase ($into) where it miscompiles', ({ name, into }) => {
    const fault = { name: 'fault', into, run: spoilTiles, runThreads: spoilThreads };
    const { compile } = createCompiler(parser, [fault]);
    const checks = check(compile, { verify: false });
    expect(checks.map((each) => each.name)).toEqual(PIPELINE.map((each) => each.name));
    expect(bad(checks)).toEqual([[name, 'different']]);
    expect(checks[into]).toMatchObject({
      name,
      verdict: 'different',
      first: { argument: 'y_ptr' },
    });
  });
  const withoutOps = (name: ThreadOpName): ExtraPass => ({
    name: 'forget_operations',
    after: 'lower_tiles',
    runThreads: ({ func }) => {
      walk(func.body, (op) => {
        if (op.name === name) op.erase();
      });
      return false;
    },
  });
  test('names a pass on threads that forgets barriers, though lanes in step do not need them', () => {
    const { compile } = createCompiler(parser, [withoutOps('thread.barrier')]);
    const checks = check(compile);
    expect(bad(checks)).toEqual([['forget_operations', 'failed']]);
    const message = checks.find(({ name }) => name === 'forget_operations')?.message;
    expect(message).toMatch(
      /standard\.py:\d+:.*RAW hazard at word \d+ of shared_words between thread/,
    );
  });
  test('names a pass on threads that forgets stores', () => {
    const { compile } = createCompiler(parser, [withoutOps('thread.store')]);
    expect(bad(check(compile))[0]?.[0]).toBe('forget_operations');
  });

  test('names a pass that makes the program fail', () => {
    const extra = sabotage('forget_masks', (func) =>
      walk(func.body, (op) => {
        if (op.name === 'tt.store') op.operands = op.operands.slice(0, 2);
      }),
    );
    const { compile } = createCompiler(parser, [extra]);
    const checks = check(compile);
    const bad = checks.filter((check) => !['same', 'rounding'].includes(check.verdict));
    expect(bad.map((check) => [check.name, check.verdict])).toEqual([['forget_masks', 'failed']]);
    expect(bad[0]!.message).toMatch(/k\.py:10:.*store out of range of 'y_ptr' at element 100/);
  });
});
