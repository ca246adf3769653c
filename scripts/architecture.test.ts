/**
 * The printed IR and WGSL on the architecture page are what the compiler makes of the kernels
 * beside it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { outline } from '../compiler/1-parse/outline';
import type { Parser } from '../compiler/1-parse/parser';
import { testParser } from '../compiler/1-parse/testing/testParser';
import { createCompiler } from '../compiler/pipeline';
import { DEFAULT_OPTIONS } from '../compiler/program';
import { BASELINE_TARGET } from '../compiler/target';

const DOCS = join(import.meta.dirname, '..', 'docs');
const PAGE = readFileSync(join(DOCS, 'architecture.md'), 'utf8');
/** Each block of code under a comment that names the kernel's file and the pass. */
const BLOCKS = [...PAGE.matchAll(/<!-- (\S+) (\w+) -->\s+```\w+\n([^]*?)```/g)].map(
  ([, file = '', pass = '', text = '']) => ({ file, pass, text: text.trimEnd() }),
);

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** The IR after a pass; after `wgsl`, the module. */
function printed(file: string, pass: string): string {
  const text = readFileSync(join(DOCS, 'kernels', file), 'utf8');
  const [{ program, guess } = { program: null, guess: null }] = outline({ [file]: text }, parser);
  if (!program || !guess) throw new Error(`${file} has no kernel`);
  const target = { ...BASELINE_TARGET, subgroupSize: 32 as const };
  const options = { ...DEFAULT_OPTIONS, keepIr: true };
  const request = { program, specialization: guess, target, options };
  const result = createCompiler(parser).compile(request);
  if (result.kind !== 'compiled') throw new Error(`${file} does not compile: ${result.kind}`);
  if (pass === 'wgsl') return result.kernel.wgsl;
  const found = result.log.findLast(({ name }) => name === pass);
  if (!found) throw new Error(`there is no pass ${pass}`);
  return found.ir;
}

it('has blocks of both kernels', () => {
  expect(new Set(BLOCKS.map(({ file }) => file))).toEqual(new Set(['vector_add.py', 'matmul.py']));
});

it.each(BLOCKS)('$file after $pass', ({ file, pass, text }) => {
  let rest = `\n${printed(file, pass)}`;
  for (const run of text.split('\n…\n')) {
    const at = rest.indexOf(`\n${run}\n`);
    expect(at, `not found, in this order:\n${run}`).toBeGreaterThanOrEqual(0);
    // The line break belongs to the next run, too.
    rest = rest.slice(at + run.length + 1);
  }
});
