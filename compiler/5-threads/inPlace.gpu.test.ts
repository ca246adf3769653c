/**
 * Loads before stores to the same tensor, on a software adapter, which runs a program's subgroups
 * one after the other: tiles that several threads hold, scalars among them.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn } from '../../app/cli/dawn';
import type { OpenedDevice } from '../../app/cli/dawn';
import { testParser } from '../1-parse/testing/testParser';
import { lowerText } from '../2-lower/testing/lowerText';
import { interpret } from './testing/differential';
import { compileFunc, launchKernel } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const HEAD = `import triton
import triton.language as tl
@triton.jit
def kernel(P, Q):
`;
const BODIES: Readonly<Record<string, string>> = {
  'a scalar': `    s = tl.load(P)
    tl.store(P, s + 1)
    i = tl.arange(0, 128)
    tl.store(Q + i, s * 1000 + i)
`,
  'a tile with fewer elements than threads': `    j = tl.arange(0, 4)
    at = P + j
    v = tl.load(at)
    tl.store(at, v * 2 + 1)
    i = tl.arange(0, 128)
    tl.store(Q + i, tl.sum(v) + i)
`,
  'a small tile, expanded': `    j = tl.arange(0, 4)
    at = P + j
    v = tl.load(at)
    tl.store(at, v * 2 + 1)
    k = tl.arange(0, 32)
    tl.store(Q + k[:, None] * 4 + j[None, :], v[None, :] + k[:, None])
`,
};

describe.skipIf(software.kind === 'missing')('a load before a store in place', () => {
  let gpu: OpenedDevice;
  let parser: Awaited<ReturnType<typeof testParser>>;
  beforeAll(async () => {
    [gpu, parser] = [await openDawn(), await testParser()];
  });
  it.each(Object.entries(BODIES))('%s', async (_, body) => {
    const make = () => {
      const types = { P: '*i32', Q: '*i32' };
      const { func, diagnostics } = lowerText(parser, HEAD + body, 'kernel', types);
      expect(diagnostics).toEqual([]);
      return func!;
    };
    const args = [Int32Array.of(5, 7, 11, 13), new Int32Array(128)].map(
      (array) => new Uint8Array(array.buffer),
    );
    const func = make();
    const kernel = compileFunc(func, gpu.target);
    const { buffers } = await launchKernel(gpu.device, func, kernel, args);
    const wanted = interpret(make(), args, [1, 1, 1]).buffers;
    buffers.forEach((found, i) =>
      expect(new Int32Array(found!.buffer)).toEqual(new Int32Array(wanted[i]!.slice().buffer)),
    );
  });
});
