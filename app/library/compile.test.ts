/** Kernels that the library cannot launch are refused with a typed error. */
import { expect, it } from 'vitest';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { openProgram } from './compile';
import { HippocampError } from './errors';

const FOLLOWS = `import triton
import triton.language as tl

@triton.jit
def gather(addresses, out, B: tl.constexpr):
    row = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, B)
    tl.store(out + at, tl.load(row + at))
`;

it('refuses a launch function for a kernel that follows addresses', async () => {
  const program = openProgram(FOLLOWS, await testParser());
  const signature = { addresses: '*i64', out: '*fp32', B: 64 };
  const compile = (): unknown => program.compile('gather', { signature });
  expect(compile).toThrow(HippocampError);
  expect(compile).toThrow(expect.objectContaining({ code: 'no-launch' }));
  expect(compile).toThrow(/addresses/);
});
