/**
 * `hippocamp check`: judges a program by a problem's hidden checks (`app/judge`). The harness with
 * the checks and the program run in a process each; the harness carries out what the program did on
 * memory and values that the program never sees. Exit codes: 0 accepted, 1 refused, 2 undecided, or
 * wrong usage.
 */
import { resolve } from 'node:path';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { ProgramEvent, RunOptions } from '../events';
import {
  harnessProgram,
  solutionProgram,
  type HarnessTexts,
  type Problem,
  type Solution,
  withoutProblem,
} from '../judge/files';
import { Relay } from '../judge/relay';
import { newSeed } from '../judge/seed';
import { exitCode, judgeReport, reportText, type JudgeReport } from '../judge/report';
import { differenceFrom, parseResult, problemDigest, withResult } from '../judge/result';
import { decode } from '../share/codec';
import { readProgram } from './programs';
import type { CheckCommand } from './options';
import { readHarness, readProblem } from './problems';
import { runInProcess } from './run';
import { write } from './standardOutput';

export async function checkCommand(command: CheckCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    const problem = readProblem(resolve(command.against));
    if (command.result !== null) return await checkAgain(command, problem, root);
    const solution = solutionOf(command.file ?? '');
    const seed = command.seed ?? newSeed();
    const report = await judge(command, problem, solution, seed, root, (text) => {
      if (text) say(text);
    });
    await write(command.json ? `${JSON.stringify(report)}\n` : reportText(report));
    return exitCode(report);
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

/** Checks again what a result holds. Exit codes: 0 it is the same, 1 it is not. */
async function checkAgain(command: CheckCommand, problem: Problem, root: string): Promise<number> {
  const result = parseResult(command.result ?? '');
  if (result.problem !== (await problemDigest(problem)))
    throw new Error(`the result is of another problem than ${command.against}`);
  const { files, entry, seed } = result;
  const report = await judge(command, problem, { files, entry }, seed, root, () => {});
  const difference = differenceFrom(result, report);
  if (command.json) await write(`${JSON.stringify(report)}\n`);
  else {
    const on = `on ${result.adapter} then, on ${report.adapter?.name ?? 'nothing'} now`;
    const text = difference ?? `the same: ${report.outcome}, ${report.checks.length} checks`;
    await write(`${text} (${on})\n`);
  }
  return difference === null ? 0 : 1;
}

/** A file's program, or a link's. @throws where there is none. */
export function solutionOf(file: string): Solution {
  const link = /#\/s\/([\w.-]+)/.exec(file);
  if (!link) return readProgram(resolve(file));
  const opened = decode(link[1]!);
  if (!opened.ok) throw new Error(`the link cannot be opened: ${opened.reason}`);
  const { files, entry } = opened.shared;
  return { files, entry };
}

/** Seconds that the harness has beside the program's, to say that the program did not end. */
const PATIENCE = 10;

/** Limits of both processes. */
type Limits = Pick<CheckCommand, 'adapter' | 'timeout' | 'maxMemory' | 'maxBytes' | 'against'> & {
  readonly file: string | null;
};

/** @param say takes what the program prints to stderr's reader: notes of its process. */
export async function judge(
  limits: Limits,
  problem: Problem,
  given: Solution,
  seed: number,
  root: string,
  say: (text: string) => void,
  texts: HarnessTexts = readHarness(root),
): Promise<JudgeReport> {
  const solution = withoutProblem(given, problem);
  const relay = new Relay();
  const errors: Diagnostic[] = [];
  const events: ProgramEvent[] = [];
  const options: Partial<RunOptions> = { check: false };
  const { adapter, timeout, maxMemory, maxBytes } = limits;
  const common = { adapter, timeout, maxMemory, maxBytes, allowNode: false };
  const command = { ...common, chartSeconds: null, tuneSeconds: 1, check: false };
  const program = runInProcess(
    root,
    { ...command, seed: 0 },
    solutionProgram(texts, solution),
    (event) => {
      if (event.type === 'diagnostic' && event.diagnostic.severity === 'error')
        errors.push(event.diagnostic);
      return 0;
    },
    say,
    options,
    () => {},
    (text) => relay.exchange('solution', text),
  ).finally(() => relay.end('solution'));
  await runInProcess(
    root,
    { ...command, seed, timeout: timeout === null ? null : timeout + PATIENCE },
    harnessProgram(texts, problem, solution, seed),
    (event) => {
      if (event.type !== 'print' && event.type !== 'tensor') events.push(event);
      return 0;
    },
    () => {},
    options,
    () => {},
    (text) => relay.exchange('harness', text),
  ).finally(() => relay.end('harness'));
  await program;
  const facts = { file: limits.file ?? solution.entry, against: limits.against, seed };
  return withResult(judgeReport(facts, events, errors), problem, solution);
}
