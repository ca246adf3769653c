/**
 * `hippocamp compile`: the kernels of a file, compiled without running it, for a guessed launch.
 */
import { formatLocation } from '../../compiler/ir/location';
import { noteText, type Diagnostic } from '../../compiler/diagnostics';
import type { ScheduleDecision } from '../../compiler/schedule';
import type { ProgramFiles } from '../events';
import { openProgram } from '../library/compile';
import type { Compiled } from '../library/types';
import type { Undecodable } from '../sourceText';
import { compileAll } from './compileAll';
import { reachable, type ReadProgram } from './files';
import { tryReadProgram } from './programs';
import { write } from './standardOutput';
import { nodeParser } from './nodeParser';
import type { CompileCommand } from './options';
import type { DeepReadonly } from './schema/common';
import type { CompileJson } from './schema/outputs';

export async function compileCommand(command: CompileCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${printable(text)}\n`);
  const program = tryReadProgram(command.file, say);
  if (!program) return 2;
  const texts = reachable(program);
  const problems = unreadable(program, texts, command.file);
  if (command.json) return printJson(command, texts, problems, root);
  for (const each of problems) say(`hippocamp: ${each}`);
  if (problems.length > 0) return 1;
  const { diagnostics, kernels, compile } = openProgram(texts, await nodeParser(root));
  for (const each of diagnostics) say(describe(each));
  const wanted = kernels.filter((kernel) =>
    command.kernel === null
      ? kernel.file === program.entry && !kernel.helper
      : kernel.name === command.kernel,
  );
  if (wanted.length === 0) {
    say(
      command.kernel === null
        ? `${program.entry} has no @triton.jit function`
        : `there is no kernel ${command.kernel}; there are ${kernels.map((k) => k.name).join(', ')}`,
    );
    return 1;
  }
  let failed = diagnostics.some((each) => each.severity === 'error');
  for (const kernel of wanted) {
    if (!kernel.guessed) {
      say(
        `${kernel.name}: its constexpr arguments cannot be guessed from the text; run it instead`,
      );
      failed ||= command.kernel !== null;
      continue;
    }
    const { target, emit } = command;
    const passes = emit === 'ir' || emit === 'passes';
    const made = compile(kernel, { target, passes, checked: true });
    if (!made.ok) {
      failed = true;
      for (const each of made.diagnostics) say(describe(each));
      continue;
    }
    process.stdout.write(show(emit, made));
  }
  return failed ? 1 : 0;
}

async function printJson(
  { kernel, target, emit }: CompileCommand,
  texts: ProgramFiles,
  problems: readonly string[],
  root: string,
): Promise<number> {
  const keep = emit === 'ir' ? 'last' : emit === 'passes' ? 'all' : 'none';
  const message = problems.length > 0 ? problems.join('\n') : null;
  const nothing = { version: 1, target, diagnostics: [], kernels: [], unguessed: [] } as const;
  const made =
    message === null
      ? compileAll(texts, await nodeParser(root), { kernel, target, keep })
      : ({ ...nothing, message } satisfies DeepReadonly<CompileJson>);
  await write(`${JSON.stringify(made)}\n`);
  const found = [...made.diagnostics, ...made.kernels.flatMap((each) => each.diagnostics)];
  const failed = made.message !== null || found.some(({ severity }) => severity === 'error');
  const missing = kernel !== null && made.unguessed.length > 0;
  return failed || missing || made.kernels.some(({ ok }) => !ok) ? 1 : 0;
}

/** Why files of the program are no Python text. */
function unreadable(
  { files, entry, undecodable }: ReadProgram,
  texts: ProgramFiles,
  path: string,
): string[] {
  if (files[entry]?.includes('\0')) return [`${path} is not Python text: it holds null bytes`];
  return [...undecodable]
    .filter(([name]) => name in texts)
    .map(([name, problem]) => describeBytes(name, problem));
}

/** The fault of a file that is not text, in Python's words. */
function describeBytes(name: string, { message, line }: Undecodable): string {
  const what = message.startsWith('encoding problem')
    ? 'is not text of the encoding that it declares'
    : 'is not UTF-8 text';
  return `${name} ${what}: line ${line}: ${message}`;
}

/** Without what a terminal would obey: messages quote the program. */
function printable(text: string): string {
  return text.replace(
    /[\0-\x08\x0B-\x1F\x7F-\x9F]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

function show(
  emit: CompileCommand['emit'],
  { name, wgsl, passes: log, schedule }: Compiled,
): string {
  switch (emit) {
    case 'schedule':
      return `${name}\n${schedule.map(describeDecision).join('')}`;
    case 'wgsl':
      return `// ${name}\n${wgsl}\n`;
    case 'ir':
      return `// ${name}\n${log.findLast((record) => record.ir !== '')?.ir ?? ''}\n`;
    case 'passes':
      return log
        .map(
          (record) =>
            `// ${name}: ${record.index} ${record.phase}/${record.name}, ` +
            `${record.changed ? 'changed' : 'unchanged'}, ${record.milliseconds.toFixed(1)} ms\n` +
            (record.changed ? `${record.ir}\n` : ''),
        )
        .join('\n');
    default:
      return emit satisfies never;
  }
}

function describeDecision({ field, chosen, why, next, location }: ScheduleDecision): string {
  const at = location ? ` (${location.file}:${location.line})` : '';
  return `  ${field}: ${chosen}${at}\n    why: ${why}\n    next best: ${next ?? 'none'}\n`;
}

function describe({ severity, code, message, location, notes }: Diagnostic): string {
  const lines = notes.map((note) => `\n  ${noteText(note)}`).join('');
  return `${formatLocation(location)}: ${severity} ${code}: ${message}${lines}`;
}
