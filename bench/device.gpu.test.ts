/** Samples of works in turn, by timestamps. */
import { expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../app/cli/dawn';
import { BenchDevice } from './device';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const wgsl = `
@group(0) @binding(0) var<storage, read_write> runs: array<atomic<u32>>;
@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 100000u; i++) { atomicMax(&runs[1], i); }
  atomicAdd(&runs[0], 1u);
}`;

it.skipIf(software.kind === 'missing')(
  'samples come behind work that is not timed, where a GPU must be warm',
  async () => {
    const { device, target } = await openDawn();
    const ran = async (warmSeconds: number): Promise<number> => {
      const bench = new BenchDevice(device, target, 1, warmSeconds);
      const counter = bench.buffer(16, new Int32Array(4));
      const work = [await bench.dispatch(wgsl, [counter], [1, 1, 1])];
      const times = await bench.turns([work, work], 3);
      expect(times.map((each) => each.length)).toEqual([3, 3]);
      for (const time of times.flat()) expect(time).toBeGreaterThanOrEqual(0);
      return new Int32Array(await bench.read(counter))[0]!;
    };
    // No time to warm up in, but what goes before samples.
    expect(await ran(1e-12)).toBeGreaterThan(await ran(0));
  },
);
