/**
 * Every lesson's checks: its solution passes; its start and every wrong answer do not. On the
 * interpreter, and the solutions on the software adapter too. `LESSONS=05,p03` plays only lessons
 * that begin so; `LESSONS_ADAPTER=webgpu` plays everything there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromToday, skipIfLate } from '../../scripts/budget';
import { startJudges, type Judges } from '../judge/testing';
import { passes } from './check';
import { piecesOf } from './document';
import {
  account,
  checkProgram,
  type HiddenComparison,
  measureChecks,
  readLessons,
  runProgram,
  saidBy,
} from './testing';
import { Reached } from './tolerances';

/**
 * Share of a lesson's comparisons that may allow as much as a rounding to float16: where numbers
 * are far from 0, as much follows from a rounding of the inputs.
 */
const LOOSE = 0.25;

const only = process.env['LESSONS']?.split(',');
const everywhere = process.env['LESSONS_ADAPTER'] === 'webgpu';
const lessons = fromToday(readLessons()).filter(
  ({ slug }) => !only || only.some((prefix) => slug.startsWith(prefix)),
);

let judges: Judges;
beforeAll(async () => {
  judges = await startJudges();
});
afterAll(() => judges?.dispose());

describe.each(lessons)('$slug', (lesson) => {
  const cases = Object.entries(lesson.wrong).map(([name, program]) => ({ name, program }));
  const refused = [{ name: 'start.py', program: lesson.start }, ...cases];

  const hidden: HiddenComparison[] = [];
  const own = new Reached(`${lesson.slug}/solution.py`);

  it.for(['interpreter', 'webgpu'] as const)(
    'passes with its solution on %s',
    async (adapter, { skip }) => {
      skipIfLate(skip);
      const { record, reached } = await measureChecks(judges, lesson, adapter);
      expect(record.adapter?.kind).toBe(adapter);
      expect(passes(record), account(record)).toBe(true);
      hidden.push(...reached);
      const run = await runProgram(judges.program, lesson, lesson.solution, adapter);
      own.addAll(run.comparisons, run.adapter!);
    },
  );

  it('refuses results that are rounded to float16, and allows little more than its own', ({
    skip,
  }) => {
    skipIfLate(skip);
    const said = ({ what, error, coarse }: HiddenComparison): string =>
      `${what}: ${error.toPrecision(2)} of what is allowed; rounded coarsely, ${coarse.toPrecision(3)}`;
    if (process.env['TOLERANCES']) console.log(`${lesson.slug}\n${hidden.map(said).join('\n')}`);
    const loose = hidden.filter(({ coarse }) => coarse <= 1);
    expect(loose.length, loose.map(said).join('\n')).toBeLessThanOrEqual(hidden.length * LOOSE);
    if (process.env['TOLERANCES']) console.log(own.table());
    expect(own.tooLoose()).toEqual([]);
  });

  it.for(refused)('refuses $name', async ({ program }, { skip }) => {
    skipIfLate(skip);
    const adapter = everywhere ? 'webgpu' : 'interpreter';
    const record = await checkProgram(judges, lesson, program, adapter);
    expect(passes(record), account(record)).toBe(false);
    // It must fail a check, not the harness.
    expect(record.verdicts.length + record.diagnostics.length, account(record)).toBeGreaterThan(0);
    expect(account(record)).not.toContain('<checks.py>');
  });

  it('answers its predictions from the run of its solution', async ({ skip }) => {
    skipIfLate(skip);
    const record = await runProgram(judges.program, lesson, lesson.solution, 'interpreter');
    expect(record.outcome, account(record)).toBe('ok');
    for (const piece of piecesOf(lesson.text)) {
      if (piece.kind !== 'predict') continue;
      const { answer, choices } = piece.prediction;
      const said = await saidBy(record, answer);
      expect(said, piece.prediction.question).not.toBeNull();
      if (choices)
        expect(
          choices.some((choice) => said!.startsWith(choice)),
          said!,
        ).toBe(true);
      else expect(Number.parseFloat(said!), said!).not.toBeNaN();
    }
  });

  it('marks the predictions that its start does not answer', async ({ skip }) => {
    skipIfLate(skip);
    const started = await runProgram(judges.program, lesson, lesson.start, 'interpreter');
    const solved = await runProgram(judges.program, lesson, lesson.solution, 'interpreter');
    for (const piece of piecesOf(lesson.text)) {
      if (piece.kind !== 'predict') continue;
      const { answer, needs, question } = piece.prediction;
      const differs = (await saidBy(started, answer)) !== (await saidBy(solved, answer));
      expect(needs !== null, question).toBe(differs);
      if (needs === 'start') expect(await saidBy(started, answer), question).not.toBeNull();
    }
  });
});
