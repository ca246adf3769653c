/** Batches on their way, on a backend that takes every command and computes nothing. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDawn } from '../../cli/dawn';
import { BATCH_LAUNCHES } from './batch';
import type { EngineLaunch } from '../engine';
import { isLoss, Submissions } from './submissions';

const devices: GPUDevice[] = [];
let device: GPUDevice;
let submissions: Submissions;
let done: number[][];
let failures: unknown[];

async function open(): Promise<GPUDevice> {
  const opened = await openDawn({ backend: 'null' });
  devices.push(opened.device);
  return opened.device;
}
function start(on: GPUDevice): void {
  done = [];
  failures = [];
  submissions = new Submissions(
    on,
    (outcomes) => done.push(outcomes.map(({ launch }) => launch.id)),
    (error) => failures.push(error),
  );
}
beforeAll(async () => {
  device = await open();
});
beforeEach(() => start(device));
afterAll(() => devices.forEach((each) => each.destroy()));

function launch(id: number): void {
  const made = { id } as EngineLaunch;
  submissions.openFor(64).add(made, new Uint32Array(16), false, false, true);
  submissions.added(made);
}
const unfinished = (): number[] => submissions.unfinished().map(({ id }) => id);

it('opens a batch when one is needed, and keeps which is open', () => {
  expect(submissions.openId).toBe(-1);
  const { id } = submissions.open();
  expect(submissions.openId).toBe(id);
  expect(submissions.open().id).toBe(id);
  submissions.flush();
  expect(submissions.openId).toBe(-1);
  submissions.flush();
  expect(submissions.open().id).toBeGreaterThan(id);
});

it('reports every launch once, in order, and holds it for unfinished until then', async () => {
  const ids = Array.from({ length: 2 * BATCH_LAUNCHES + 3 }, (_, i) => i);
  ids.forEach(launch);
  expect(unfinished()).toEqual(ids);
  submissions.flush();
  expect(unfinished()).toEqual(ids);
  await submissions.done();
  expect(done.map(({ length }) => length)).toEqual([BATCH_LAUNCHES, BATCH_LAUNCHES, 3]);
  expect(done.flat()).toEqual(ids);
  expect(unfinished()).toEqual([]);
});

it('lets a launch wait where four batches are on their way', async () => {
  for (let id = 0; id < 4; id++) {
    expect(submissions.room()).toBeUndefined();
    launch(id);
    submissions.flush();
  }
  await submissions.room();
  expect(done.length).toBeGreaterThan(0);
  await submissions.done();
  expect(submissions.room()).toBeUndefined();
});

it('uses the rings of a batch that is done again', async () => {
  launch(0);
  const { ring } = submissions.open();
  submissions.flush();
  expect(submissions.open().ring).not.toBe(ring);
  await submissions.done();
  submissions.flush();
  expect(submissions.open().ring).toBe(ring);
});

it('keeps for unfinished what a lost device was doing, which is no failure', async () => {
  const lost = await open();
  start(lost);
  launch(7);
  submissions.flush();
  launch(8);
  lost.destroy();
  await submissions.done();
  expect(await isLoss(lost)).toBe(true);
  expect(failures).toEqual([]);
  expect([...done.flat(), ...unfinished()]).toEqual([7, 8]);
  expect(unfinished()).toContain(8);
});
