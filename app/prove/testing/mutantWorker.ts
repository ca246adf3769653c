/** A process of `npm run mutants`: judges the mutants that it is sent, one after another. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutantsOf, sampleOf, type Mutant } from '../mutants';
import type { Parser } from '../../../compiler/1-parse/parser';
import { Judge, type Baseline } from './judge';
import type { MutantRecord } from './mutantRecords';
import { SMALL, smallText, type SmallProgram } from './small';

/** A mutant: of this program, at this place of its sample. */
export interface Task {
  readonly program: string;
  readonly index: number;
  readonly each: number;
  readonly seed: number;
}

export function programText(program: SmallProgram, root: string): string {
  const text = readFileSync(join(root, 'public', 'examples', program.file), 'utf8');
  return smallText(program, text);
}

/** The sample of a text: the same in every process. */
export function sampleOfText(
  text: string,
  parser: Pick<Parser, 'parse'>,
  task: Omit<Task, 'program' | 'index'>,
): Mutant[] {
  return sampleOf(mutantsOf(parser.parse('main.py', text), text), task.each, task.seed);
}

export async function mutantWorker(root: string): Promise<void> {
  const judge = await Judge.create(root);
  const parser: Pick<Parser, 'parse'> = { parse: (_, text) => judge.parse(text) };
  let current: { program: string; baseline: Baseline; mutants: readonly Mutant[] } | null = null;
  const record = async (task: Task): Promise<MutantRecord> => {
    if (current?.program !== task.program) {
      const program = SMALL.find(({ file }) => file === task.program)!;
      const text = programText(program, root);
      const baseline = await judge.baseline(text);
      current = { program: task.program, baseline, mutants: sampleOfText(text, parser, task) };
    }
    const start = performance.now();
    const mutant = current.mutants[task.index]!;
    const { verdict, reason } = await judge.judge(mutant, current.baseline);
    const { kind, line, before, after } = mutant;
    const milliseconds = Math.round(performance.now() - start);
    const { program, index } = task;
    return { program, index, kind, line, before, after, verdict, reason, milliseconds };
  };
  process.on('message', (task: Task) => {
    // An error of the judge ends the process, and its message is on standard error.
    void record(task).then((result) => process.send!(result));
  });
  process.on('disconnect', () => process.exit(0));
  process.send!('ready');
}
