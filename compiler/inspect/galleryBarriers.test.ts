/** The barriers of the gallery's kernels, as the live page would specialize them, on targets that differ. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { outline } from '../1-parse/outline';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing';
import { createCompiler } from '../pipeline';
import { DEFAULT_OPTIONS, type CompileRequest, type CompileResult } from '../program';
import { BASELINE_TARGET, type Target } from '../target';
import { checkBarriers } from './barriers';

const EXAMPLES = join(import.meta.dirname, '../../public/examples');
const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.py'));
const TARGETS: readonly Target[] = [
  {
    ...BASELINE_TARGET,
    name: 'subgroups of 32',
    subgroupSize: 32,
    maxWorkgroupBytes: 49_152,
    maxInvocations: 1024,
  },
  { ...BASELINE_TARGET, name: 'SwiftShader', subgroupSize: 4, exchangeInStorage: true },
];

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

it.each(TARGETS)('hold on $name', (target) => {
  const compiler = createCompiler(parser);
  const counts = { kernels: 0, judged: 0, barriers: 0 };
  const redundant: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(EXAMPLES, file), 'utf8');
    for (const { name, program, guess } of outline({ [file]: text }, parser)) {
      if (!guess) continue;
      const request: CompileRequest = {
        program,
        specialization: guess,
        target,
        options: DEFAULT_OPTIONS,
      };
      const result: CompileResult = compiler.compile(request);
      if (result.kind !== 'compiled') continue;
      counts.kernels++;
      const { wgsl, workgroupSize } = result.kernel;
      const found = checkBarriers(wgsl, workgroupSize);
      expect(found.races, `${file}: ${name}`).toEqual([]);
      if (found.barriers > 0) counts.judged++;
      counts.barriers += found.barriers;
      if (found.redundant.length > 0) redundant.push(`${file}: ${name}: ${found.redundant.length}`);
    }
  }
  // Of the others none has a barrier: on a software adapter a program is one subgroup, its dots read memory.
  expect(counts.judged).toBeGreaterThanOrEqual(target.subgroupSize === 4 ? 8 : 17);
  // Known: one behind an attention's first loop, for the case that it has no turn, and one in a loop that ends when
  // all threads are done, whose test has a barrier.
  const known = ['fused_attention.py: attention_kernel: 1', 'mandelbrot.py: mandelbrot_kernel: 1'];
  expect(redundant.filter((text) => !known.includes(text))).toEqual([]);
});
