/** A tuning must not outlive the compiler whose kernels it timed. */
import { cpSync, mkdtempSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compilerVersion } from './compilerVersion.mjs';

const ROOT = join(import.meta.dirname, '../..');
let copy = '';
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'hippocamp-'));
  cpSync(join(ROOT, 'compiler'), join(copy, 'compiler'), { recursive: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('changes with the compiler’s text, and with nothing else', () => {
  const before = compilerVersion(ROOT).HIPPOCAMP_COMPILER;
  expect(before).toMatch(/^"[0-9a-f]{16}"$/);
  expect(compilerVersion(copy).HIPPOCAMP_COMPILER).toBe(before);
  appendFileSync(join(copy, 'compiler/pipeline.test.ts'), '\n');
  writeFileSync(join(copy, 'compiler/note.md'), 'nothing');
  appendFileSync(join(copy, 'compiler/5-threads/testing/run.ts'), '\n');
  expect(compilerVersion(copy).HIPPOCAMP_COMPILER).toBe(before);
  for (const file of ['4-distribute/choices.ts', '2-lower/library/standard.py']) {
    const last = compilerVersion(copy).HIPPOCAMP_COMPILER;
    appendFileSync(join(copy, 'compiler', file), '\n');
    expect(compilerVersion(copy).HIPPOCAMP_COMPILER).not.toBe(last);
  }
});
