/** Which runs a proof makes, and that it makes none after one that was stopped. */
import { expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { runForProof, type RunRequest, type RunResult } from './proof';

function started(kind: 'webgpu' | 'interpreter'): ProgramEvent {
  const adapter = { kind, name: 'SwiftShader', vendor: '', architecture: '', reason: null };
  return { type: 'started', adapter, time: 0 };
}

/** @param gpu whether there is one. @param stopAt the number of the run that is stopped. */
async function proof(gpu: boolean, stopAt = 0) {
  const made: RunRequest[] = [];
  const runs = await runForProof('a.py', 'webgpu', (request): Promise<RunResult> => {
    made.push(request);
    const kind = gpu ? request.adapter : 'interpreter';
    const print: ProgramEvent = { type: 'print', stream: 'stdout', text: 'x' };
    const interrupted = request.number === stopAt;
    return Promise.resolve({ events: [started(kind), print], launches: [], interrupted });
  });
  return { runs, made: made.map(({ adapter, options }) => `${adapter} ${options.ring ?? false}`) };
}

it('runs in the ring on both engines, and once with ordinary floats', async () => {
  const { runs, made } = await proof(true);
  expect(made).toEqual(['interpreter true', 'webgpu false', 'webgpu true']);
  if ('version' in runs) throw new Error('stopped');
  expect(runs.rings.map(({ engine }) => engine)).toEqual(['the interpreter', 'SwiftShader']);
  expect(runs.ordinary.events.map(({ type }) => type)).toEqual(['started']);
});

it('does not compare the interpreter with itself where there is no GPU', async () => {
  expect((await proof(false)).made).toEqual(['interpreter true', 'webgpu false']);
});

it.each([1, 2, 3])('ends with run %i where that is stopped', async (stopAt) => {
  const { runs, made } = await proof(true, stopAt);
  expect(made).toHaveLength(stopAt);
  expect(runs).toMatchObject({ version: 1, sections: [] });
});
