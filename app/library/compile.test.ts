/** The library compiles for options and bindings, and refuses kernels that it cannot launch. */
import { expect, it } from 'vitest';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { openProgram } from './compile';
import { HippocampError } from './errors';
import type { CompileOptions, Compiled } from './types';

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

const SUM = `import triton
import triton.language as tl

@triton.jit
def red(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr = 1024):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0) + tl.load(y_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr, tl.sum(x))
`;

async function compiled(text: string, options: CompileOptions): Promise<Compiled> {
  const made = openProgram(text, await testParser()).compile(undefined, options);
  if (!made.ok) throw new Error(made.diagnostics[0]?.message);
  return made;
}
const names = ({ bindings }: Compiled): string[] =>
  bindings.filter(({ type }) => type !== 'uniform').map((each) => each.arguments.join('+'));

it('takes warps, stages and shared buffers with a signature and without one', async () => {
  for (const signature of [
    undefined,
    { x_ptr: '*fp32', y_ptr: '*fp32', out_ptr: '*fp32', n: 'i32' },
  ]) {
    const made = (options: CompileOptions): Promise<Compiled> =>
      compiled(SUM, { target: 'h100', signature, ...options });
    expect(names(await made({}))).toEqual(['x_ptr', 'y_ptr', 'out_ptr']);
    const part = await made({ sameBuffer: [['x_ptr', 'out_ptr']], numStages: 1 });
    expect(names(part)).toEqual(['x_ptr+out_ptr', 'y_ptr']);
    expect(part.specialization.numStages).toBe(1);
    const chained = [
      ['x_ptr', 'y_ptr'],
      ['y_ptr', 'out_ptr'],
    ];
    expect(names(await made({ sameBuffer: chained }))).toEqual(['x_ptr+y_ptr+out_ptr']);
    const sizes = [4, 8].map(async (numWarps) => (await made({ numWarps })).workgroupSize);
    expect(await Promise.all(sizes)).toEqual([128, 256]);
    await expect(made({ sameBuffer: [['nope', 'x_ptr']] })).rejects.toMatchObject({
      code: 'bad-signature',
      subject: 'nope',
    });
    await expect(made({ numWarps: 0 })).rejects.toMatchObject({ subject: 'numWarps' });
  }
});

it('gives the tensors all bindings of the target, but for the report’s', async () => {
  const pointers = [...'abcdefgh'];
  const text = (extra: string): string => `import triton
import triton.language as tl

@triton.jit
def sums(${pointers.join(', ')}, B: tl.constexpr):
    i = tl.arange(0, B)
    s = ${pointers
      .slice(1)
      .map((name) => `tl.load(${name} + i)`)
      .join(' + ')}
${extra}    tl.store(a + i, s)
`;
  const signature = { ...Object.fromEntries(pointers.map((name) => [name, '*fp32'])), B: 16 };
  expect(names(await compiled(text(''), { signature }))).toEqual(pointers);
  const prints = await compiled(text('    tl.device_print("i", i)\n'), { signature });
  expect(names(prints)).toEqual([...pointers.slice(0, 6), 'g+h']);
  // The page's own runtime has a binding more.
  const checked = await compiled(text(''), { signature, checked: true });
  expect(names(checked)).toEqual([...pointers.slice(0, 5), 'f+g+h']);
});

it('gives kernels with fp16 and bf16 scalars a launch function', async () => {
  const text = `import triton
import triton.language as tl

@triton.jit
def fill(out, h, b):
    tl.store(out, h + b)
`;
  const signature = { out: '*fp32', h: 'fp16', b: 'bf16' };
  const { launch } = await compiled(text, { signature });
  expect(launch?.js).toContain('f16Bits(args.h)');
  expect(launch?.js).toContain('bf16Bits(args.b)');
});
