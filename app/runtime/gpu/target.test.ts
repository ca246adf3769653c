/** Targets of adapters that report what no machine here does. */
import { expect, it } from 'vitest';
import { targetOf, type ExtendedAdapterInfo } from './target';

const INFO = {
  ...{ vendor: '', architecture: '', device: '', description: '' },
  ...{ subgroupMinSize: 16, subgroupMaxSize: 32, isFallbackAdapter: false },
  subgroupMatrixConfigs: [
    { componentType: 'f16', resultComponentType: 'f32', M: 8, N: 16, K: 16 },
    { componentType: 'u8', resultComponentType: 'u32', M: 8, N: 16, K: 32 },
  ],
} as unknown as ExtendedAdapterInfo;
const device = (...features: string[]): GPUDevice =>
  ({ features: new Set(features), limits: {} }) as unknown as GPUDevice;

it.each(['subgroup-matrix', 'chromium-experimental-subgroup-matrix'])(
  'takes the matrices that come with %s',
  (feature) => {
    const target = targetOf(INFO, device('subgroups', feature));
    expect(target.subgroupMatrices).toEqual([
      { component: 'f16', result: 'f32', M: 8, N: 16, K: 16 },
      { component: 'u8', result: 'u32', M: 8, N: 16, K: 32 },
    ]);
    expect(target.subgroupMatrixFeature).toBe(feature === 'subgroup-matrix' ? feature : undefined);
  },
);

it('takes none without the feature', () => {
  expect(targetOf(INFO, device('subgroups')).subgroupMatrices).toEqual([]);
});

it('pins the size of subgroups where it can', () => {
  const pinned = targetOf(INFO, device('subgroups', 'subgroup-size-control'));
  expect(pinned).toMatchObject({ subgroupSize: 16, subgroupSizeControl: true });
  const open = targetOf(INFO, device('subgroups'));
  expect(open).toMatchObject({ subgroupSize: 'none', subgroupSizeControl: false });
});
