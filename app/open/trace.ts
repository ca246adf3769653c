/**
 * TritonParse traces (`.ndjson`, `.ndjson.gz`, raw and parsed): a line of JSON an event. Launches
 * that are alike (kernel, compilation, grid, arguments) count as one. Each becomes
 * a program: the kernel's source, tensors of the trace's shapes, strides and dtypes, scalars with
 * their values, the launch; and the TTIR that Triton made, as a file beside it. The elements of
 * tensors are not in a trace, so programs make some, and say so.
 *
 * Guarantee: what a trace holds becomes text of a program, or is left out; nothing of it runs.
 */
import type { ProgramFiles } from '../events';
import { isFileName } from '../state/fileNames';
import { OpenFault } from './fault';
import { argumentsOf, type TraceArgument } from './traceArguments';
import { kernelSource } from './traceSource';

/** Characters of a trace that are read, unpacked. */
export const MOST_TRACE = 400e6;
const MOST_LINE = 64e6;
/** Different launches that are listed. */
const MOST_LAUNCHES = 500;
const MOST_IR = 2e6;

interface Compilation {
  readonly name: string;
  readonly hash: string;
  readonly source: string;
  readonly ttir: string | null;
  readonly options: Readonly<Record<string, number>>;
}

export interface TraceLaunch {
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly arguments: readonly TraceArgument[];
  readonly compilation: Compilation | null;
  /** How many launches of the trace are like this. */
  readonly count: number;
}

export interface Trace {
  readonly launches: readonly TraceLaunch[];
  /** Kernels that were compiled and never launched, in this trace. */
  readonly compiled: readonly Compilation[];
  /** Launches of other kinds than those listed. */
  readonly more: number;
}

type Fields = Readonly<Record<string, unknown>>;
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Options of a launch that change what is compiled. */
const OPTIONS = ['num_warps', 'num_stages', 'num_ctas', 'maxnreg'] as const;

/** Reads a trace line by line, so that one of any length needs little room. */
export class TraceReader {
  private readonly compilations = new Map<string, Compilation>();
  private readonly found = new Map<string, Omit<TraceLaunch, 'compilation'> & { hash: string }>();
  /** Pieces of the line that has not ended. */
  private begun: string[] = [];
  private begunLength = 0;
  private length = 0;
  private events = 0;
  private more = 0;

  /** @throws OpenFault where the trace is too long, or none. */
  add(text: string): void {
    this.length += text.length;
    if (this.length > MOST_TRACE)
      throw new OpenFault(
        `The trace has more than ${MOST_TRACE / 1e6} million characters. Trace fewer kernels (TRITONPARSE_KERNEL_ALLOWLIST).`,
        'file',
      );
    const [first = '', ...others] = text.split('\n');
    this.begun.push(first);
    this.begunLength += first.length;
    if (this.begunLength > MOST_LINE)
      throw new OpenFault('This is no trace: a line of it has no end.', 'file');
    if (others.length === 0) return;
    const last = others.pop()!;
    this.line(this.begun.join(''));
    for (const line of others) this.line(line);
    this.begun = [last];
    this.begunLength = last.length;
  }

  private line(line: string): void {
    if (line.trim() === '') return;
    let event: Fields;
    try {
      event = fieldsOf(parsed(line));
    } catch {
      if (this.events > 0) return;
      throw new OpenFault('This is no trace of TritonParse: its first line is not JSON.', 'file');
    }
    this.events++;
    if (event['event_type'] === 'compilation') this.compilation(fieldsOf(event['payload']));
    else if (event['event_type'] === 'launch') this.launch(event);
  }

  private compilation(payload: Fields): void {
    const metadata = fieldsOf(payload['metadata']);
    const { name, hash } = metadata;
    if (typeof name !== 'string' || !IDENTIFIER.test(name)) return;
    const key = typeof hash === 'string' ? hash : name;
    const files = fieldsOf(payload['file_content']);
    const ttir = Object.entries(files).find(([file]) => file.endsWith('.ttir'))?.[1];
    this.compilations.set(key, {
      name,
      hash: key,
      source: kernelSource(fieldsOf(payload['python_source']), name),
      ttir: typeof ttir === 'string' && ttir.length <= MOST_IR ? ttir : null,
      options: optionsOf(metadata),
    });
  }

  private launch(event: Fields): void {
    const metadata = fieldsOf(event['compilation_metadata']);
    const name = typeof metadata['name'] === 'string' ? metadata['name'] : event['name'];
    const all = Array.isArray(event['grid']) ? event['grid'] : [];
    const grid = all.filter((each): each is number => Number.isSafeInteger(each));
    if (typeof name !== 'string' || !IDENTIFIER.test(name)) return;
    // A part of a grid would be another launch.
    if (grid.length === 0 || grid.length < all.length) return;
    const hash = typeof metadata['hash'] === 'string' ? metadata['hash'] : name;
    const given = argumentsOf(fieldsOf(event['extracted_args']));
    const key = JSON.stringify([hash, grid, given]);
    const same = this.found.get(key);
    if (!same && this.found.size >= MOST_LAUNCHES) {
      this.more++;
      return;
    }
    const count = (same?.count ?? 0) + 1;
    this.found.set(key, { hash, kernel: name, grid: grid.slice(0, 3), arguments: given, count });
  }

  /** @throws OpenFault where there is nothing to make a program of. */
  end(): Trace {
    this.line(this.begun.join(''));
    const byName = new Map([...this.compilations.values()].map((each) => [each.name, each]));
    const launches = [...this.found.values()].map(({ hash, ...launch }) => ({
      ...launch,
      compilation: this.compilations.get(hash) ?? byName.get(launch.kernel) ?? null,
    }));
    const launched = new Set(launches.map(({ compilation }) => compilation?.hash));
    const compiled = [...this.compilations.values()].filter(({ hash }) => !launched.has(hash));
    if (launches.length === 0 && compiled.length === 0)
      throw new OpenFault(
        'This is no trace of TritonParse: it has neither compilations nor launches.',
        'file',
      );
    return { launches, compiled, more: this.more };
  }
}

/**
 * A line as Python writes it. Infinities and NaN, of an argument or in a tensor's statistics, are
 * no JSON: they become texts.
 */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (!/NaN|Infinity/.test(line)) throw error;
    const token = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
    return JSON.parse(line.replace(token, (each) => (each.startsWith('"') ? each : `"${each}"`)));
  }
}

function optionsOf(metadata: Fields): Record<string, number> {
  const options: Record<string, number> = {};
  for (const name of OPTIONS) {
    // A kernel with specialized warps has more of them than its launch says.
    const value =
      name === 'num_warps' ? (metadata['num_warps_base'] ?? metadata[name]) : metadata[name];
    if (typeof value === 'number' && Number.isSafeInteger(value)) options[name] = value;
  }
  if (options['num_ctas'] === 1) delete options['num_ctas'];
  return options;
}

/** Why a launch cannot become a program; null where it can. */
export function launchProblem({ compilation, kernel }: TraceLaunch): string | null {
  if (compilation === null)
    return `The trace has no compilation of ${kernel}, so neither its source nor its TTIR. Trace the first run of it too, or paste the kernel into a new program.`;
  if (compilation.source === '')
    return `The trace has no source of ${kernel}. Trace it again where its Python file can be read, or paste the kernel into a new program.`;
  return null;
}

/**
 * A launch, or a kernel that was only compiled, as a program.
 * @throws OpenFault with `launchProblem`'s sentence.
 */
export function programOfLaunch(launch: TraceLaunch): {
  readonly files: ProgramFiles;
  readonly entry: string;
} {
  const problem = launchProblem(launch);
  const { compilation, kernel } = launch;
  if (problem !== null || compilation === null) throw new OpenFault(problem ?? '', 'paste');
  const entry = `${kernel}.py`;
  const ir = `${kernel}.ttir`;
  const names = launch.arguments.map(({ name }) => `${name}=${name}`);
  const options = Object.entries(compilation.options)
    .filter(([name]) => !launch.arguments.some((each) => each.name === name))
    .map(([name, value]) => `${name}=${value}`);
  const grid = `(${launch.grid.join(', ')}${launch.grid.length === 1 ? ',' : ''})`;
  const shown = launch.arguments.filter(({ kind }) => kind === 'tensor').at(-1)?.name;
  const tail =
    names.length === 0
      ? '# The trace has no launch with its arguments.\n'
      : `torch.manual_seed(0)\n${launch.arguments.map(({ code }) => code).join('\n')}\n\n` +
        `${kernel}[${grid}](\n${[...names, ...options].map((each) => `    ${each},\n`).join('')})\n` +
        `torch.cuda.synchronize()\n${shown === undefined ? '' : `print(${shown})\n`}`;
  const text = `"""A launch of ${kernel} from a trace of TritonParse.

A trace has no elements of tensors: floats here are random, integers 0 unless it has their range. It has the kernel's
own source: paste what the kernel calls and does not define.
"""

import torch
import triton
import triton.language as tl


${compilation.source.trimEnd()}


${tail}`;
  const files: Record<string, string> = { [entry]: text };
  if (compilation.ttir !== null && isFileName(ir)) files[ir] = compilation.ttir;
  return { files, entry };
}

/** A kernel without a launch in the trace. */
export const compiledOnly = (compilation: Compilation): TraceLaunch => ({
  kernel: compilation.name,
  grid: [],
  arguments: [],
  compilation,
  count: 0,
});
