/** The command line: what it takes, and what it says where it is wrong. */
import { parseArgs } from 'node:util';
import { findProfile, PROFILE_IDS } from '../../compiler/targets/index';

export const USAGE = `Usage:
  hippocamp run FILE.py [options]      run a program and report what it did; what it imports from its
                                       folder comes along. A folder runs its main.py
  hippocamp prove FILE.py [options]    prove its algebra, its bounds and that programs do not race
  hippocamp compile FILE.py [options]  compile its kernels for specializations read off the text
  hippocamp compile --target list      list the targets that can be compiled for

Options of run:
  --json                 one JSON object on standard output: { adapter, events, outcome }
  --adapter KIND         webgpu (the default) or interpreter
  --timeout SECONDS      stop the program after this long
  --max-memory N         stop the program when its process holds more than N bytes
  --max-bytes N          refuse tensors above N bytes (default: 512 MiB where the CPU computes, else 1 GiB)
  --chart-seconds N      leave out points of a benchmark chart after N seconds; 0: never (default: 40
                         where the CPU computes, else 120)
  --tune-seconds N       stop measuring configurations of autotune after N seconds; 0: never (default:
                         10 where the CPU computes, else never)
  --seed N               what torch's random numbers start from (default 0)
  --check                interpret every launch's IR after every pass, and compare
  --allow-node           let the program reach Node (files, processes, the network), as js and os.system do
  --instrumentation fpsan  compute floats in a ring, as Triton's TRITON_INSTRUMENTATION_MODE=fpsan

Options of prove: --json (the report of docs/prove.md), --adapter, --timeout (of each of its runs), --max-memory,
  --max-bytes, --seed and --allow-node, as of run

Options of compile:
  --kernel NAME          only this kernel
  --emit WHAT            wgsl (the default), ir (after the last pass), or passes (after each)
  --target NAME          as another GPU would get it (default: baseline, which every adapter can run)

Exit codes: 0 the program ended and every comparison held, 1 it did not, 2 wrong usage.
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
  readonly seed: number;
  /** The program's process has the rights of this one. */
  readonly allowNode: boolean;
  readonly check: boolean;
  readonly instrumentation?: 'fpsan';
}
export type ProveCommand = Omit<
  RunCommand,
  'kind' | 'chartSeconds' | 'tuneSeconds' | 'check' | 'instrumentation'
> & { readonly kind: 'prove' };
export interface CompileCommand {
  readonly kind: 'compile';
  readonly file: string;
  readonly kernel: string | null;
  readonly emit: 'passes' | 'ir' | 'wgsl';
  /** The id of a profile. */
  readonly target: string;
}
export type Command =
  | RunCommand
  | ProveCommand
  | CompileCommand
  | { readonly kind: 'targets' }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

class Wrong extends Error {}

export function parseCommand(args: readonly string[]): Command {
  try {
    return parse(args);
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) };
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
      seed: { type: 'string' },
      check: { type: 'boolean' },
      'allow-node': { type: 'boolean' },
      instrumentation: { type: 'string' },
      kernel: { type: 'string' },
      emit: { type: 'string' },
      target: { type: 'string' },
    },
  });
  if (values.help) return { kind: 'help' };
  const [verb, file, ...rest] = positionals;
  if (verb === undefined) throw new Wrong('say what to do: run, prove or compile');
  if (verb !== 'run' && verb !== 'prove' && verb !== 'compile')
    throw new Wrong(`${verb} is not a command`);
  if (verb === 'compile' && values.target === 'list' && file === undefined)
    return { kind: 'targets' };
  if (file === undefined) throw new Wrong(`${verb} needs a Python file`);
  if (rest.length > 0) throw new Wrong(`${verb} takes one file, not also ${rest.join(' ')}`);
  if (verb === 'run' && values.target !== undefined)
    throw new Wrong(
      'run has no option --target: a program runs on the adapter at hand; for another target ' +
        'its kernels can only be compiled (hippocamp compile)',
    );
  const foreign = FOREIGN[verb];
  for (const name of foreign) {
    if (values[name] !== undefined) throw new Wrong(`${verb} has no option --${name}`);
  }
  if (verb !== 'compile') {
    const common = {
      file,
      json: values.json ?? false,
      adapter: oneOf('adapter', values.adapter ?? 'webgpu', ['webgpu', 'interpreter']),
      timeout: values.timeout === undefined ? null : positive('timeout', values.timeout),
      maxMemory: optionalInteger('max-memory', values['max-memory']),
      maxBytes: optionalInteger('max-bytes', values['max-bytes']),
      seed: integer('seed', values.seed ?? '0'),
      allowNode: values['allow-node'] ?? false,
    };
    if (verb === 'prove') return { kind: 'prove', ...common };
    const mode = values.instrumentation;
    return {
      kind: 'run',
      ...common,
      chartSeconds: optionalInteger('chart-seconds', values['chart-seconds']),
      tuneSeconds: optionalInteger('tune-seconds', values['tune-seconds']),
      check: values.check ?? false,
      ...(mode === undefined
        ? {}
        : { instrumentation: oneOf<'fpsan'>('instrumentation', mode, ['fpsan']) }),
    };
  }
  return {
    kind: 'compile',
    file,
    kernel: values.kernel ?? null,
    emit: oneOf('emit', values.emit ?? 'wgsl', ['passes', 'ir', 'wgsl']),
    target: profileId(values.target ?? 'baseline'),
  };
}

/** Options of the other commands. */
const FOREIGN = {
  run: ['kernel', 'emit'],
  prove: ['kernel', 'emit', 'target', 'chart-seconds', 'tune-seconds', 'check', 'instrumentation'],
  compile: [
    'json',
    'adapter',
    'timeout',
    'max-memory',
    'max-bytes',
    'chart-seconds',
    'tune-seconds',
    'seed',
    'check',
    'allow-node',
    'instrumentation',
  ],
} as const;

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
