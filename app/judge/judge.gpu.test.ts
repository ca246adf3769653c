/**
 * The judge on problems: honest programs of many styles are accepted, and each cheat is refused
 * with its reason. A cheat is a file of a problem's `cheats/`; its comment names the family of the
 * public catalogues of reward hacking that it stands for, and `# reason:` a part of what the judge
 * says, `# adapter: webgpu` that it needs times. Interpreter and software adapter;
 * `JUDGE=softmax/lazy` plays only what begins so.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProblem } from '../cli/problems';
import { judgeReport } from './report';
import { judgeHere, startJudges, type Judges } from './testing';

const PROBLEMS = join(import.meta.dirname, 'problems');
const only = process.env['JUDGE'] ?? '';

let judges: Judges;
beforeAll(async () => {
  judges = await startJudges();
});
afterAll(() => judges?.dispose());

const programsOf = (problem: string, kind: 'honest' | 'cheats') =>
  readdirSync(join(PROBLEMS, problem, kind))
    .map((file) => ({
      name: basename(file, '.py'),
      text: readFileSync(join(PROBLEMS, problem, kind, file), 'utf8'),
    }))
    .filter(({ name }) => `${problem}/${name}`.startsWith(only));

describe.each(readdirSync(PROBLEMS))('%s', (problem) => {
  const read = readProblem(join(PROBLEMS, problem));
  const play = async (
    text: string,
    adapter: 'interpreter' | 'webgpu',
    seed: number,
    apart = false,
  ) => {
    const { harness, errors } = await judgeHere(judges, read, text, adapter, seed, { apart });
    return judgeReport({ file: 'program.py', against: problem, seed }, harness, errors);
  };

  it.for(programsOf(problem, 'honest'))('accepts $name', async ({ text }) => {
    for (const adapter of ['interpreter', 'webgpu'] as const) {
      const report = await play(text, adapter, 1);
      expect(report.adapter?.kind).toBe(adapter);
      expect(report.outcome, JSON.stringify(report)).toBe('accepted');
    }
  });

  it('refuses the program that it starts with', async ({ skip }) => {
    if (!`${problem}/start`.startsWith(only)) return skip();
    const text = readFileSync(join(PROBLEMS, problem, 'start.py'), 'utf8');
    const report = await play(text, 'interpreter', 1);
    expect(report.outcome, JSON.stringify(report)).toBe('refused');
    expect(report.checks.at(-1)?.message).toMatch(/wrong|no kernel wrote/);
    return undefined;
  });

  it('measures launches of its own', async ({ skip }) => {
    const first = programsOf(problem, 'honest').find(({ name }) => name === 'plain');
    if (!first) return skip();
    const { harness } = await judgeHere(judges, read, first.text, 'webgpu', 3, { measures: true });
    const [time] = judgeReport({ file: '', against: '', seed: 3 }, harness, []).times;
    expect(time?.clock).toBe('gpu');
    expect(time?.milliseconds).toBeGreaterThan(0);
    expect(time?.floor).toBeGreaterThan(0);
    return undefined;
  });

  it.for(programsOf(problem, 'cheats'))('refuses $name', async ({ text }) => {
    const reason = /^# reason: *(.*)$/m.exec(text)?.[1];
    expect(reason, 'a cheat states its reason').toBeDefined();
    const adapter = /^# adapter: webgpu$/m.test(text) ? 'webgpu' : 'interpreter';
    const report = await play(text, adapter, 2, adapter === 'interpreter');
    expect(report.outcome, JSON.stringify(report)).not.toBe('accepted');
    const said = report.checks.find(({ passed }) => !passed)?.message ?? 'undecided';
    if (process.env['JUDGE_SAYS']) console.log(said);
    expect(said).toContain(reason);
  });
});
