/** Inputs for a panel to compile a kernel again, where there is no Python. */
import { expect, it } from 'vitest';
import { outline } from '../../compiler/1-parse/outline';
import type { Parser } from '../../compiler/1-parse/parser';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { createCompiler } from '../../compiler/pipeline';
import { BASELINE_TARGET, type Target } from '../../compiler/target';
import { CompileCache, type UnitRequest } from './compileCache';

const TEXT = `import triton
import triton.language as tl

@triton.constexpr_function
def double(n):
    return n * 2

@triton.jit
def k(x):
    tl.store(x, double(21) + double(1))
`;

/** Requests the kernel, on a target. */
function requestOf(parser: Parser, target: Target): UnitRequest {
  const [kernel] = outline({ 'test.py': TEXT }, parser);
  return {
    programId: 1,
    program: kernel!.program,
    specialization: {
      arguments: [{ kind: 'pointer', dtype: 'fp32', divisibleBy16: true, group: 0 }],
      numWarps: 4,
    },
    target,
    linearGrid: false,
    manyPrograms: false,
    debug: false,
    interpreter: false,
    services: {
      callConstexpr: (_, [n]) => ({
        kind: 'int',
        value: String(2 * Number(n?.kind === 'int' ? n.value : 0)),
      }),
    },
  };
}

it("keeps Python's answers with what was compiled", async () => {
  const parser = await testParser();
  const compiler = createCompiler(parser);
  const unit = new CompileCache(compiler).get(requestOf(parser, BASELINE_TARGET));
  if (!('request' in unit) || !unit.ok) throw new Error('was not compiled');
  expect(unit.request.answers).toHaveLength(2);
  const { answers, ...asked } = unit.request;
  expect(answers?.map(({ value }) => value)).toEqual([
    { kind: 'int', value: '42' },
    { kind: 'int', value: '2' },
  ]);
  const again = compiler.compile(unit.request);
  if (again.kind !== 'compiled') throw new Error(JSON.stringify(again));
  expect(again.kernel.wgsl).toBe(unit.unit.kernel?.wgsl);
  expect(compiler.compile(asked)).toMatchObject({
    kind: 'failed',
    diagnostics: [{ code: 'HC0106' }],
  });
});

it('compiles again for a target that offers less under the same name', async () => {
  const parser = await testParser();
  const cache = new CompileCache(createCompiler(parser));
  const on = (target: Target) => cache.get(requestOf(parser, target));
  const first = on(BASELINE_TARGET);
  expect(on({ ...BASELINE_TARGET })).toBe(first);
  expect(on({ ...BASELINE_TARGET, maxStorageBuffers: 4 })).not.toBe(first);
});

it('keeps no failure of a function of the program’s, which may not fail again', async () => {
  const parser = await testParser();
  const cache = new CompileCache(createCompiler(parser));
  const request = requestOf(parser, BASELINE_TARGET);
  const callConstexpr = (): never => {
    throw new Error('KeyboardInterrupt');
  };
  const failed = cache.get({ ...request, services: { callConstexpr } });
  expect(failed).toMatchObject({ ok: false, diagnostics: [{ code: 'HC0214' }] });
  expect(cache.get(request)).toMatchObject({ ok: true });
});
