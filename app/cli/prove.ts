/**
 * `hippocamp prove`: runs a program with ordinary floats and in the ring, analyses its launches,
 * and reports what each check found (`app/prove`). Exit codes: 0 what was decided holds, 1
 * something fails, 2 nothing was decided, or wrong usage.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { createCompiler } from '../../compiler/pipeline';
import type { ProgramEvent, ProgramFiles, RunOptions } from '../events';
import { algebraSection, type Run } from '../prove/algebra';
import { kernelUses } from '../prove/kernelUses';
import { launchSections } from '../prove/launches';
import { exitCode, reportText, type ProofReport } from '../prove/report';
import { tryReadProgram } from './files';
import { nodeParser } from './nodeParser';
import type { ProveCommand } from './options';
import { INTERRUPTED, runInProcess } from './run';

export async function proveCommand(command: ProveCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const program = tryReadProgram(command.file, say);
  if (!program) return 2;
  const report = await prove(command, program, root);
  const text = command.json ? `${JSON.stringify(report)}\n` : reportText(report);
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  return exitCode(report);
}

async function prove(
  command: ProveCommand,
  program: { files: ProgramFiles; entry: string },
  root: string,
): Promise<ProofReport> {
  const start = performance.now();
  const launches: LaunchInputs[] = [];
  const run = async (adapter: RunOptions['adapter'], ring: boolean): Promise<Run> => {
    const events: ProgramEvent[] = [];
    const how = ring ? 'in the ring' : 'with ordinary floats';
    if (!command.json) process.stderr.write(`running ${how} on the ${adapter} …\n`);
    const settings = { ...command, adapter, chartSeconds: null, tuneSeconds: null, check: false };
    const take = (event: ProgramEvent): void => void events.push(event);
    const more = { measures: false, ...(ring ? { ring } : { keepInputs: true, keepEvery: true }) };
    await runInProcess(
      settings,
      program,
      take,
      () => {},
      more,
      (inputs) => void launches.push(inputs),
    );
    const started = events.find((event) => event.type === 'started');
    const info = started?.type === 'started' ? started.adapter : null;
    const engine = !info || info.kind === 'interpreter' ? 'the interpreter' : info.name;
    return { engine, events };
  };
  const interrupted = (of: Run): boolean =>
    errorsOf(of).some(({ message }) => message === INTERRUPTED);
  const rings = [await run('interpreter', true)];
  const ordinary = interrupted(rings[0]!) ? rings[0]! : await run(command.adapter, false);
  const onGpu = ordinary.engine !== 'the interpreter';
  if (onGpu && !interrupted(ordinary)) rings.push(await run(command.adapter, true));
  const last = [...rings, ordinary].find(interrupted);
  if (last) {
    const errors = errorsOf(last);
    return { version: 1, file: command.file, adapter: null, sections: [], errors };
  }
  const compiler = createCompiler(await nodeParser(root));
  const usesOf = kernelUses(rings[0]!.events, compiler);
  const milliseconds = performance.now() - start;
  const ran = new Map<string, number>();
  for (const event of ordinary.events)
    if (event.type === 'launch' && !event.benchmark)
      ran.set(event.key, (ran.get(event.key) ?? 0) + 1);
  const progress = (text: string): void => {
    if (!command.json) process.stderr.write(`${text}\n`);
  };
  const ofLaunches = launchSections(launches, compiler, progress, ran);
  const started = ordinary.events.find((event) => event.type === 'started');
  return {
    version: 1,
    file: command.file,
    adapter: started?.type === 'started' ? started.adapter : null,
    sections: [algebraSection({ ordinary, rings, usesOf, milliseconds }), ...ofLaunches],
    errors: errorsOf(ordinary),
  };
}

function errorsOf({ events }: Run): Diagnostic[] {
  return events.flatMap((event) =>
    event.type === 'diagnostic' && event.diagnostic.severity === 'error' ? [event.diagnostic] : [],
  );
}
