/** Halves of an adapter without `shader-f16`: by WGSL's packing, as far as it was found right. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { openDawn, type OpenedDevice } from '../../../app/cli/dawn';
import { BASELINE_TARGET, type Target } from '../../target';
import { lowerSigned } from '../testing/lowerSigned';
import { compileFunc, pipelineOf } from '../testing/run';

const SOURCE = `import triton
import triton.language as tl
@triton.jit
def kernel(x_ptr, y_ptr, B: tl.constexpr):
    at = tl.arange(0, B)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, x * x + x)
`;
let parser: Parser;
let dawn: OpenedDevice;
beforeAll(async () => {
  parser = await testParser();
  dawn = await openDawn({ backend: 'null' });
});

async function wgslOf(how: Partial<Target>): Promise<string> {
  const func = lowerSigned(parser, SOURCE, { x_ptr: '*fp16', y_ptr: '*fp16', B: 64 });
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const kernel = compileFunc(func, { ...BASELINE_TARGET, ...how });
  await pipelineOf(dawn.device, kernel);
  return kernel.wgsl;
}
const helpersIn = (wgsl: string): string[] =>
  [...wgsl.matchAll(/^fn (f16_\w+)/gm)].map(([, name]) => name!);

describe('halves without shader-f16', () => {
  it('are integers where nothing is known of packing', async () => {
    const wgsl = await wgslOf({});
    expect(helpersIn(wgsl).sort()).toEqual(['f16_bits', 'f16_round', 'f16_value']);
    expect(wgsl).not.toContain('pack2x16float');
  });
  it('are moved by packing where it keeps them, and rounded in integers', async () => {
    const helpers = helpersIn(await wgslOf({ f16ByPacking: 'move' }));
    expect(helpers).toEqual(expect.arrayContaining(['f16_pack', 'f16_unpack', 'f16_round']));
    expect(helpers).not.toContain('f16_repack');
  });
  it('are rounded by packing where that rounds to the nearest', async () => {
    const wgsl = await wgslOf({ f16ByPacking: 'round' });
    expect(helpersIn(wgsl).sort()).toEqual(['f16_pack', 'f16_repack', 'f16_unpack']);
    expect(wgsl).toContain('f16_repack(');
  });
});
