/** Roofs are measured once for an adapter, and again where it offers what it did not. */
import { expect, it } from 'vitest';
import { BASELINE_TARGET, type Target } from '../../compiler/target';
import type { Calibration } from '../events';
import type { Engine } from './engine';
import { Session } from './session';
import { fakeCompiler } from './testing';

const kept = new Map<string, string>();
let measured = 0;

async function calibrated(target: Partial<Target>): Promise<void> {
  const calibration: Calibration = {
    adapter: 'One',
    bytesPerSecond: 1,
    f32PerSecond: 1,
    f16PerSecond: target.f16 ? 1 : null,
    fromCache: false,
  };
  const engine: Partial<Engine> = {
    info: { kind: 'webgpu', name: 'One', vendor: 'v', architecture: 'a', reason: null },
    target: { ...BASELINE_TARGET, ...target },
    lost: null,
    calibrate: () => {
      measured++;
      return Promise.resolve(calibration);
    },
  };
  const session = new Session({
    compiler: fakeCompiler({}),
    openEngine: () => Promise.resolve(engine as Engine),
    tunings: {
      get: (key) => Promise.resolve(kept.get(key) ?? ''),
      set: (key, text) => void kept.set(key, text),
    },
  });
  await session.calibrate(true);
}

it('measures again where halves or matrices have come', async () => {
  const matrix = { component: 'f16', result: 'f32', M: 16, N: 16, K: 16 } as const;
  const targets: Partial<Target>[] = [{}, { f16: true }, { f16: true, subgroupMatrices: [matrix] }];
  for (const [i, target] of targets.entries()) {
    await calibrated(target);
    expect(measured).toBe(i + 1);
    await calibrated(target);
    expect(measured).toBe(i + 1);
  }
});
