/**
 * Every program of the gallery, for every profile and for explicit limits: it compiles, keeps to
 * the target's limits and features, and WGSL's validation accepts it (Dawn, without a GPU). One
 * specialization of each kernel: the page's, or the one that its program launches. What several
 * targets get alike is validated once.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { openDawn } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler } from '../pipeline';
import type { CompiledKernel } from '../program';
import { settle } from '../regroup';
import { BASELINE_TARGET, type Target } from '../target';
import { galleryKernels } from '../testing/gallery';
import { PROFILES } from './index';
import { retarget } from './retarget';

const LIMITS: readonly Target[] = [128, 256].map((maxInvocations) => ({
  ...BASELINE_TARGET,
  name: `16 KiB and ${maxInvocations} invocations`,
  maxWorkgroupBytes: 16_384,
  maxInvocations,
}));
const TARGETS = [...PROFILES.map(({ target }) => target), ...LIMITS];

let parser: Parser;
let device: GPUDevice;
beforeAll(async () => {
  parser = await testParser();
  const enable = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'];
  ({ device } = await openDawn({ backend: 'null', enable }));
});

/** WGSL that was validated. */
const valid = new Set<string>();
async function problemOf({ wgsl }: CompiledKernel): Promise<string | undefined> {
  if (valid.has(wgsl)) return undefined;
  valid.add(wgsl);
  device.pushErrorScope('validation');
  device.createShaderModule({ code: wgsl });
  return (await device.popErrorScope())?.message;
}

/** Features of the target that a kernel may enable. */
function featuresOf(target: Target): string[] {
  return [
    ...(target.subgroupSize === 'none' ? [] : ['subgroups']),
    ...(target.subgroupSizeControl ? ['subgroup-size-control'] : []),
    ...(target.f16 ? ['shader-f16'] : []),
    ...(target.subgroupMatrices.length > 0 ? ['chromium-experimental-subgroup-matrix'] : []),
  ];
}

describe.each(TARGETS)('for $name', (target) => {
  it('compiles, within its limits', async () => {
    const compiler = createCompiler(parser);
    const kernels = galleryKernels(parser, target);
    expect(kernels.length).toBeGreaterThan(40);
    for (const { file, name, request } of kernels) {
      const { result } = settle((each) => compiler.compile(each), retarget(request, target));
      const where = `${file}: ${name}`;
      if (result.kind !== 'compiled')
        throw new Error(
          `${where}: ${result.kind === 'failed' ? result.diagnostics[0]?.message : ''}`,
        );
      const { kernel } = result;
      const buffers = kernel.bindings.length + (kernel.boundsReport || kernel.debugSites ? 1 : 0);
      const inStorage = kernel.bindings.some(({ group }) => group === 'shared');
      expect({ where, over: kernel.workgroupSize > target.maxInvocations }).toMatchObject({
        over: false,
      });
      expect({ where, over: buffers > target.maxStorageBuffers }).toMatchObject({ over: false });
      if (!inStorage) expect(kernel.workgroupBytes).toBeLessThanOrEqual(target.maxWorkgroupBytes);
      const missing = kernel.features.filter((each) => !featuresOf(target).includes(each));
      expect({ where, missing }).toEqual({ where, missing: [] });
      expect({ where, problem: await problemOf(kernel) }).toEqual({ where });
    }
  });
});

it('pins the size of subgroups where the target has several', () => {
  const { target } = PROFILES.find(({ id }) => id === 'intel-xe2-matrices')!;
  const request = galleryKernels(parser, target).find(({ file }) => file === 'fused_softmax.py')!;
  const { result } = settle((each) => createCompiler(parser).compile(each), request.request);
  expect(result.kind === 'compiled' && result.kernel.wgsl).toContain('@subgroup_size(16)');
});
