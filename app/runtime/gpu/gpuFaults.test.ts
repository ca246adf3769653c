/** Faults that WebGPU reports by itself: thrown to who waits, once. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDawn } from '../../cli/dawn';
import { diagnostic, RuntimeFault, siteLocation } from '../errors';
import { GpuFaults, outOfMemory } from './gpuFaults';

let device: GPUDevice;
beforeAll(async () => {
  ({ device } = await openDawn({ backend: 'null' }));
});
afterAll(() => device.destroy());

const fault = (message: string): RuntimeFault =>
  new RuntimeFault('IndexError', message, [
    diagnostic('HC8001', 'error', message, siteLocation({ file: 'a.py', line: 1 })),
  ]);

it('throws what was kept as one error with all that is to be shown, and once', () => {
  const faults = new GpuFaults(device);
  expect(() => faults.throwAll()).not.toThrow();
  faults.keep(fault('first'));
  faults.keep(fault('second'));
  let caught: unknown;
  try {
    faults.throwAll();
  } catch (error) {
    caught = error;
  }
  expect(caught).toMatchObject({ name: 'IndexError', message: 'first' });
  expect((caught as RuntimeFault).diagnostics.map(({ message }) => message)).toEqual([
    'first',
    'second',
  ]);
  expect(() => faults.throwAll()).not.toThrow();
});

it('says that memory ran out before what followed from it', () => {
  const faults = new GpuFaults(device);
  faults.keep(fault('WebGPU refused a command: [Invalid Buffer] is invalid'));
  faults.keep(outOfMemory(3 * 2 ** 20));
  expect(() => faults.throwAll()).toThrow(/^Tried to allocate 3 MiB/);
});

it('forgets what only followed from what was reported', () => {
  const faults = new GpuFaults(device);
  faults.keep(fault('[Invalid Buffer] is invalid'));
  faults.keep(fault('invalid due to a previous error'));
  faults.keep(fault('of its own'));
  faults.dropFollowing();
  expect(() => faults.throwAll()).toThrow('of its own');
});

it('keeps what WebGPU refused, until nobody asks any more', async () => {
  const faults = new GpuFaults(device);
  const refused = async (): Promise<void> => {
    device.createBuffer({ size: 4, usage: 0 });
    await device.queue.onSubmittedWorkDone();
  };
  await refused();
  expect(() => faults.throwAll()).toThrow(/^WebGPU refused a command/);
  faults.destroy();
  await refused();
  expect(() => faults.throwAll()).not.toThrow();
});
