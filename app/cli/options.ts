/** The command line: what it takes, and what it says where it is wrong. */
import { parseArgs } from 'node:util';
import { findProfile, PROFILE_IDS } from '../../compiler/targets/index';

export const USAGE = `Usage:
  hippocamp run FILE.py [options]      run a program and report what it did; what it imports from its
                                       folder comes along. A folder runs its main.py, a notebook
                                       (FILE.ipynb) its cells; an address (https://github.com/…, a gist,
                                       Hugging Face, a raw file) is fetched
  hippocamp prove FILE.py [options]    prove its algebra, its bounds and that programs do not race
  hippocamp check FILE.py --against REFERENCE [options]
                                       judge a program by a problem's hidden checks (docs/check.md): a folder,
                                       or a reference.py. FILE.py may be a link of the page
  hippocamp compile FILE.py [options]  compile its kernels for specializations read off the text
  hippocamp compile --target list      list the targets that can be compiled for
  hippocamp bench FILE.py [options]    measure its benchmarks (triton.testing.perf_report, do_bench) and
                                       print their tables; of a program without any, time its launches
  hippocamp diff BEFORE AFTER [--json] time of each kernel in two runs: files that run --json wrote
  hippocamp mcp [options]              serve these commands as tools of the Model Context Protocol, on
                                       standard input and output

Options of run:
  --json                 one JSON object on standard output (docs/json.md)
  --adapter KIND         webgpu (the default) or interpreter
  --timeout SECONDS      stop the program after this long
  --max-memory N         stop the program when its process holds more than N bytes
  --max-bytes N          refuse tensors above N bytes (default: 512 MiB where the CPU computes, else 1 GiB)
  --chart-seconds N      leave out points of a benchmark chart after N seconds; 0: never (default: 40
                         where the CPU computes, else 120)
  --tune                 search the schedule of each kernel, within --tune-seconds (60 by default where a
                         GPU computes), and keep what is faster than the default for later runs with --tune
  --tune-seconds N       stop measuring configurations of autotune after N seconds; 0: never (default:
                         10 where the CPU computes, else never)
  --seed N               what torch's random numbers start from (default 0)
  --check                interpret every launch's IR after every pass, and compare
  --verify               interpret launches on the data that they had, and compare with what the GPU gave; large ones by a
                         sample of their programs, drawn from --verify-seed (default 0)
  --verify-report FILE   where one differs: write what shows it again
  --packages FOLDER      wheels that the program may import: those of Pyodide’s index, or pure Python ones
  --allow-node           let the program reach Node (files, processes, the network), as js and os.system do
  --instrumentation fpsan  compute floats in a ring, as Triton's TRITON_INSTRUMENTATION_MODE=fpsan

  --trace FILE           write the run as a Chrome trace, which Perfetto opens
  --proton FILE          write the run as Proton's tree, which proton-viewer opens (NAME.hatchet)
  --cases FOLDER         write the failing cases of sweeps (hippocamp_testing) there, as programs

Options of prove: --json (the report of docs/prove.md), --adapter, --timeout (of each of its runs), --max-memory,
  --max-bytes, --seed and --allow-node, as of run

Options of check: --json (the report), --seed (of the inputs; a new one without it), --adapter, --timeout,
  --max-memory and --max-bytes, as of run
  --result TEXT          in place of FILE.py: check again what a report's result holds, and say whether it is the same

Options of bench: --adapter, --timeout, --max-memory, --max-bytes, --seed, --allow-node, --chart-seconds,
  --tune-seconds and --packages, as of run
  --json                 one JSON object on standard output, in place of the tables
  --csv FOLDER           write each table there, too, as Triton's save_path does: NAME.csv
  --against OLD.json     compare with what bench --json wrote before: the ratio of each row, and whether
                         it is beyond the noise of the repeats
  --repeats N            measure everything N times (default 3); a value is the median, and the
                         distance of the extremes its noise
  --warmup MS, --rep MS  in place of the times that calls of do_bench name; --warmup adds calls before
                         the GPU's own warm-up

Options of compile:
  --kernel NAME          only this kernel
  --emit WHAT            wgsl (the default), ir (after the last pass), passes (after each), or schedule:
                         what the compiler chose, why, and the next best
  --target NAME          as another GPU would get it (default: baseline, which every adapter can run)
  --json                 one JSON object on standard output: each kernel with its WGSL and IR, diagnostics

Options of mcp:
  --http                 streamable HTTP on 127.0.0.1 in place of standard input and output
  --port N               with --http (default 8931; 0: any free port)
  --allow-origin ORIGIN  with --http: accept requests that a page of this origin makes

Exit codes: 0 the program ended without an error (a store out of range is one, a load is a warning), every comparison
held, and --check and --verify found no difference; 1 it did not; 2 wrong usage.
Of bench: 0 the program ended without an error and something was measured, whatever the ratios; 1 not.
Of check: 0 accepted (with --result: the same), 1 refused (another), 2 undecided, or wrong usage.
Of prove: 0 all that was decided holds, 1 something fails, 2 nothing was decided, or wrong usage.`;

export interface RunCommand {
  readonly kind: 'run';
  readonly file: string;
  readonly json: boolean;
  readonly adapter: 'webgpu' | 'interpreter';
  /** Seconds. */
  readonly timeout: number | null;
  /** Bytes of the program's process. */
  readonly maxMemory: number | null;
  /** Null where the adapter decides. */
  readonly maxBytes: number | null;
  readonly chartSeconds: number | null;
  readonly tuneSeconds: number | null;
  /** Schedules are searched. */
  readonly tune?: boolean;
  readonly seed: number;
  /** The program's process has the rights of this one. */
  readonly allowNode: boolean;
  readonly check: boolean;
  readonly verify?: { readonly seed: number; readonly report: string | null };
  readonly instrumentation?: 'fpsan';
  /** Folder of wheels. */
  readonly packages?: string;
  /** Files that the run is written to. */
  readonly trace?: string;
  readonly proton?: string;
  /** A folder for the failing cases of sweeps. */
  readonly cases?: string;
}
export type ProveCommand = Omit<
  RunCommand,
  | 'kind'
  | 'chartSeconds'
  | 'tuneSeconds'
  | 'tune'
  | 'check'
  | 'verify'
  | 'instrumentation'
  | 'packages'
  | 'trace'
  | 'proton'
  | 'cases'
> & { readonly kind: 'prove' };
export type BenchCommand = Omit<ProveCommand, 'kind'> &
  Pick<RunCommand, 'chartSeconds' | 'tuneSeconds' | 'packages'> & {
    readonly kind: 'bench';
    /** A folder for tables. */
    readonly csv: string | null;
    /** A file of an earlier `bench --json`. */
    readonly against: string | null;
    readonly repeats: number;
    /** Milliseconds; null: as the program has it. */
    readonly warmup: number | null;
    readonly rep: number | null;
  };
export type CheckCommand = Omit<ProveCommand, 'kind' | 'file' | 'seed' | 'allowNode'> & {
  readonly kind: 'check';
  /** A file, or a link; null with `result`. */
  readonly file: string | null;
  readonly against: string;
  /** Null: drawn for this check. */
  readonly seed: number | null;
  readonly result: string | null;
};
export interface CompileCommand {
  readonly kind: 'compile';
  readonly file: string;
  readonly kernel: string | null;
  readonly emit: 'passes' | 'ir' | 'wgsl' | 'schedule';
  /** The id of a profile. */
  readonly target: string;
  readonly json: boolean;
}
export interface DiffCommand {
  readonly kind: 'diff';
  readonly before: string;
  readonly after: string;
  readonly json: boolean;
}
export interface McpCommand {
  readonly kind: 'mcp';
  /** Null: standard input and output. */
  readonly http: { readonly port: number; readonly origin: string | null } | null;
}
export type Command =
  | RunCommand
  | ProveCommand
  | CheckCommand
  | BenchCommand
  | CompileCommand
  | DiffCommand
  | McpCommand
  | { readonly kind: 'targets' }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

class Wrong extends Error {}

export function parseCommand(args: readonly string[]): Command {
  try {
    return parse(args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node goes on with how to write such a text as a file, which nobody means here.
    const unknown = /^Unknown option '([^']+)'/.exec(message)?.[1];
    return { kind: 'wrong', message: unknown ? `there is no option ${unknown}` : message };
  }
}

function parse(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      json: { type: 'boolean' },
      adapter: { type: 'string' },
      timeout: { type: 'string' },
      'max-memory': { type: 'string' },
      'max-bytes': { type: 'string' },
      'chart-seconds': { type: 'string' },
      'tune-seconds': { type: 'string' },
      tune: { type: 'boolean' },
      seed: { type: 'string' },
      check: { type: 'boolean' },
      verify: { type: 'boolean' },
      'verify-seed': { type: 'string' },
      'verify-report': { type: 'string' },
      'allow-node': { type: 'boolean' },
      instrumentation: { type: 'string' },
      kernel: { type: 'string' },
      emit: { type: 'string' },
      target: { type: 'string' },
      against: { type: 'string' },
      result: { type: 'string' },
      packages: { type: 'string' },
      trace: { type: 'string' },
      proton: { type: 'string' },
      cases: { type: 'string' },
      csv: { type: 'string' },
      repeats: { type: 'string' },
      warmup: { type: 'string' },
      rep: { type: 'string' },
      http: { type: 'boolean' },
      port: { type: 'string' },
      'allow-origin': { type: 'string' },
    },
  });
  if (values.help) return { kind: 'help' };
  const [verb, ...files] = positionals;
  if (verb === undefined) throw new Wrong(`say what to do: ${VERBS.join(', ')}`);
  if (!isVerb(verb)) throw new Wrong(`${verb} is not a command`);
  if (verb === 'compile' && values.target === 'list' && files.length === 0)
    return { kind: 'targets' };
  if (verb === 'run' && values.target !== undefined)
    throw new Wrong(
      'run has no option --target: a program runs on the adapter at hand; for another target ' +
        'its kernels can only be compiled (hippocamp compile)',
    );
  for (const name of Object.keys(values) as (keyof Values)[])
    if (!OPTIONS[verb].includes(name)) throw new Wrong(`${verb} has no option --${name}`);
  switch (verb) {
    case 'run':
      return { kind: 'run', ...common(verb, files, values), ...ofRun(values) };
    case 'prove':
      return { kind: 'prove', ...common(verb, files, values) };
    case 'check':
      return checkOf(files, values);
    case 'bench':
      return benchOf(files, values);
    case 'compile':
      return {
        kind: 'compile',
        file: onlyFile(verb, files),
        kernel: values.kernel ?? null,
        emit: oneOf('emit', values.emit ?? 'wgsl', ['passes', 'ir', 'wgsl', 'schedule']),
        target: profileId(values.target ?? 'baseline'),
        json: values.json ?? false,
      };
    case 'diff': {
      const [before, after, ...rest] = files;
      if (before === undefined || after === undefined || rest.length > 0)
        throw new Wrong('diff needs two files, which run --json wrote');
      return { kind: 'diff', before, after, json: values.json ?? false };
    }
    case 'mcp':
      if (files.length > 0) throw new Wrong(`mcp takes no file: ${files.join(' ')}`);
      return { kind: 'mcp', http: httpOf(values) };
    default:
      return verb satisfies never;
  }
}

const VERBS = ['run', 'prove', 'check', 'bench', 'compile', 'diff', 'mcp'] as const;
type Verb = (typeof VERBS)[number];
const isVerb = (text: string): text is Verb => VERBS.some((verb) => verb === text);

function onlyFile(verb: Verb, [file, ...rest]: readonly string[]): string {
  if (file === undefined) throw new Wrong(`${verb} needs a Python file`);
  if (rest.length > 0) throw new Wrong(`${verb} takes one file, not also ${rest.join(' ')}`);
  return file;
}

function common(verb: Verb, files: readonly string[], values: Values): Omit<ProveCommand, 'kind'> {
  return {
    file: onlyFile(verb, files),
    json: values.json ?? false,
    adapter: oneOf('adapter', values.adapter ?? 'webgpu', ['webgpu', 'interpreter']),
    timeout: values.timeout === undefined ? null : positive('timeout', values.timeout),
    maxMemory: optionalInteger('max-memory', values['max-memory']),
    maxBytes: optionalInteger('max-bytes', values['max-bytes']),
    seed: integer('seed', values.seed ?? '0'),
    allowNode: values['allow-node'] ?? false,
  };
}

function checkOf(files: readonly string[], values: Values): CheckCommand {
  const { against, result, seed } = values;
  if (against === undefined) throw new Wrong('check needs --against: a problem, or a reference.py');
  if (result !== undefined && (files.length > 0 || seed !== undefined))
    throw new Wrong('check takes a program, or --result, which has its own program and seed');
  const named = result === undefined ? files : ['-'];
  const { file, seed: _seed, allowNode: _, ...rest } = common('check', named, values);
  return {
    kind: 'check',
    ...rest,
    file: result === undefined ? file : null,
    against,
    seed: seed === undefined ? null : integer('seed', seed),
    result: result ?? null,
  };
}

/** More would be a mistake: each takes as long as the program's benchmarks. */
const MOST_REPEATS = 1000;

function benchOf(files: readonly string[], values: Values): BenchCommand {
  const repeats = integer('repeats', values.repeats ?? '3');
  if (repeats < 1 || repeats > MOST_REPEATS)
    throw new Wrong(`--repeats is from 1 to ${MOST_REPEATS}, not ${repeats}`);
  const milliseconds = (name: 'warmup' | 'rep'): number | null => {
    const text = values[name];
    return text === undefined ? null : positive(name, text);
  };
  return {
    kind: 'bench',
    ...common('bench', files, values),
    chartSeconds: optionalInteger('chart-seconds', values['chart-seconds']),
    tuneSeconds: optionalInteger('tune-seconds', values['tune-seconds']),
    ...(values.packages === undefined ? {} : { packages: values.packages }),
    csv: values.csv ?? null,
    against: values.against ?? null,
    repeats,
    warmup: milliseconds('warmup'),
    rep: milliseconds('rep'),
  };
}

function ofRun(values: Values): Omit<RunCommand, 'kind' | keyof Omit<ProveCommand, 'kind'>> {
  const mode = values.instrumentation;
  if (values.tune && values.adapter === 'interpreter')
    throw new Wrong('--tune searches schedules of a GPU: the interpreter has none');
  return {
    chartSeconds: optionalInteger('chart-seconds', values['chart-seconds']),
    tuneSeconds: optionalInteger('tune-seconds', values['tune-seconds']),
    ...(values.tune ? { tune: true } : {}),
    check: values.check ?? false,
    ...verifyOf(values),
    ...(mode === undefined
      ? {}
      : { instrumentation: oneOf<'fpsan'>('instrumentation', mode, ['fpsan']) }),
    ...(values.trace === undefined ? {} : { trace: values.trace }),
    ...(values.packages === undefined ? {} : { packages: values.packages }),
    ...(values.proton === undefined ? {} : { proton: values.proton }),
    ...(values.cases === undefined ? {} : { cases: values.cases }),
  };
}

function verifyOf(values: Values): Pick<RunCommand, 'verify'> {
  const [seed, report] = [values['verify-seed'], values['verify-report']];
  if (!values.verify) {
    if (seed !== undefined || report !== undefined)
      throw new Wrong('--verify-seed and --verify-report need --verify');
    return {};
  }
  return { verify: { seed: integer('verify-seed', seed ?? '0'), report: report ?? null } };
}

/** A port that nothing else of note has. */
const PORT = '8931';

function httpOf(values: Values): McpCommand['http'] {
  if (!values.http) {
    const given = (['port', 'allow-origin'] as const).find((name) => values[name] !== undefined);
    if (given) throw new Wrong(`--${given} needs --http`);
    return null;
  }
  const port = integer('port', values.port ?? PORT);
  if (port > 65535) throw new Wrong(`--port is at most 65535, not ${port}`);
  const origin = values['allow-origin'] ?? null;
  if (origin !== null && !(URL.canParse(origin) && new URL(origin).origin === origin))
    throw new Wrong(`--allow-origin is an origin, such as http://localhost:6274, not ${origin}`);
  return { port, origin };
}

interface Values {
  readonly json?: boolean | undefined;
  readonly adapter?: string | undefined;
  readonly timeout?: string | undefined;
  readonly 'max-memory'?: string | undefined;
  readonly 'max-bytes'?: string | undefined;
  readonly 'chart-seconds'?: string | undefined;
  readonly 'tune-seconds'?: string | undefined;
  readonly tune?: boolean | undefined;
  readonly seed?: string | undefined;
  readonly 'allow-node'?: boolean | undefined;
  readonly check?: boolean | undefined;
  readonly verify?: boolean | undefined;
  readonly 'verify-seed'?: string | undefined;
  readonly 'verify-report'?: string | undefined;
  readonly instrumentation?: string | undefined;
  readonly kernel?: string | undefined;
  readonly emit?: string | undefined;
  readonly target?: string | undefined;
  readonly against?: string | undefined;
  readonly result?: string | undefined;
  readonly packages?: string | undefined;
  readonly trace?: string | undefined;
  readonly proton?: string | undefined;
  readonly cases?: string | undefined;
  readonly csv?: string | undefined;
  readonly repeats?: string | undefined;
  readonly warmup?: string | undefined;
  readonly rep?: string | undefined;
  readonly http?: boolean | undefined;
  readonly port?: string | undefined;
  readonly 'allow-origin'?: string | undefined;
}

const OF_RUNS = [
  'json',
  'adapter',
  'timeout',
  'max-memory',
  'max-bytes',
  'seed',
  'allow-node',
] as const;
/** The options of each command. */
const OPTIONS: Readonly<Record<Verb, readonly (keyof Values)[]>> = {
  run: [
    ...OF_RUNS,
    'verify',
    'verify-seed',
    'verify-report',
    'chart-seconds',
    'tune-seconds',
    'tune',
    'check',
    'instrumentation',
    'packages',
    'trace',
    'proton',
    'cases',
  ],
  prove: OF_RUNS,
  check: [...OF_RUNS.filter((name) => name !== 'allow-node'), 'against', 'result'],
  bench: [
    ...OF_RUNS,
    'chart-seconds',
    'tune-seconds',
    'packages',
    'csv',
    'against',
    'repeats',
    'warmup',
    'rep',
  ],
  compile: ['kernel', 'emit', 'target', 'json'],
  diff: ['json'],
  mcp: ['http', 'port', 'allow-origin'],
};

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (!found) throw new Wrong(`--${name} is ${choices.join(' or ')}, not ${text}`);
  return found;
}

function profileId(text: string): string {
  if (!findProfile(text)) throw new Wrong(`--target is ${PROFILE_IDS.join(', ')}, not ${text}`);
  return text;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Wrong(`--${name} is a positive number, not ${text}`);
  return value;
}

function optionalInteger(name: string, text: string | undefined): number | null {
  return text === undefined ? null : integer(name, text);
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new Wrong(`--${name} is a whole number, not ${text}`);
  }
  return value;
}
