/**
 * A program of the gallery notices mistakes in its own kernels: each mutation of them fails a
 * comparison, raises an error, or is reported as an access out of range. On the interpreter: two
 * mutations of each program always, and attention to one key too many; `MUTATIONS=all` all of them,
 * `MUTATIONS=fft,sort` all of those programs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromToday, skipIfLate } from '../../scripts/budget';
import type { Runner } from '../runtime/runner';
import type { RunRecord } from '../state/record';
import { outOfRange } from '../judge/report';
import harmless from './harmless.json';
import { mutationsOf, withoutBenchmarks } from './mutations';
import { account, EXAMPLES, galleryFiles, playFiles, startLessons } from './testing';

/** Attention to one key too many, which a loose tolerance once let pass. */
const PHANTOM_KEY = 'visible = keys[None, :] <= length';

/** Mutated lines that change no result that counts, with the reason, by file. */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, string>>>> = harmless;
const wanted = process.env['MUTATIONS'];
const chosen = fromToday(galleryFiles()).filter(
  (file) => !wanted || wanted === 'all' || wanted.split(',').includes(file.replace('.py', '')),
);

/**
 * Milliseconds after which a launch counts as one without an end, which is a mistake that shows.
 */
const PATIENCE = 10_000;
let deadline = Infinity;

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons(() => performance.now() > deadline);
});
afterAll(() => runner?.dispose());

const noticed = (record: RunRecord): boolean =>
  record.outcome !== 'ok' ||
  record.comparisons.some(({ passed }) => !passed) ||
  outOfRange(record.diagnostics) !== null;

describe.each(chosen)('%s', (file) => {
  const program = withoutBenchmarks(readFileSync(join(EXAMPLES, file), 'utf8'));
  const reasons = HARMLESS[file] ?? {};
  const all = mutationsOf(program);
  const mutations = all.filter(({ text }) => reasons[text] === undefined);
  const third = Math.floor(mutations.length / 3);
  const few = new Set([third, 2 * third].map((at) => mutations[at]!));
  for (const each of mutations) if (each.text.includes(PHANTOM_KEY)) few.add(each);

  it('has a mutation for each that is listed as harmless', () => {
    const texts = all.map(({ text }) => text);
    expect(Object.keys(reasons).filter((text) => !texts.includes(text))).toEqual([]);
  });

  it.for(wanted ? mutations : [...few])(
    'notices $operator, $line: $text',
    async (mutation, { skip }) => {
      skipIfLate(skip);
      deadline = performance.now() + PATIENCE;
      const record = await playFiles(runner, { [file]: mutation.program }, file, 'interpreter');
      expect(noticed(record), `${mutation.text}\n${account(record)}`).toBe(true);
    },
  );
});
