/** The search for schedules on an engine whose times and results the test decides. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { outline } from '../../compiler/1-parse/outline';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { TRIES } from '../../compiler/4-distribute/tries';
import { CostModel } from '../../compiler/cost/index';
import { funcAfter } from '../../compiler/inspect/funcAfter';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import { DEFAULT_OPTIONS, type CompiledKernel, type CompileRequest } from '../../compiler/program';
import { BASELINE_TARGET } from '../../compiler/target';
import type { ProgramEvent } from '../events';
import type { Engine, EngineLaunch } from './engine';
import { isFaster, type Candidate, type TunedChoices } from './scheduleSearch';
import { ScheduleTuner, type TunedLaunch } from './scheduleTuner';
import { cpuCopy, markCpuWritten, type Storage, StorageTable } from './storage';

const TEXT = `import triton
import triton.language as tl

@triton.jit
def inc(x, B: tl.constexpr = 16):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i) + 1)
`;

let compiler: Compiler;
let request: CompileRequest;
let cost: CostModel;
beforeAll(async () => {
  const parser = await testParser();
  compiler = createCompiler(parser);
  const [{ program, guess } = { program: null, guess: null }] = outline({ 'a.py': TEXT }, parser);
  if (!program || !guess) throw new Error('no kernel');
  request = { program, specialization: guess, target: BASELINE_TARGET, options: DEFAULT_OPTIONS };
  cost = costOf(request);
});
function costOf(of: CompileRequest): CostModel {
  const lowered = funcAfter(compiler, of, ({ index }) => index === 0);
  if (!lowered.ok) throw new Error('it does not compile');
  return new CostModel(lowered.func);
}

const kept = new Map<string, string>();
const store = {
  get: (key: string) => Promise.resolve(kept.get(key) ?? ''),
  set: (key: string, text: string) => void (text ? kept.set(key, text) : kept.delete(key)),
};
let storage: Storage;
let launched: TunedChoices[];
/** The number that a candidate adds, and nanoseconds of its samples. */
let adds: (choices: TunedChoices) => number;
let times: (choices: TunedChoices, round: number) => number;
let events: ProgramEvent[];

beforeEach(() => {
  kept.clear();
  storage = new StorageTable(1e9).create(64);
  floats().set(Array.from({ length: 16 }, (_, i) => i));
  markCpuWritten(storage);
  [launched, events] = [[], []];
  adds = () => 1;
  times = () => 1000;
});
const floats = (): Float32Array => {
  const bytes = cpuCopy(storage);
  return new Float32Array(bytes.buffer, bytes.byteOffset, 16);
};

const choicesOf = ({ unit }: EngineLaunch): TunedChoices =>
  JSON.parse(unit.kernel!.wgsl) as TunedChoices;
function launchUnder(choices: TunedChoices): EngineLaunch {
  const kernel = {
    ...{ wgsl: JSON.stringify(choices), workgroupSize: 64, programs: 1, oneByOne: false },
    ...{ bindings: [{ group: 0, access: 'read_write' }], boundsReport: null },
  } as unknown as CompiledKernel;
  return {
    ...{ id: 0, grid: [1, 1, 1], groups: [[storage]], arena: null, labels: [] },
    leaves: [{ kind: 'pointer', storage, byteOffset: 0, path: [0] }],
    site: { file: 'a.py', line: 9 },
    unit: { key: 'inc', name: 'inc', kernel, func: null, addresses: 'none', cost },
  } as unknown as EngineLaunch;
}
const engine = {
  info: { kind: 'webgpu', name: 'one', vendor: '', architecture: '', reason: null },
  lost: null,
  prepare: () => {},
  launch: (launch: EngineLaunch) => {
    const choices = choicesOf(launch);
    launched.push(choices);
    const all = floats();
    for (let i = 0; i < all.length; i++) all[i]! += adds(choices);
  },
  synchronize: () => {},
  read: () => {},
  race: (launches: readonly EngineLaunch[], rounds: number) => {
    // Its launches change memory, as a GPU's do.
    floats().fill(-7);
    const samples = launches.map((launch) =>
      Array.from({ length: rounds }, (_, round) => times(choicesOf(launch), round)),
    );
    return Promise.resolve({ samples, quantum: 1 });
  },
} as unknown as Engine;

function find(
  seconds = 10,
  own = new ScheduleTuner(store, compiler, seconds, (e) => events.push(e)),
) {
  const launch = launchUnder({});
  const unit = {
    ok: true,
    key: 'inc',
    request,
    unit: launch.unit,
  } as unknown as TunedLaunch['unit'];
  const candidate = (choices: TunedChoices): Candidate | string =>
    'buffers' in choices
      ? 'it needs more than there is'
      : { key: JSON.stringify(choices), launch: launchUnder(choices) };
  return own.find({ engine, unit, launch, candidate });
}
const last = () =>
  events.flatMap((event) => (event.type === 'autotune' && event.done ? [event] : [])).at(-1)!;

it('keeps the fastest, puts memory back, and measures nothing the next time', async () => {
  times = ({ threads, unroll }) => 1000 - (threads === 128 ? 300 : 0) - (unroll === 8 ? 200 : 0);
  const before = [...floats()];
  expect(await find()).toEqual({ threads: 128, unroll: 8 });
  expect([...floats()]).toEqual(before);
  const { configurations, best, fromCache } = last();
  expect(fromCache).toBe(false);
  expect(configurations[0]).toMatchObject({ text: 'default', timing: { median: 1 } });
  expect(configurations[best!]).toMatchObject({
    settings: { threads: 128, unroll: 8 },
    timing: { median: 0.5 },
    reference: 1,
  });

  const count = launched.length;
  expect(await find()).toEqual({ threads: 128, unroll: 8 });
  expect(launched.length).toBe(count);
  const again = last();
  expect(again).toMatchObject({ fromCache: true, best: 1, schedule: true });
  expect(again.configurations.map(({ timing }) => timing?.median)).toEqual([1, 0.5]);
});

it('drops a candidate whose results differ, however fast, and names the element', async () => {
  times = ({ threads }) => (threads === 64 ? 1 : 1000);
  adds = ({ threads }) => (threads === 64 ? 2 : 1);
  expect(await find()).toBeNull();
  const row = last().configurations.find(({ settings }) => settings['threads'] === 64)!;
  expect(row).toMatchObject({ state: 'failed', timing: null });
  expect(row.error).toBe('dropped: its results differ, x[0] is 2, 1 by the default');
  expect(last().best).toBe(0);
});

it('takes a difference of rounding for none', async () => {
  times = ({ threads }) => (threads === 64 ? 1 : 1000);
  adds = ({ threads }) => (threads === 64 ? 1 + 2 ** -22 : 1);
  expect(await find()).toEqual({ threads: 64 });
});

it('leaves the default where nothing is faster by more than the spread', async () => {
  times = ({ threads }, round) => (threads === 64 ? 990 : 1000) + 40 * (round % 3);
  expect(await find()).toBeNull();
  expect(isFaster([990, 1030, 1070], [1000, 1040, 1080], 1)).toBe(false);
  expect(isFaster([900, 901], [1000, 1001], 1)).toBe(true);
  expect(isFaster([], [1000], 1)).toBe(false);
});

it('takes new samples of the fastest of many', async () => {
  times = ({ threads }, round) => (threads === 64 && round < 7 ? 10 : 1000);
  // Fifteen rounds decide, of which seven were lucky.
  expect(await find()).toBeNull();
});

it('stops where the time is up, says so, and goes on in the next run', async () => {
  expect(await find(0)).toBeNull();
  expect(last().configurations[0]!.error).toMatch(/of the time for tuning|tries were left/);
  expect(kept.size).toBe(0);
  expect(await find()).toBeNull();
  expect(kept.size).toBe(1);
  expect(launched.length).toBeGreaterThan(10);
});

it('leaves a kernel alone whose default does not repeat itself', async () => {
  let runs = 0;
  adds = () => ++runs;
  expect(await find()).toBeNull();
  expect(last().configurations[0]!.error).toMatch(/^two runs of the default differ: x\[0\]/);
});

it('takes from a kept text only choices that it tries', async () => {
  times = ({ threads }) => (threads === 128 ? 500 : 1000);
  expect(await find()).toEqual({ threads: 128 });
  const [[key, text] = ['', '']] = [...kept];
  expect(key).toMatch(/^schedule-[0-9a-f]{64}$/);
  for (const choices of [{ threads: 1e9 }, { other: 1 }, { threads: '128' }, 7]) {
    kept.set(key, JSON.stringify({ ...(JSON.parse(text) as object), choices }));
    launched.length = 0;
    expect(await find()).toEqual({ threads: 128 });
    expect([choices, launched.length > 0]).toEqual([choices, true]);
  }
  expect(TRIES.some(({ threads }) => threads === 128)).toBe(true);
});

it('leaves a kernel alone whose loop follows what it writes', async () => {
  const text = TEXT.replace(
    '    i =',
    '    for j in range(tl.load(x).to(tl.int32)):\n        tl.store(x, j)\n    i =',
  );
  const [found] = outline({ 'a.py': text }, await testParser());
  cost = costOf({ ...request, program: found!.program!, specialization: found!.guess! });
  try {
    expect(await find()).toBeNull();
    expect(last().configurations[0]!.error).toBe(
      'it reads what it writes, and the end of a loop depends on data',
    );
    expect(launched).toEqual([]);
  } finally {
    cost = costOf(request);
  }
});

it('takes an error of a candidate, or of the end, for none of the program', async () => {
  times = ({ threads }) => (threads === 64 ? 500 : 1000);
  adds = ({ kSlice }) => {
    if (kSlice) throw new Error('no memory');
    return 1;
  };
  const before = [...floats()];
  expect(await find()).toEqual({ threads: 64 });
  const failed = last().configurations.find(({ settings }) => settings['kSlice'] === 8)!;
  expect(failed).toMatchObject({ state: 'failed', error: 'no memory' });
  kept.clear();
  times = ({ threads }, round) => {
    if (threads === 64 && round > 7) throw new Error('no memory');
    return threads === 64 ? 500 : 1000;
  };
  expect(await find()).toBeNull();
  expect(last().configurations[0]!.error).toBe('the search failed: no memory');
  expect(kept.size).toBe(0);
  expect([...floats()]).toEqual(before);
});

it('throws what the program did wrong before', async () => {
  const { synchronize } = engine;
  Object.assign(engine, { synchronize: () => Promise.reject(new Error('an earlier launch')) });
  try {
    await expect(find()).rejects.toThrow('an earlier launch');
    expect(launched).toEqual([]);
  } finally {
    Object.assign(engine, { synchronize });
  }
});

it('does not search again what lost the device', async () => {
  adds = ({ threads }) => {
    if (threads !== 64) return 1;
    Object.assign(engine, { lost: 'reset' });
    throw new Error('device lost');
  };
  try {
    await expect(find()).rejects.toThrow('device lost');
  } finally {
    Object.assign(engine, { lost: null });
  }
  launched.length = 0;
  expect(await find()).toBeNull();
  expect(launched).toEqual([]);
});

it('keeps nothing of a search whose device was lost before that was known', async () => {
  const { race } = engine;
  Object.assign(engine, {
    race: () => Promise.reject(new DOMException('A valid external Instance', 'AbortError')),
    isLost: () => Promise.resolve(true),
  });
  try {
    await expect(find()).rejects.toThrow('external Instance');
  } finally {
    Object.assign(engine, { race, isLost: undefined });
  }
});
