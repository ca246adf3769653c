/** A run to its end, whatever comes between. */
import { loadPyodide } from 'pyodide';
import { expect, it } from 'vitest';
import type { ProgramEvent, RunOptions } from '../events';
import { PYTHON_FILES } from '../python/files';
import { InterpreterEngine } from './interpreterEngine';
import { Runner } from './runner';
import { addKernel, fakeCompiler } from './testing';

const OPTIONS: RunOptions = { adapter: 'interpreter', maxBytes: 2 ** 28, check: false, seed: 0 };

it('stops a run whose Stop comes while Python still imports, and the next one runs', async () => {
  const pyodide = await loadPyodide();
  const signals = new Uint8Array(1);
  const none = new Uint8Array(1);
  const runner = Runner.create(
    pyodide,
    PYTHON_FILES,
    {
      compiler: fakeCompiler({ add: addKernel }),
      openEngine: (_, reported) => Promise.resolve(new InterpreterEngine(null, reported)),
    },
    false,
    (held) => pyodide.setInterruptBuffer(held ? none : signals),
  );
  const run = async (source: string): Promise<string> => {
    const events: ProgramEvent[] = [];
    const outcome = await runner.run({ 'a.py': source }, 'a.py', OPTIONS, (e) => events.push(e));
    expect(events.at(-1)).toMatchObject({ type: 'finished', outcome });
    return outcome;
  };
  pyodide.setInterruptBuffer(signals);
  signals[0] = 2;
  expect(await run('while True: pass')).toBe('stopped');
  expect(await run('import torch\nprint(torch.ones(2).sum().item())')).toBe('ok');
}, 60_000);
