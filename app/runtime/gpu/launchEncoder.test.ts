/** Commands of a launch in a batch, on a backend that takes every command and computes nothing. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { CompiledKernel } from '../../../compiler/program';
import { openDawn } from '../../cli/dawn';
import { flattenArguments } from '../arguments';
import { Batch } from './batch';
import type { EngineLaunch, Unit } from '../engine';
import { LaunchEncoder } from './launchEncoder';
import { Pipelines, type Pipeline } from './pipelines';
import type { RecordedLaunch } from './replay';
import { StorageTable, type Block } from '../storage';
import { ADD_REQUEST, addKernel } from '../testing';

let device: GPUDevice;
let kernel: CompiledKernel;
let pipeline: Pipeline;
let encoder: LaunchEncoder;
let batch: Batch<EngineLaunch>;

beforeAll(async () => {
  ({ device } = await openDawn({ backend: 'null' }));
  kernel = addKernel(ADD_REQUEST);
  pipeline = await new Pipelines(device).get(kernel);
});
beforeEach(() => {
  encoder = new LaunchEncoder(device, 65535);
  batch = new Batch(device, 1, 5);
});
afterAll(() => device.destroy());

const storages = new StorageTable(2 ** 20);
const leaves = flattenArguments(
  ADD_REQUEST.specialization,
  [...[0, 1, 2].map(() => ({ storage: storages.create(256).id, byteOffset: 0 })), { scalar: '64' }],
  ['a', 'b', 'out', 'n'],
  (id) => storages.get(id),
);
const block = (id: number): Block => {
  const buffer = device.createBuffer({ size: 256, usage: GPUBufferUsage.STORAGE });
  return { id, buffer, size: 256, members: new Set(), lastBatch: -1 };
};
const unitOf = (of: CompiledKernel): Unit => ({
  key: 'k',
  name: of.name,
  kernel: of,
  func: null,
  addresses: 'none',
  cost: null,
});
function launchOf(unit: Unit, programs = 3): EngineLaunch {
  return {
    id: 1,
    unit,
    leaves,
    groups: [],
    arena: null,
    grid: [programs, 1, 1],
    site: { file: 'a.py', line: 1 },
    labels: [],
  };
}
function encode(
  launch: EngineLaunch,
  placed: readonly Block[],
  options: { readonly records?: boolean; readonly backwards?: boolean } = {},
): RecordedLaunch | null {
  const { records = false, backwards = false } = options;
  return encoder.encode(batch, launch, pipeline, { placed, arenaBytes: 0, backwards, records });
}

it('binds the same blocks by the same bind group, and others by another', () => {
  const made = vi.spyOn(device, 'createBindGroup');
  const [a, b, c] = [block(1), block(2), block(3)];
  const launch = launchOf(unitOf(kernel));
  encode(launch, [a, b, c]);
  encode(launch, [a, b, c]);
  expect(made).toHaveBeenCalledTimes(1);
  encode(launch, [b, a, c]);
  expect(made).toHaveBeenCalledTimes(2);
  encode(launch, [a, b, c]);
  expect(made).toHaveBeenCalledTimes(2);
  // A buffer is gone: no bind group of it may be used again.
  encoder.bindGroups.clear();
  encode(launch, [a, b, c]);
  expect(made).toHaveBeenCalledTimes(3);
  expect([a, b, c].map(({ lastBatch }) => lastBatch)).toEqual([5, 5, 5]);
  made.mockRestore();
});

it('gives eight launches of a row a pass each, and those behind them one; a recorded one stands alone', () => {
  const placed = [block(1), block(2), block(3)];
  const launch = launchOf(unitOf(kernel));
  const together = Array.from({ length: 12 }, () => {
    encode(launch, placed);
    return batch.passLaunches;
  });
  expect(together).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5]);
  encode(launch, placed, { records: true });
  expect(batch.passLaunches).toBe(1);
  encode(launchOf(launch.unit, 4), placed);
  expect(batch.passLaunches).toBe(1);
});

it('records each dispatch with words of its own, in the order they run', () => {
  const placed = [block(1), block(2), block(3)];
  const unit = unitOf({
    ...kernel,
    oneByOne: true,
    uniforms: [...kernel.uniforms, { kind: 'program' }],
  });
  const first = (recorded: RecordedLaunch | null) =>
    recorded?.dispatches.map(({ words }) => words[kernel.uniforms.length]);
  expect(encode(launchOf(unit), placed)).toBeNull();
  expect(first(encode(launchOf(unit), placed, { records: true }))).toEqual([0, 1, 2]);
  const backwards = encode(launchOf(unit), placed, { records: true, backwards: true });
  expect(first(backwards)).toEqual([2, 1, 0]);
  expect(backwards?.blocks).toEqual(placed);
});

it('keeps one storage for shared memory, until a larger one is needed', () => {
  const made = vi.spyOn(device, 'createBuffer');
  const shared = { group: 'shared', access: 'read_write' } as const;
  const bindings = [...kernel.bindings.slice(0, 2), shared];
  const unit = unitOf({ ...kernel, bindings, workgroupBytes: 1000 });
  const placed = [block(1), block(2), block(3)];
  const blocks = (programs: number) => encode(launchOf(unit, programs), placed, { records: true })!;
  made.mockClear();
  const small = blocks(3).blocks[2];
  expect(small?.size).toBe(4096);
  expect(blocks(4).blocks[2]).toBe(small);
  expect(blocks(5).blocks[2]?.size).toBe(8192);
  expect(made).toHaveBeenCalledTimes(2);
  made.mockRestore();
});

it('refuses a kernel that binds a group it was not given', () => {
  expect(() => encode(launchOf(unitOf(kernel)), [block(1)])).toThrow('binds group 1');
});
