/**
 * `hippocamp compile`: the kernels of a file, compiled without running it, for a guessed launch.
 */
import { createCompiler } from '../../compiler/pipeline';
import { DEFAULT_OPTIONS, type CompileRequest, type CompileResult } from '../../compiler/program';
import { formatLocation } from '../../compiler/ir/location';
import { settle } from '../../compiler/regroup';
import { findProfile } from '../../compiler/targets/index';
import { retarget } from '../../compiler/targets/retarget';
import { noteText, type Diagnostic } from '../../compiler/diagnostics';
import { checkProgram, helpersOf } from '../../compiler/language/checkProgram';
import type { Undecodable } from '../sourceText';
import { reachable, readProgram } from './files';
import { nodeParser } from './nodeParser';
import type { CompileCommand } from './options';

export async function compileCommand(command: CompileCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${printable(text)}\n`);
  let program: ReturnType<typeof readProgram>;
  try {
    program = readProgram(command.file);
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const source = program.files[program.entry] ?? '';
  if (source.includes('\0')) {
    say(`hippocamp: ${command.file} is not Python text: it holds null bytes`);
    return 1;
  }
  const texts = reachable(program);
  const undecodable = [...program.undecodable].filter(([name]) => name in texts);
  for (const [name, problem] of undecodable) say(`hippocamp: ${describeBytes(name, problem)}`);
  if (undecodable.length > 0) return 1;
  const parser = await nodeParser(root);
  const compiler = createCompiler(parser);
  const { diagnostics, kernels } = checkProgram(texts, parser, compiler);
  for (const each of diagnostics) say(describe(each));
  const helpers = helpersOf(kernels);
  const wanted = kernels.filter((kernel) =>
    command.kernel === null
      ? kernel.location.file === program.entry && !helpers.has(kernel.program.entry)
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
  const { target } = findProfile(command.target)!;
  let failed = diagnostics.some((each) => each.severity === 'error');
  for (const kernel of wanted) {
    if (!kernel.guess) {
      say(
        `${kernel.name}: its constexpr arguments cannot be guessed from the text; run it instead`,
      );
      failed ||= command.kernel !== null;
      continue;
    }
    const own: CompileRequest = {
      program: kernel.program,
      specialization: kernel.guess,
      target,
      options: { ...DEFAULT_OPTIONS, verify: true, keepIr: command.emit !== 'wgsl' },
    };
    const { result } = settle((each) => compiler.compile(each), retarget(own, target));
    if (result.kind !== 'compiled') {
      failed = true;
      if (result.kind === 'failed') for (const each of result.diagnostics) say(describe(each));
      continue;
    }
    process.stdout.write(show(command.emit, kernel.name, result));
  }
  return failed ? 1 : 0;
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
  name: string,
  { kernel, log }: CompileResult & { kind: 'compiled' },
): string {
  switch (emit) {
    case 'wgsl':
      return `// ${name}\n${kernel.wgsl}\n`;
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

function describe({ severity, code, message, location, notes }: Diagnostic): string {
  const lines = notes.map((note) => `\n  ${noteText(note)}`).join('');
  return `${formatLocation(location)}: ${severity} ${code}: ${message}${lines}`;
}
