/** Roofs are measured once for an adapter, and again where it offers what it did not. */
import { beforeEach, expect, it } from 'vitest';
import { BASELINE_TARGET, type Target } from '../../compiler/target';
import type { AdapterInfo, Calibration } from '../events';
import type { Engine } from './engine';
import { KeptCalibration, type TuningStore } from './keptCalibration';
import { keptAs, keptTuning } from './keptTexts';

const kept = new Map<string, string>();
const store: TuningStore = {
  get: (key) => Promise.resolve(kept.get(key) ?? ''),
  set: (key, text) => void kept.set(key, text),
};
let measured = 0;
beforeEach(() => {
  kept.clear();
  measured = 0;
});

function engineOf(target: Partial<Target> = {}, info: Partial<AdapterInfo> = {}): Engine {
  const calibration: Calibration = {
    adapter: 'One',
    bytesPerSecond: 1,
    f32PerSecond: 1,
    f16PerSecond: target.f16 ? 1 : null,
    fromCache: false,
  };
  const engine: Partial<Engine> = {
    info: {
      ...{ kind: 'webgpu', name: 'One', vendor: 'v', architecture: 'a', reason: null },
      ...info,
    },
    target: { ...BASELINE_TARGET, ...target },
    lost: null,
    calibrate: () => {
      measured++;
      return Promise.resolve(calibration);
    },
  };
  return engine as Engine;
}

it('measures again where halves or matrices have come', async () => {
  const matrix = { component: 'f16', result: 'f32', M: 16, N: 16, K: 16 } as const;
  const targets: Partial<Target>[] = [{}, { f16: true }, { f16: true, subgroupMatrices: [matrix] }];
  for (const [i, target] of targets.entries()) {
    for (const fromCache of [false, true]) {
      const calibration = new KeptCalibration(store);
      const engine = engineOf(target);
      expect(await calibration.find(engine, true)).toBe(true);
      expect(measured).toBe(i + 1);
      expect(calibration.of(engine)).toMatchObject({ fromCache });
    }
  }
});

it('measures only where it is asked to, and an engine once', async () => {
  const calibration = new KeptCalibration(store);
  const engine = engineOf();
  expect(await calibration.find(engine, false)).toBe(false);
  expect(calibration.of(engine)).toBeNull();
  const both = await Promise.all([calibration.find(engine, true), calibration.find(engine, true)]);
  expect(both).toEqual([true, false]);
  expect(measured).toBe(1);
  expect(await calibration.find(engine, true)).toBe(false);
  expect(calibration.of(engine)).not.toBeNull();
  expect(calibration.of(engineOf())).toBeNull();
});

it("keeps no CPU's, and measures no interpreter", async () => {
  const software = engineOf({}, { name: 'SwiftShader', onCpu: true });
  const calibration = new KeptCalibration(store);
  await calibration.find(software, true);
  expect(calibration.of(software)).not.toBeNull();
  expect(kept.size).toBe(0);
  expect(await calibration.find(engineOf({}, { kind: 'interpreter' }), true)).toBe(false);
  expect(measured).toBe(1);
});

it('measures again, and deletes what was kept, where that is no calibration', async () => {
  const engine = engineOf();
  await new KeptCalibration(store).find(engine, true);
  const [key, text] = [...kept][0]!;
  const wrong = [
    '{',
    'null',
    '7',
    '{}',
    '[]',
    text.replace('"f32PerSecond":1', '"f32PerSecond":"1"'),
  ];
  wrong.push(`${'['.repeat(1e5)}${']'.repeat(1e5)}`, text.replace('"One"', 'null'));
  for (const garbage of wrong) {
    kept.set(key, garbage);
    const unmeasured = new KeptCalibration(store);
    expect(await unmeasured.find(engine, false)).toBe(false);
    expect(kept.get(key)).toBe('');
    kept.set(key, garbage);
    const before = measured;
    const calibration = new KeptCalibration(store);
    expect(await calibration.find(engine, true)).toBe(true);
    expect([measured, kept.get(key)]).toEqual([before + 1, text]);
    expect(calibration.of(engine)).toMatchObject({ fromCache: false });
  }
});

it('hands on only tunings that have their shape', async () => {
  const time = { quantiles: [1, 1, 2], samples: 3, clock: 'gpu', quantum: 0, dropped: false };
  const whole = { times: { 'B: 16': time }, choices: { threads: 64, splitLoads: true } };
  kept.set('k', JSON.stringify(whole));
  expect(await keptAs(store, 'k', keptTuning)).toEqual(whole);
  const wrong = [
    ...['{', 'null', `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`],
    JSON.stringify({ ...whole, choices: { threads: 'x' } }),
    JSON.stringify({ times: { a: { ...time, quantiles: [1] } }, choices: null }),
    JSON.stringify({ times: { a: { ...time, clock: 'wall' } }, choices: null }),
  ];
  for (const garbage of wrong) {
    kept.set('k', garbage);
    expect(await keptAs(store, 'k', keptTuning), garbage.slice(0, 50)).toBeNull();
    expect(kept.get('k')).toBe('');
  }
});
