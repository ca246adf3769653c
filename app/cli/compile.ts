/** `hippocamp compile`: the kernels of a file, compiled without running it. */
import type { CompileCommand } from './options';

export async function compileCommand(command: CompileCommand, root: string): Promise<number> {
  void root;
  process.stderr.write(`hippocamp: cannot compile ${command.file} yet\n`);
  return 1;
}
