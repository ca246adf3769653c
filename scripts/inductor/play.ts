/**
 * Runs modules that Inductor wrote (`write.py`) on ours, one after another in one Python, and says
 * of each whether its results are PyTorch's.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeRunner } from '../../app/cli/programProcess';
import type { AdapterInfo, ProgramEvent, ProgramFiles, RunOptions } from '../../app/events';
import { withoutLogPrefix } from '../../app/logLines';
import type { Runner } from '../../app/runtime/runner';

const ROOT = process.env['HIPPOCAMP_ROOT'] ?? join(import.meta.dirname, '..', '..');
const CHECKER = readFileSync(join(ROOT, 'scripts', 'inductor', 'check_module.py'), 'utf8');
const RUNNER = readFileSync(join(ROOT, 'scripts', 'inductor', 'run_text.py'), 'utf8');

export interface Played {
  readonly verdict: 'agrees' | 'differs' | 'fails';
  /** The difference, or the error. */
  readonly message: string;
  readonly launches: number;
  readonly adapter: AdapterInfo | null;
}

/** The names of the modules in a folder that `write.py` wrote. */
export function moduleNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.py'))
    .map((name) => name.slice(0, -'.py'.length))
    .sort();
}

export function startModules(): Promise<Runner> {
  return createNodeRunner(ROOT, () => {});
}

/** Compares with NAME.json; without one, the text has to run or compile (`run_text.py`). */
export async function playModule(
  runner: Runner,
  folder: string,
  name: string,
  adapter: RunOptions['adapter'],
): Promise<Played> {
  if (!existsSync(join(folder, `${name}.json`))) {
    const text = withoutLogPrefix(readFileSync(join(folder, `${name}.py`), 'utf8'));
    const files = {
      'main.py': 'import run_text\nrun_text.main()\n',
      'run_text.py': RUNNER,
      'case.py': `CODE = ${JSON.stringify(text)}\n`,
    };
    return playFiles(runner, files, adapter);
  }
  const text = (extension: string): string =>
    JSON.stringify(readFileSync(join(folder, name + extension), 'utf8'));
  const files = {
    'main.py': 'import check_module\ncheck_module.main()\n',
    'check_module.py': CHECKER,
    'case.py': `CODE = ${text('.py')}\nCASE = ${text('.json')}\n`,
  };
  return playFiles(runner, files, adapter);
}

/** Runs a `main.py` whose last line of output is its verdict. */
export async function playFiles(
  runner: Runner,
  files: ProgramFiles,
  adapter: RunOptions['adapter'],
): Promise<Played> {
  const options: RunOptions = {
    adapter,
    maxBytes: null,
    chartSeconds: 1,
    tuneSeconds: 1,
    check: false,
    seed: 0,
  };
  const events: ProgramEvent[] = [];
  await runner.run(files, 'main.py', options, (event) => events.push(event));
  return played(events);
}

function played(events: readonly ProgramEvent[]): Played {
  let printed = '';
  let error = '';
  let launches = 0;
  let adapter: AdapterInfo | null = null;
  for (const event of events) {
    if (event.type === 'print' && event.stream === 'stdout') printed += event.text;
    if (event.type === 'launch') launches++;
    if (event.type === 'started') adapter = event.adapter;
    if (event.type === 'diagnostic' && event.diagnostic.severity === 'error') {
      error ||= `${event.diagnostic.code}: ${event.diagnostic.message}`;
    }
  }
  const lines = printed.trim().split('\n');
  const last = lines.pop();
  const rest = { launches, adapter };
  if (error !== '') return { verdict: 'fails', message: error, ...rest };
  if (last === 'AGREES' || last === 'RAN' || last?.startsWith('COMPILED '))
    return { verdict: 'agrees', message: '', ...rest };
  if (last === 'DIFFERS') return { verdict: 'differs', message: lines.join('; '), ...rest };
  return { verdict: 'fails', message: `no verdict: ${printed}`, ...rest };
}
