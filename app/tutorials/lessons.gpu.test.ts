/**
 * Every lesson's checks: its solution passes; its start and every wrong answer do not. On the interpreter,
 * and the solutions on the software adapter too. `LESSONS=05,p03` plays only lessons that begin so;
 * `LESSONS_ADAPTER=webgpu` plays everything there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromToday, skipIfLate } from '../../scripts/budget';
import type { Runner } from '../runtime/runner';
import { passes } from './check';
import { piecesOf } from './document';
import { answerOf } from './predict';
import { account, checkProgram, readLessons, runProgram, startLessons } from './testing';

const only = process.env['LESSONS']?.split(',');
const everywhere = process.env['LESSONS_ADAPTER'] === 'webgpu';
const lessons = fromToday(readLessons()).filter(
  ({ slug }) => !only || only.some((prefix) => slug.startsWith(prefix)),
);

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

describe.each(lessons)('$slug', (lesson) => {
  const cases = Object.entries(lesson.wrong).map(([name, program]) => ({ name, program }));
  const refused = [{ name: 'start.py', program: lesson.start }, ...cases];

  it.for(['interpreter', 'webgpu'] as const)(
    'passes with its solution on %s',
    async (adapter, { skip }) => {
      skipIfLate(skip);
      const record = await checkProgram(runner, lesson, lesson.solution, adapter);
      expect(record.adapter?.kind).toBe(adapter);
      expect(passes(record), account(record)).toBe(true);
    },
  );

  it.for(refused)('refuses $name', async ({ program }, { skip }) => {
    skipIfLate(skip);
    const adapter = everywhere ? 'webgpu' : 'interpreter';
    const record = await checkProgram(runner, lesson, program, adapter);
    expect(passes(record), account(record)).toBe(false);
    // It must fail a check, not the harness.
    expect(record.verdicts.length + record.diagnostics.length, account(record)).toBeGreaterThan(0);
    expect(account(record)).not.toContain('lesson_checks.py');
  });

  it('answers its predictions from the run of its solution', async ({ skip }) => {
    skipIfLate(skip);
    const record = await runProgram(runner, lesson, lesson.solution, 'interpreter');
    expect(record.outcome, account(record)).toBe('ok');
    for (const piece of piecesOf(lesson.text)) {
      if (piece.kind !== 'predict') continue;
      const { answer, choices } = piece.prediction;
      const said = answerOf(record, answer);
      expect(said, piece.prediction.question).not.toBeNull();
      if (choices)
        expect(
          choices.some((choice) => said!.startsWith(choice)),
          said!,
        ).toBe(true);
      else expect(Number.parseFloat(said!), said!).not.toBeNaN();
    }
  });
});
