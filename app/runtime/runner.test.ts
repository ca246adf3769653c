/** A run to its end, whatever comes between. */
import { loadPyodide } from 'pyodide';
import { expect, it } from 'vitest';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { createCompiler } from '../../compiler/pipeline';
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

it('runs two programs one after the other, each on its own engine', async () => {
  const pyodide = await loadPyodide();
  const opened: string[] = [];
  const runner = Runner.create(
    pyodide,
    PYTHON_FILES,
    {
      compiler: fakeCompiler({ add: addKernel }),
      openEngine: (kind, reported) => {
        opened.push(kind);
        return Promise.resolve(new InterpreterEngine(null, reported));
      },
    },
    false,
  );
  const types: string[] = [];
  const run = (adapter: RunOptions['adapter']): Promise<string> =>
    runner.run({ 'a.py': 'print(1)' }, 'a.py', { ...OPTIONS, adapter }, ({ type }) => {
      if (type === 'started' || type === 'finished') types.push(`${type} ${opened.length}`);
    });
  expect(await Promise.all([run('interpreter'), run('webgpu')])).toEqual(['ok', 'ok']);
  expect(types).toEqual(['started 1', 'finished 1', 'started 2', 'finished 2']);
}, 60_000);

const ENDS = (statement: string): string => `
import torch, triton
import triton.language as tl

@triton.constexpr_function
def size(n):
    ${statement}
    return n

@triton.jit
def k(x):
    tl.store(x, size(3))

x = torch.zeros(1, device="cuda")
k[(1,)](x)
print(x.item())
`;

it('passes through the compiler what ends a function that it calls, as Triton does', async () => {
  const pyodide = await loadPyodide();
  const runner = Runner.create(
    pyodide,
    PYTHON_FILES,
    {
      compiler: createCompiler(await testParser()),
      openEngine: (_, reported) => Promise.resolve(new InterpreterEngine(null, reported)),
    },
    false,
  );
  const run = async (statement: string): Promise<[string, string[]]> => {
    const events: ProgramEvent[] = [];
    const files = { 'a.py': ENDS(statement) };
    const outcome = await runner.run(files, 'a.py', OPTIONS, (event) => events.push(event));
    return [
      outcome,
      events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic.code] : [])),
    ];
  };
  expect(await run('raise KeyboardInterrupt')).toEqual(['stopped', []]);
  expect(await run('raise SystemExit(0)')).toEqual(['ok', []]);
  expect(await run('raise ValueError("wrong")')).toEqual(['error', ['HC0214']]);
  expect(await run('pass')).toEqual(['ok', []]);
}, 60_000);
