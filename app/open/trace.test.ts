/**
 * Traces of TritonParse. `testdata/scaled.ndjson` has its form; the TTIR in it is what Triton 3.8
 * made of the kernel.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { comparableTtir } from '../panels/passes/traceTtir';
import { argumentsOf } from './traceArguments';
import { kernelSource } from './traceSource';
import { compiledOnly, launchProblem, programOfLaunch, TraceReader, type Trace } from './trace';

vi.mock('../programs/notices', () => ({ notify: () => {} }));

const SAMPLE = readFileSync(join(import.meta.dirname, 'testdata', 'scaled.ndjson'), 'utf8');

function read(text: string, piece = text.length): Trace {
  const reader = new TraceReader();
  for (let at = 0; at < text.length; at += piece) reader.add(text.slice(at, at + piece));
  return reader.end();
}
const eventsOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const textOf = (events: readonly unknown[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('');

it('counts launches that are alike as one, however the text comes in pieces', () => {
  for (const piece of [SAMPLE.length, 1000, 7]) {
    const { launches, compiled } = read(SAMPLE, piece);
    expect(launches.map(({ kernel, grid, count }) => ({ kernel, grid, count }))).toEqual([
      { kernel: 'scale_kernel', grid: [8, 1, 1], count: 3 },
      { kernel: 'scale_kernel', grid: [4, 1, 1], count: 1 },
    ]);
    expect(compiled).toEqual([]);
  }
});

it('makes a program of a launch, with the TTIR of Triton beside it', () => {
  const { files, entry } = programOfLaunch(read(SAMPLE).launches[0]!);
  expect(entry).toBe('scale_kernel.py');
  expect(files[entry]).toContain(`@triton.jit
def scale_kernel(x_ptr, index_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):`);
  expect(files[entry]).not.toContain('autotune');
  expect(files[entry]!.slice(files[entry]!.indexOf('torch.manual_seed'))).toBe(`torch.manual_seed(0)
x_ptr = torch.randn((1000,), device="cuda").to(torch.float16)
index_ptr = torch.randint(0, 1000, (1000,), device="cuda").to(torch.int32)
out_ptr = torch.randn((1000,), device="cuda")
n = 1000
factor = 2.0
BLOCK = 128

scale_kernel[(8, 1, 1)](
    x_ptr=x_ptr,
    index_ptr=index_ptr,
    out_ptr=out_ptr,
    n=n,
    factor=factor,
    BLOCK=BLOCK,
    num_warps=4,
    num_stages=3,
)
torch.cuda.synchronize()
print(out_ptr)
`);
  const ttir = files['scale_kernel.ttir']!;
  expect(ttir).toContain('tt.func public @scale_kernel');
  const bare = comparableTtir(ttir);
  expect(bare).not.toContain('loc(');
  expect(bare).toContain('\n    %offsets_0 = arith.muli %offsets, %c128_i32 : i32\n');
});

it('reads what is packed, one member a record or one for all', async () => {
  const { readTrace } = await import('./traceState');
  const lines = SAMPLE.trim().split('\n');
  const members = Buffer.concat(lines.map((line) => gzipSync(`${line}\n`)));
  for (const packed of [members, gzipSync(SAMPLE)])
    expect((await readTrace(new Blob([new Uint8Array(packed)]))).launches).toHaveLength(2);
  expect((await readTrace(new Blob([SAMPLE]))).launches).toHaveLength(2);
  const broken = new Blob([new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3])]);
  await expect(readTrace(broken)).rejects.toThrow(/\.$/);
});

describe('a trace without source', () => {
  const events = eventsOf(SAMPLE);
  it('says so where the kernel’s compilation has none', () => {
    for (const event of events) {
      const payload = event['payload'] as Record<string, unknown> | undefined;
      if (payload) delete payload['python_source'];
    }
    const [launch] = read(textOf(events)).launches;
    expect(launchProblem(launch!)).toContain('The trace has no source of scale_kernel.');
    expect(() => programOfLaunch(launch!)).toThrow('no source');
  });
  it('says so where there is no compilation', () => {
    const launches = eventsOf(SAMPLE).filter((event) => event['event_type'] === 'launch');
    const [launch] = read(textOf(launches)).launches;
    expect(launchProblem(launch!)).toContain('The trace has no compilation of scale_kernel');
  });
});

it('opens kernels that were compiled and not launched', () => {
  const compilations = eventsOf(SAMPLE).filter((event) => event['event_type'] === 'compilation');
  const { compiled } = read(textOf(compilations));
  expect(compiled).toHaveLength(2);
  const { files } = programOfLaunch(compiledOnly(compiled[0]!));
  expect(files['scale_kernel.py']).toContain('# The trace has no launch with its arguments.');
});

it.each([
  ['', 'neither compilations nor launches'],
  ['<!doctype html>\n', 'its first line is not JSON'],
  ['{"a": 1}\n', 'neither compilations nor launches'],
  ['7\nnull\n[]\n', 'neither compilations nor launches'],
])('refuses in a sentence: %j', (text, why) => {
  expect(() => read(text)).toThrow(why);
});

it('takes events of any shape', () => {
  const odd = [
    { event_type: 'compilation' },
    { event_type: 'compilation', payload: { metadata: { name: 'a b; import os', hash: 'x' } } },
    { event_type: 'launch', name: '__import__("os")', grid: [1] },
    { event_type: 'launch', name: 'k', grid: 'all' },
    { event_type: 'launch', name: 'k', grid: [1], extracted_args: [1, 2] },
    { event_type: 'launch_diff', sames: null },
  ];
  expect(read(SAMPLE + textOf(odd)).launches.map(({ kernel }) => kernel)).toEqual([
    'scale_kernel',
    'scale_kernel',
    'k',
  ]);
});

describe('an argument', () => {
  const codeOf = (value: unknown): string => argumentsOf({ x: value })[0]!.code;
  const tensor = { type: 'tensor', shape: [4, 8], dtype: 'torch.bfloat16', element_size: 2 };
  it.each([
    [{ type: 'bool', value: true }, 'x = True'],
    [{ type: 'float', value: 'inf' }, 'x = float("inf")'],
    [{ type: 'float', value: 2 }, 'x = 2.0'],
    [{ type: 'float', value: -0 }, 'x = -0.0'],
    [{ type: 'float', value: 1e21 }, 'x = 1e+21'],
    [{ type: 'float', value: 1e-7 }, 'x = 1e-7'],
    [{ type: 'int', value: -9007199254740991 }, 'x = -9007199254740991'],
    [{ type: 'NoneType', repr: 'None' }, 'x = None'],
    [{ type: 'str', value: '"); import os #' }, String.raw`x = "\"); import os #"`],
    [{ type: 'dtype', repr: 'fp32' }, 'x = tl.float32'],
    [{ type: 'constexpr', repr: 'constexpr[64]' }, 'x = 64'],
    [{ ...tensor, stride: [8, 1] }, 'x = torch.randn((4, 8), device="cuda").to(torch.bfloat16)'],
    [
      { ...tensor, stride: [1, 4], storage_offset: 3 },
      'x_storage = torch.randn((35,), device="cuda").to(torch.bfloat16)\nx = x_storage.as_strided((4, 8), (1, 4), 3)',
    ],
    [
      { ...tensor, dtype: 'torch.int64' },
      'x = torch.zeros((4, 8), dtype=torch.int64, device="cuda")',
    ],
  ])('%j', (value, code) => {
    expect(codeOf(value)).toBe(code);
  });
  it.each([
    { type: 'JITFunction', repr: 'JITFunction(m:f)' },
    { type: 'int', value: 2 ** 63 },
    { type: 'str', value: 'a'.repeat(1001) },
    { type: 'tensor', shape: ['__import__'], dtype: 'torch.float32' },
    { type: 'tensor', shape: [4], dtype: 'torch.float32; import os' },
  ])('without a value raises where it is made: %j', (value) => {
    expect(codeOf(value)).toMatch(
      /^raise NotImplementedError\("the trace has no value of x, a \w+/,
    );
  });
  it('shares its storage with one at the same address', () => {
    const at = (data_ptr: string, storage_offset: number) => ({
      ...tensor,
      stride: [8, 1],
      data_ptr,
      storage_offset,
    });
    const codes = argumentsOf({ a: at('0x7e0000', 0), b: at('0x7e0040', 32) }).map(
      ({ code }) => code,
    );
    expect(codes.join('\n')).toBe(
      'a_storage = torch.randn((64,), device="cuda").to(torch.bfloat16)\n' +
        'a = a_storage.as_strided((4, 8), (8, 1), 0)\n' +
        'b = a_storage.as_strided((4, 8), (8, 1), 32)',
    );
  });
  it('that is no name is left out', () => {
    expect(argumentsOf({ 'a=1, b': 1, _note: 'captured' })).toEqual([]);
  });
});

it('reads infinities and NaN as Python writes them', () => {
  const launch = (extra: string) =>
    `{"event_type":"launch","name":"k","grid":[1],"extracted_args":{"note":{"type":"str","value":"NaN \\" Infinity"},"x":{"type":"float","value":-Infinity}${extra}}}\n`;
  const stats = `,"t":{"type":"tensor","shape":[2],"dtype":"torch.float32","min":NaN,"max":Infinity,"mean":NaN,"std":NaN}`;
  const { launches } = read(`{"event_type":"other"}\n${launch(stats)}`);
  expect(launches[0]!.arguments.map(({ code }) => code)).toEqual([
    String.raw`note = "NaN \" Infinity"`,
    'x = float("-Infinity")',
    't = torch.randn((2,), device="cuda")',
  ]);
});

it('takes no other launch for one whose grid is none', () => {
  const compiled = eventsOf(SAMPLE).filter((event) => event['event_type'] === 'compilation');
  const odd = { event_type: 'launch', name: 'k', grid: [1, 'two', 3] };
  expect(read(textOf([...compiled, odd])).launches).toEqual([]);
});

it('takes of a whole file the functions of Triton and what they read', () => {
  const code = `import os
import triton.language as tl
import requests
SCALE = tl.constexpr(2)
WIDTH = 64
os.remove("x")
@triton.jit
def helper(x):
    return x * SCALE

def main():
    k[(1,)]()

@triton.autotune(configs=[
    triton.Config({}),
], key=[])
@triton.jit
def k(x):
    helper(x)
main()
`;
  const source = kernelSource({ code, start_line: 1, function_start_line: 17 }, 'k');
  expect(source).toBe(`import triton.language as tl

SCALE = tl.constexpr(2)

WIDTH = 64

@triton.jit
def helper(x):
    return x * SCALE

@triton.jit
def k(x):
    helper(x)`);
});

it('ends a line without end in a sentence', () => {
  const reader = new TraceReader();
  const piece = 'x'.repeat(2 ** 20);
  expect(() => {
    for (let i = 0; i < 100; i++) reader.add(piece);
  }).toThrow('a line of it has no end');
});
