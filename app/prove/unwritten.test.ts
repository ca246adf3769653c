/** Reads of memory that nothing has written: of parts of tensors, and of shared memory. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from './report';
import { Judge } from './testing/judge';
import { withUnwritten } from './unwritten';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { fillOf } from '../../compiler/inspect/fill';

let judge: Judge;
beforeAll(async () => {
  judge = await Judge.create(join(import.meta.dirname, '..', '..'));
}, 120_000);
afterAll(() => judge?.dispose());

async function found(text: string): Promise<readonly Finding[]> {
  const { sections, errors } = await judge.report(text);
  expect(errors).toEqual([]);
  return sections.find(({ check }) => check === 'undefined')!.findings;
}
const lineOf = (text: string, part: string): number =>
  text.split('\n').findIndex((line) => line.includes(part)) + 1;

const program = (host: string, dtype = 'float32'): string => `import torch
import triton
import triton.language as tl


@triton.jit
def write(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, i, mask=i < n)


@triton.jit
def copy(x_ptr, y_ptr, start, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + start + i, mask=i < n, other=0)
    tl.store(y_ptr + i, x, mask=i < n)


x = torch.empty(64, dtype=torch.${dtype}, device="cuda")
y = torch.empty(64, dtype=torch.${dtype}, device="cuda")
${host}
torch.cuda.synchronize()
`;

describe('a tensor of torch.empty that was written in part', { timeout: 60_000 }, () => {
  it.each(['float32', 'float16', 'bfloat16', 'int8', 'int32', 'int64', 'bool'])(
    'is found where a kernel reads its rest, of %s',
    async (dtype) => {
      const text = program('x[:24] = 1\ncopy[(1,)](x, y, 0, 64, BLOCK=64)', dtype);
      expect(await found(text)).toMatchObject([
        {
          verdict: 'fails',
          subject: { kernel: 'copy', operation: 'unwritten memory of x_ptr' },
          location: { line: lineOf(text, 'x = tl.load') },
          witnesses: [{ name: 'program' }, { name: 'first unwritten element', value: '24' }],
        },
      ]);
    },
  );

  it('is found where an earlier launch wrote it', async () => {
    const text = program('write[(1,)](x, 40, BLOCK=64)\ncopy[(1,)](x, y, 16, 48, BLOCK=64)');
    const findings = await found(text);
    expect(findings).toMatchObject([
      { verdict: 'fails', location: { line: lineOf(text, 'x = tl.load') } },
    ]);
    expect(findings[0]!.witnesses![1]).toMatchObject({ value: '40' });
  });

  it.each([
    ['the part that was written', 'x[:24] = 1\ncopy[(1,)](x, y, 0, 24, BLOCK=64)'],
    ['what a launch wrote', 'write[(1,)](x, 40, BLOCK=64)\ncopy[(1,)](x, y, 8, 32, BLOCK=64)'],
  ])('accuses no read of %s', async (_, host) => {
    expect(await found(program(host))).toMatchObject([
      { verdict: 'holds', scope: { kind: 'sample', checked: 1, programs: 1 } },
    ]);
  });

  it('takes a NaN that the program wrote for written', async () => {
    const nan = 'x[:24] = 1\nx[24:] = float("nan")\ncopy[(1,)](x, y, 0, 64, BLOCK=64)';
    expect(await found(program(nan))).toEqual([]);
    const part = nan.replace('x[24:]', 'x[24:48]');
    const [finding] = await found(program(part));
    expect(finding!.witnesses![1]).toMatchObject({ value: '48' });
  });
});

const gluon = (body: string): string => `import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def swap(x_ptr, y_ptr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    i = gl.arange(0, 128, layout=layout)
    x = gl.load(x_ptr + i)
${body}

x = torch.arange(128, dtype=torch.float32, device="cuda")
y = torch.zeros_like(x)
swap[(2,)](x, y)
torch.cuda.synchronize()
`;

describe('shared memory', { timeout: 60_000 }, () => {
  it('is found where a kernel reads it before it writes it', async () => {
    const text = gluon(`    buffers = gl.allocate_shared_memory(gl.float32, [2, 128], shared)
    buffers.index(0).store(x)
    got = buffers.index(1).load(layout)
    gl.store(y_ptr + i, got)
`);
    expect(await found(text)).toMatchObject([
      {
        verdict: 'fails',
        subject: { kernel: 'swap', operation: 'unwritten shared memory' },
        message: expect.stringContaining('shared memory that nothing has written') as string,
        location: { line: lineOf(text, 'got = ') },
        witnesses: [{ name: 'program' }, { name: 'first unwritten element', value: '128' }],
      },
    ]);
  });

  it('is none where it was written, in each program', async () => {
    const text = gluon(`    buffer = gl.allocate_shared_memory(gl.float32, [128], shared)
    buffer.store(x)
    gl.store(y_ptr + i, buffer.load(layout))
`);
    expect(await found(text)).toEqual([]);
  });

  it('is found in a later program, to which an earlier one left it', async () => {
    const text = gluon(`    buffer = gl.allocate_shared_memory(gl.float32, [128], shared)
    if gl.program_id(0) == 0:
        buffer.store(x)
    got = buffer.load(layout)
    gl.store(y_ptr + i, got)
`);
    expect(await found(text)).toMatchObject([
      { verdict: 'fails', witnesses: [{ value: '(1, 0, 0)' }, {}] },
    ]);
  });
});

describe('booleans, which hold the fill by chance, too', () => {
  const fill = fillOf(0x01010101, 0x01010101);
  const launch = (contents: readonly number[], others: readonly number[]): LaunchInputs => ({
    launch: 0,
    kernel: 'k',
    key: 'k',
    request: null as unknown as LaunchInputs['request'],
    grid: [1, 1, 1],
    args: [],
    storages: [
      { address: 0, byteLength: 4, contents: Uint8Array.from(contents), fill },
      { address: 256, byteLength: 4, contents: Uint8Array.from(others) },
    ],
  });
  const marks = (here: LaunchInputs, there: LaunchInputs) =>
    withUnwritten([here], [there])[0]!.storages[0]!.unwritten;

  it('are unwritten where they hold it in both runs', () => {
    const found = marks(launch([0, 1, 1, 1], [5, 6, 7, 8]), launch([0, 1, 0, 0], [5, 6, 7, 8]));
    expect(found).toEqual(Uint8Array.of(0, 0, 1, 1));
  });

  it.each([
    ['its own', [1, 1, 0, 0], [5, 6, 7, 8]],
    ['another tensor', [0, 1, 0, 0], [5, 6, 7, 9]],
  ])('are not where the program draws other numbers for %s', (_, own, others) => {
    const found = marks(launch([0, 1, 1, 1], [5, 6, 7, 8]), launch(own, others));
    expect(found).toBeUndefined();
  });
});
