/**
 * Whatever text the compiler is given, it answers with diagnostics: programs made to hurt, and
 * mutations of ours. `npm run fuzz:text` throws many more of the second kind.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { testParser } from './1-parse/testing/testParser';
import type { Parser } from './1-parse/parser';
import { seededRandom } from './ir/seededRandom';
import { createCompiler } from './pipeline';
import { corpusOf, mutate } from './testing/badText';
import { compileText, isFault } from './testing/compileText';
import { HOSTILE, REFUSED } from './testing/hostile';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

describe('programs made to hurt', () => {
  it.each(Object.keys(HOSTILE))('%s', (name) => {
    const { diagnostics, compiled } = compileText(parser, createCompiler(parser), HOSTILE[name]!());
    expect(diagnostics.filter(isFault)).toEqual([]);
    const code = REFUSED[name];
    if (code) {
      expect(compiled).toBe(0);
      expect(diagnostics.map((d) => d.code)).toContain(code);
    }
  });
});

describe('mutations', () => {
  const folder = join(import.meta.dirname, '..', 'public', 'examples');
  const files = readdirSync(folder).filter((name) => name.endsWith('.py'));
  const corpus = corpusOf(files.map((name) => readFileSync(join(folder, name), 'utf8')));
  const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

  it(`400 of them, from seed ${SEED}`, () => {
    const compiler = createCompiler(parser);
    let compiled = 0;
    for (let i = 0; i < 400; i++) {
      const text = mutate(corpus, seededRandom(SEED * 1_000_003 + i));
      let faults: readonly unknown[];
      try {
        const result = compileText(parser, compiler, text);
        faults = result.diagnostics.filter(isFault);
        compiled += result.compiled;
      } catch (error) {
        faults = [error];
      }
      expect(faults, `mutation ${i} of seed ${SEED}:\n${text}`).toEqual([]);
    }
    // Some get all the way through, or this would test the parser alone.
    expect(compiled).toBeGreaterThan(50);
  });
});
