import { describe, expect, it } from 'vitest';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { clampProgram, launchInView, tensorArgument } from './inputs';

const launch = (number: number, kernel: string, key: string): LaunchInputs => ({
  launch: number,
  kernel,
  key,
  request: {} as LaunchInputs['request'],
  grid: [4, 2, 1],
  args: [
    { kind: 'pointer', address: 4096, storage: 0, shape: [8], strides: [1] },
    { kind: 'scalar', value: 3 },
    { kind: 'pointer', address: 8192 + 64, storage: 1, shape: [4, 16], strides: [16, 1] },
  ],
  storages: [
    { address: 4096, byteLength: 32, contents: null },
    { address: 8192, byteLength: 320, contents: null },
  ],
});

describe('the launch in view', () => {
  const launches = [launch(1, 'add', 'a'), launch(2, 'mul', 'b'), launch(3, 'mul', 'c')];
  const inView = (chosen: number | null, view: Parameters<typeof launchInView>[1]) =>
    launchInView({ launches, launch: chosen }, view)?.launch;
  it('is the one chosen, as long as its specialization is in view', () => {
    expect(inView(3, { kernel: 'mul', key: 'c' })).toBe(3);
    expect(inView(3, { kernel: 'mul', key: null })).toBe(3);
    expect(inView(3, { kernel: 'mul', key: 'b' })).toBe(2);
    expect(inView(1, { kernel: 'mul', key: 'b' })).toBe(2);
  });
  it('follows the specialization, then the kernel, then there is just the first', () => {
    expect(inView(null, { kernel: 'mul', key: 'c' })).toBe(3);
    expect(inView(null, { kernel: 'mul', key: null })).toBe(2);
    expect(inView(null, { kernel: 'gone', key: null })).toBe(1);
    expect(inView(null, null)).toBe(1);
    expect(launchInView({ launches: [], launch: 1 }, null)).toBeNull();
  });
});

it('keeps the program within the grid', () => {
  expect(clampProgram([9, 1, 5], [4, 2, 1])).toEqual([3, 1, 0]);
});

it('finds a tensor by its parameter, and what lies before it', () => {
  const labels = ['x_ptr: *fp32 [8]', 'n: i32 = 3', 'y_ptr: *fp16 [4, 16]', 'BLOCK = 16'];
  expect(tensorArgument(launch(1, 'k', 'k'), labels, 'y_ptr')).toEqual({
    before: 32,
    shape: [4, 16],
    strides: [16, 1],
  });
  expect(tensorArgument(launch(1, 'k', 'k'), labels, 'n')).toBeNull();
});
