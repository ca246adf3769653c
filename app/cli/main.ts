/**
 * The headless runner. This process only watches: the program runs in another one, which can be
 * ended at any moment (an endless loop in Python, a GPU that hangs, a driver that crashes) without
 * losing the events that came before.
 */
import { resolve } from 'node:path';
import { PROFILES, type Profile } from '../../compiler/targets/index';
import { checkCommand } from './check';
import { compileCommand } from './compile';
import { diffCommand } from './diff';
import { isAddress } from './programs';
import { TOOL_PROCESS } from './mcp/jobs';
import { parseCommand, USAGE } from './options';
import { ALLOW_NODE, PROGRAM_PROCESS, programProcess } from './programProcess';
import { hasPython } from './pythonSnapshot';
import { proveCommand } from './prove';
import { runCommand } from './run';
import { holdSignals } from './signals';

/**
 * @param held takes the signals that came before.
 * @returns the exit code.
 */
export async function main(
  args: readonly string[],
  root: string,
  held: () => readonly NodeJS.Signals[] = () => [],
): Promise<number> {
  holdSignals(held);
  if (args[0] === PROGRAM_PROCESS) return programProcess(root, args[1] === ALLOW_NODE);
  if (args[0] === TOOL_PROCESS) return (await import('./mcp/toolProcess')).toolProcess(root);
  endOnWriteErrors();
  const command = parseCommand(args);
  switch (command.kind) {
    case 'help':
      process.stdout.write(`${USAGE}\n`);
      return 0;
    case 'targets':
      process.stdout.write(PROFILES.map(listed).join(''));
      return 0;
    case 'wrong':
      process.stderr.write(`hippocamp: ${command.message}\n\n${USAGE}\n`);
      return 2;
    case 'run':
    case 'prove':
    case 'check':
    case 'bench':
      if (!hasPython(root)) {
        process.stderr.write(
          `hippocamp ${command.kind} needs the package pyodide, which is not installed: npm install pyodide\n`,
        );
        return 2;
      }
      if (command.kind === 'check') return checkCommand(command, root);
      if (command.kind === 'bench') {
        const { benchCommand } = await import('./bench');
        return benchCommand({ ...command, file: fileOf(command.file) }, root);
      }
      return command.kind === 'prove'
        ? proveCommand({ ...command, file: fileOf(command.file) }, root)
        : runCommand({ ...command, file: fileOf(command.file) }, root);
    case 'compile':
      return compileCommand({ ...command, file: fileOf(command.file) }, root);
    case 'diff':
      return diffCommand(command);
    case 'mcp': {
      const { mcpCommand } = await import('./mcp/command');
      return mcpCommand(command, root);
    }
    default:
      return unreachable(command);
  }
}

/** A file by its full path; an address as it is. */
const fileOf = (file: string): string => (isAddress(file) ? file : resolve(file));

/** A line of the list of targets: its name for `--target`, and the GPU's. */
function listed({ id, target }: Profile): string {
  return `${id.padEnd(20)}${target.name}\n`;
}

/** A closed pipe (`| head`) ends the runner without a word, a full disk with one sentence. */
function endOnWriteErrors(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`hippocamp: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // There is nobody left to inform.
  process.stderr.on('error', () => process.exit(1));
}

function unreachable(command: never): never {
  throw new Error(`unknown command ${JSON.stringify(command)}`);
}
