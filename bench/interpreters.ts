/**
 * `npm run bench:interpreter -- --triton PYTHON`: our interpreter against Triton's own, on the
 * programs of `bench/interpreter/`. PYTHON is one that has `triton` and `torch`; it runs them with
 * TRITON_INTERPRET=1. Each program prints the seconds of its fastest run, its results checked.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const PROGRAMS = join(import.meta.dirname, 'interpreter');

const { values } = parseArgs({ options: { triton: { type: 'string' } } });

function seconds(command: string, args: readonly string[]): number {
  const env = { ...process.env, TRITON_INTERPRET: '1' };
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', env, cwd: ROOT });
  const found = /^seconds: ([\d.]+)$/m.exec(stdout);
  if (status === 0 && found) return Number(found[1]);
  throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

for (const name of readdirSync(PROGRAMS).filter((file) => file.endsWith('.py'))) {
  const program = join(PROGRAMS, name);
  const runner = join(ROOT, 'app', 'cli', 'hippocamp.mjs');
  const ours = seconds(process.execPath, [runner, 'run', program, '--adapter', 'interpreter']);
  let line = `${name}: ours ${(ours * 1000).toFixed(0)} ms`;
  if (values.triton) {
    const theirs = seconds(values.triton, [program]);
    line += `, Triton's ${(theirs * 1000).toFixed(0)} ms: ${(theirs / ours).toFixed(1)} times as fast`;
  }
  console.log(line);
}
