/**
 * `hippocamp prove`: runs a program with ordinary floats and in the ring, analyses its launches,
 * and reports what each check found (`app/prove`). Exit codes: 0 what was decided holds, 1
 * something fails, 2 nothing was decided, or wrong usage.
 */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { createCompiler } from '../../compiler/pipeline';
import type { ProgramEvent, ProgramFiles } from '../events';
import { reportOf, runForProof } from '../prove/proof';
import { exitCode, reportText, type ProofReport } from '../prove/report';
import { openProgram } from './programs';
import { nodeParser } from './nodeParser';
import type { ProveCommand } from './options';
import { INTERRUPTED, runInProcess } from './run';
import { write } from './standardOutput';

export async function proveCommand(command: ProveCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const program = await openProgram(command.file, say);
  if (!program) return 2;
  const progress = (line: string): void => {
    if (!command.json) say(line);
  };
  const report = await prove(command, program, root, progress);
  const text = command.json ? `${JSON.stringify(report)}\n` : reportText(report);
  await write(text);
  return exitCode(report);
}

/** @param progress takes a line for each step. */
export async function prove(
  command: Omit<ProveCommand, 'kind' | 'json'>,
  program: { files: ProgramFiles; entry: string },
  root: string,
  progress: (line: string) => void,
): Promise<ProofReport> {
  const runs = await runForProof(command.file, command.adapter, async (request) => {
    progress(`running ${request.text} …`);
    const events: ProgramEvent[] = [];
    const launches: LaunchInputs[] = [];
    await runInProcess(
      root,
      { ...command, adapter: request.adapter, chartSeconds: null, tuneSeconds: null, check: false },
      program,
      (event) => {
        // Prints are no part of a proof.
        if (event.type !== 'print') events.push(event);
        return 0;
      },
      () => {},
      request.options,
      (inputs) => void launches.push(inputs),
    );
    const interrupted = events.some(
      (event) => event.type === 'diagnostic' && event.diagnostic.message === INTERRUPTED,
    );
    return { events, launches, interrupted };
  });
  if ('version' in runs) return runs;
  return reportOf(runs, createCompiler(await nodeParser(root)), progress);
}
