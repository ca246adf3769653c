/** One engine of each kind, as long as its device lives. */
import { expect, it } from 'vitest';
import type { Engine, EngineEvents, EngineLaunch } from './engine';
import { Engines, lossOf, type EngineKind } from './engines';

type Fake = Engine & { lost: string | null };

function opened() {
  const made: [EngineKind, Fake][] = [];
  const engines = new Engines((kind) => {
    const engine = { lost: null, unfinished: () => [], dispose: () => {} } as unknown as Fake;
    made.push([kind, engine]);
    return Promise.resolve(engine);
  }, {} as EngineEvents);
  return { engines, made };
}

it('opens one of each kind, and another where it is lost', async () => {
  const { engines, made } = opened();
  const first = await engines.get('webgpu');
  expect(await engines.get('webgpu')).toBe(first);
  expect(await engines.get('interpreter')).not.toBe(first);
  made[0]![1].lost = '';
  const second = await engines.get('webgpu');
  expect(second).not.toBe(first);
  made[2]![1].lost = 'gone';
  expect(await engines.replace(second)).not.toBe(second);
  expect(made.map(([kind]) => kind)).toEqual(['webgpu', 'interpreter', 'webgpu', 'webgpu']);
});

it('says which launches were lost, and how many tensors', () => {
  const launch = (line: number) =>
    ({ unit: { name: 'add' }, site: { file: 'a.py', line } }) as EngineLaunch;
  const reported = (launches: readonly EngineLaunch[], tensors: number) =>
    lossOf({ lost: 'a reset', unfinished: () => launches } as unknown as Engine, tensors);
  expect(reported([], 0).message).toBe('The GPU device was lost while no launch ran: a reset.');
  const loss = reported([launch(7), launch(9)], 2);
  expect(loss.message).toBe(
    'The GPU device was lost while add (line 7), add (line 9) ran: a reset. 2 tensors were lost with it.',
  );
  expect(loss.diagnostics[0]).toMatchObject({
    code: 'HC8003',
    location: { file: 'a.py', line: 7 },
  });
  expect(reported([7, 7, 9, 7, 8, 6, 5].map(launch), 0).message).toContain(
    'while add (line 7) 3 times, add (line 9), add (line 8), and 2 more ran',
  );
  expect(reported([launch(7)], 1).message).toMatch(/1 tensor was lost with it\.$/);
});
