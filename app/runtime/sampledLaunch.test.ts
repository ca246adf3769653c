/** Samples of a launch on an engine whose times the test decides. */
import { beforeAll, expect, it } from 'vitest';
import { outline } from '../../compiler/1-parse/outline';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { CostModel } from '../../compiler/cost/index';
import { funcAfter } from '../../compiler/inspect/funcAfter';
import { createCompiler } from '../../compiler/pipeline';
import { DEFAULT_OPTIONS, type CompiledKernel } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { Engine, EngineLaunch } from './engine';
import { isSampled, sampleLaunch } from './sampledLaunch';
import { cpuCopy, markCpuWritten, StorageTable } from './storage';

const TEXT = `import triton
import triton.language as tl

@triton.jit
def inc(x, B: tl.constexpr = 16):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i) + 1)
`;

let cost: CostModel;
beforeAll(async () => {
  const parser = await testParser();
  const [found] = outline({ 'a.py': TEXT }, parser);
  const { program, guess } = found!;
  const request = {
    ...{ program, specialization: guess!, target: BASELINE_TARGET, options: DEFAULT_OPTIONS },
  };
  const lowered = funcAfter(createCompiler(parser), request, ({ index }) => index === 0);
  if (!lowered.ok) throw new Error('it does not compile');
  cost = new CostModel(lowered.func);
});

const storage = new StorageTable(1e9).create(4);
function launchOf(kernel: Partial<CompiledKernel> = {}): EngineLaunch {
  return {
    ...{ id: 7, grid: [1, 1, 1], groups: [[storage]], arena: null, labels: [] },
    leaves: [{ kind: 'pointer', storage, byteOffset: 0, path: [0] }],
    site: { file: 'a.py', line: 9 },
    unit: {
      ...{ key: 'inc', name: 'inc', func: null, addresses: 'none', cost },
      kernel: { oneByOne: false, bindings: [{ group: 0, access: 'read_write' }], ...kernel },
    },
  } as unknown as EngineLaunch;
}
const engine = {
  read: () => undefined,
  synchronize: () => undefined,
  race: ([launch]: readonly EngineLaunch[], rounds: number) => {
    expect(launch!.id).toBe(0);
    for (let i = 0; i < rounds; i++) cpuCopy(storage)[0]! += 1;
    markCpuWritten(storage);
    return Promise.resolve({ samples: [[3000, 1000, 2000]], quantum: 10 });
  },
} as unknown as Engine;

it('has the middle of the samples, and leaves the memory as it was', async () => {
  cpuCopy(storage)[0] = 5;
  markCpuWritten(storage);
  const timing = await sampleLaunch(engine, launchOf(), 3);
  expect(timing).toMatchObject({ clock: 'gpu', median: 2, samples: 3, quantum: 0.01 });
  expect(cpuCopy(storage)[0]).toBe(5);
});

it('repeats nothing whose programs wait for each other, and nothing without a GPU', async () => {
  expect(await sampleLaunch(engine, launchOf({ oneByOne: true }), 3)).toBeNull();
  const { race: _, ...none } = engine;
  expect(await sampleLaunch(none as Engine, launchOf(), 3)).toBeNull();
});

it('is of the kernel and the line that were asked for, or of all', () => {
  const of = { file: 'a.py', line: 9, kernel: 'inc' };
  const request = { of, rounds: 3 };
  expect(isSampled(launchOf(), request)).toBe(true);
  expect(isSampled(launchOf(), { ...request, of: { ...of, line: 8 } })).toBe(false);
  expect(isSampled(launchOf(), { ...request, of: { ...of, kernel: 'dec' } })).toBe(false);
  expect(isSampled(launchOf(), { rounds: 3 })).toBe(true);
});
