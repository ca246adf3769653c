/** The tools that run or compile a program, in the process of one call. */
import type { z } from 'zod';
import type { ProgramEvent, RunOptions } from '../../events';
import { chromeTrace } from '../../profile/chromeTrace';
import { hatchet } from '../../profile/hatchet';
import { profileOf, recordOf } from '../../profile/profile';
import { exitCode as judgedCode, reportText as judgedText } from '../../judge/report';
import { exitCode, reportText } from '../../prove/report';
import type { RunRecord } from '../../state/record';
import { compileAll } from '../compileAll';
import { nodeParser } from '../nodeParser';
import { newSeed } from '../../judge/seed';
import { judge } from '../check';
import { prove } from '../prove';
import { Report } from '../report';
import { runInProcess } from '../run';
import type { CompileJson } from '../schema/outputs';
import { compareRuns, compareText } from './compare';
import { ToolError } from './errors';
import {
  checkInput,
  compareInput,
  compileInput,
  profileInput,
  proveInput,
  runInput,
  type ProgramInput,
} from './inputs';
import { clip, LIST_ITEMS } from './limits';
import { problemOf, programOf, type GivenProgram } from './programs';
import type { checkResult, compileResult, profileResult, proveResult, RunResult } from './results';
import { diagnosticResult, runResult } from './summary';

export interface Answer {
  /** For people and models. */
  readonly text: string;
  readonly structured: object;
}
export interface Surroundings {
  readonly root: string;
  /** Takes a line for each step. */
  readonly progress: (line: string) => void;
}
type Executor = (input: unknown, at: Surroundings) => Promise<Answer>;
type Running = Pick<
  z.infer<typeof runInput>,
  'adapter' | 'seed' | 'timeout_seconds' | 'max_memory_bytes'
>;

/** The tools with a process of their own. @throws ToolError */
export const EXECUTORS = {
  run: (input, at) => runTool(runInput.parse(input), at),
  check: (input, at) => checkTool(checkInput.parse(input), at),
  prove: (input, at) => proveTool(proveInput.parse(input), at),
  compile: (input, at) => compileTool(compileInput.parse(input), at),
  profile: (input, at) => profileTool(profileInput.parse(input), at),
  compare: (input, at) => compareTool(compareInput.parse(input), at),
} satisfies Record<string, Executor>;

interface Ran {
  readonly events: readonly ProgramEvent[];
  readonly record: RunRecord;
}

async function ranProgram(
  program: GivenProgram,
  settings: Running & { readonly check?: boolean },
  { root, progress }: Surroundings,
  more: Partial<RunOptions> = {},
): Promise<Ran> {
  const events: ProgramEvent[] = [];
  let printed = 0;
  const take = (event: ProgramEvent): number => {
    events.push(event);
    const line = stepOf(event);
    if (line) progress(line);
    if (event.type === 'print') printed += event.text.length;
    return printed;
  };
  await runInProcess(
    root,
    { ...ofCommand(settings), check: settings.check ?? false },
    program,
    take,
    (note) => {
      if (note) progress(note);
    },
    more,
  );
  return { events, record: recordOf(events) };
}

/** Limits of a call as those of the command; charts and tunings as it has them. */
function ofCommand(settings: Running) {
  return {
    adapter: settings.adapter,
    seed: settings.seed,
    timeout: settings.timeout_seconds,
    maxMemory: settings.max_memory_bytes,
    maxBytes: null,
    allowNode: false,
    chartSeconds: null,
    tuneSeconds: null,
  };
}

/** A step for the client, of an event while the program runs; null for the others. */
function stepOf(event: ProgramEvent): string | null {
  switch (event.type) {
    case 'started':
      return `running on ${event.adapter.name}`;
    case 'compile':
      return `compiled ${event.request.program.functions[event.request.program.entry]?.name ?? 'a kernel'}`;
    case 'launch':
      return event.benchmark ? null : `launched ${event.kernel}[${event.grid.join(', ')}]`;
    case 'progress':
      return event.text || null;
    case 'comparison':
      return `${event.kind} at line ${event.site.line} ${event.passed ? 'holds' : 'fails'}`;
    default:
      return null;
  }
}

/** The report that `hippocamp run` prints. */
function reportOf(events: readonly ProgramEvent[]): string {
  let text = '';
  const stream = { write: (part: string) => ((text += part), true) } as NodeJS.WritableStream;
  const report = new Report(stream, stream);
  for (const event of events) report.event(event);
  report.end(events);
  return clip(text);
}

async function runTool(input: z.infer<typeof runInput>, at: Surroundings): Promise<Answer> {
  const { events, record } = await ranProgram(programOf(input, at.root), input, at);
  const structured: RunResult = runResult(record, events);
  return { text: reportOf(events), structured };
}

async function proveTool(input: z.infer<typeof proveInput>, at: Surroundings): Promise<Answer> {
  const program = programOf(input, at.root);
  const command = { ...ofCommand(input), file: program.entry };
  const report = await prove(command, program, at.root, at.progress);
  const structured = { version: 1, exit_code: exitCode(report), report } as z.infer<
    typeof proveResult
  >;
  return { text: clip(reportText(report)), structured };
}

async function checkTool(input: z.infer<typeof checkInput>, at: Surroundings): Promise<Answer> {
  const { source, path, example, files } = input;
  const program = programOf({ source, path, example, files }, at.root);
  const problem = problemOf(input);
  const seed = input.seed ?? newSeed();
  const limits = {
    ...ofCommand({ ...input, seed }),
    file: program.entry,
    against: input.problem ?? 'reference',
  };
  const report = await judge(limits, problem, program, seed, at.root, at.progress);
  const structured = { version: 1, exit_code: judgedCode(report), report } as z.infer<
    typeof checkResult
  >;
  return { text: clip(judgedText(report)), structured };
}

async function profileTool(input: z.infer<typeof profileInput>, at: Surroundings): Promise<Answer> {
  const { events, record } = await ranProgram(programOf(input, at.root), input, at, {
    traces: input.format === 'chrome',
  });
  const profile = profileOf(record);
  const kernels = profile.kernels.slice(0, LIST_ITEMS);
  const launches = events.filter((event) => event.type === 'launch');
  const file =
    input.format === 'chrome'
      ? chromeTrace(record, launches)
      : input.format === 'proton'
        ? hatchet(profile)
        : null;
  const structured = {
    version: 1,
    outcome: record.outcome ?? 'error',
    profile: { ...profile, kernels },
    file,
    diagnostics: record.diagnostics.slice(0, LIST_ITEMS).map(diagnosticResult),
  } as z.infer<typeof profileResult>;
  return { text: reportOf(events), structured };
}

async function compareTool(input: z.infer<typeof compareInput>, at: Surroundings): Promise<Answer> {
  const programs: readonly [string, ProgramInput][] = [
    ['before', input.before],
    ['after', input.after],
  ];
  // A wrong argument of either is found before anything runs.
  const given = programs.map(([name, each]) => [name, programOf(each, at.root)] as const);
  const records: RunRecord[] = [];
  for (const [name, program] of given) {
    const progress = (line: string): void => at.progress(`${name}: ${line}`);
    records.push((await ranProgram(program, input, { ...at, progress })).record);
  }
  const structured = compareRuns(records[0]!, records[1]!);
  return { text: compareText(structured), structured };
}

async function compileTool(input: z.infer<typeof compileInput>, at: Surroundings): Promise<Answer> {
  const { kernel = null, signature, target, level, pass } = input;
  if (signature && kernel === null)
    throw new ToolError('bad-arguments', 'signature needs kernel', 'kernel');
  const { files } = programOf(input, at.root);
  const parser = await nodeParser(at.root);
  const made = compileAll(files, parser, {
    kernel,
    target,
    keep: 'all',
    ...(signature ? { signature } : {}),
  });
  if (kernel !== null && made.message !== null)
    throw new ToolError('unknown-kernel', made.message, kernel);
  const kernels = made.kernels.map((each) => compiledKernel(each, level, pass));
  const structured: z.infer<typeof compileResult> = {
    version: 1,
    target,
    level: pass === undefined ? level : 'pass',
    diagnostics: made.diagnostics.slice(0, LIST_ITEMS).map(diagnosticResult),
    kernels,
    unguessed: made.unguessed,
    message: made.message,
  };
  return { text: clip(compileText(structured), 200_000), structured };
}

type KernelResult = z.infer<typeof compileResult>['kernels'][number];

/** Phases up to the one that ends a level. */
const PHASES = {
  ttir: ['lower', 'optimize'],
  ttgir: ['lower', 'optimize', 'distribute'],
  thread: ['lower', 'optimize', 'distribute', 'threads'],
} as const;

function compiledKernel(
  made: CompileJson['kernels'][number],
  level: z.infer<typeof compileInput>['level'],
  pass: string | undefined,
): KernelResult {
  const { passes } = made;
  // A pass without a change leaves the IR of the one before.
  const end =
    pass !== undefined
      ? passes.findLastIndex(({ name }) => name === pass)
      : level === 'wgsl'
        ? -1
        : passes.findLastIndex(({ phase }) => PHASES[level].some((each) => each === phase));
  if (pass !== undefined && end < 0 && made.ok)
    throw new ToolError(
      'bad-arguments',
      `there is no pass ${pass}; there are ${passes.map(({ name }) => name).join(', ')}`,
      'pass',
    );
  const shown = end < 0 ? undefined : passes.slice(0, end + 1).findLast(({ ir }) => ir !== '');
  return {
    name: made.name,
    ok: made.ok,
    pass: shown?.name ?? null,
    text: clip(shown?.ir ?? (level === 'wgsl' && pass === undefined ? (made.wgsl ?? '') : '')),
    workgroup_size: made.workgroupSize,
    features: made.features,
    resources: made.resources,
    passes: passes.filter(({ changed }) => changed).map(({ name }) => name),
    diagnostics: made.diagnostics.slice(0, LIST_ITEMS).map(diagnosticResult),
  };
}

function compileText(made: z.infer<typeof compileResult>): string {
  const lines = [...made.diagnostics, ...made.kernels.flatMap((each) => each.diagnostics)].map(
    ({ file, line, column, severity, code, message, notes }) =>
      [`${file}:${line}:${column}: ${severity} ${code}: ${message}`, ...notes].join('\n  '),
  );
  for (const name of made.unguessed)
    lines.push(`${name}: its constexpr arguments cannot be guessed: give a signature, or run it`);
  if (made.message !== null) lines.push(made.message);
  for (const { name, pass, text, ok } of made.kernels)
    if (ok) lines.push(`// ${name}, ${pass === null ? 'WGSL' : `after ${pass}`}\n${text}`);
  return `${lines.join('\n')}\n`;
}
