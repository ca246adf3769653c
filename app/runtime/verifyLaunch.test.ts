/**
 * `run --verify` on the software adapter: launches agree with the interpreter on the data they had,
 * in place, with atomics, by a sample; a fault planted into the WGSL is found, with the element,
 * the program and a report; what depends on the order of programs accuses nobody.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCompiler, PIPELINE, type ExtraPass } from '../../compiler/pipeline';
import { drawn } from '../../compiler/inspect/verify';
import { readPackages } from '../cli/files';
import { openNodeEngine } from '../cli/nodeEngine';
import { nodeParser } from '../cli/nodeParser';
import { startPython } from '../cli/pythonSnapshot';
import type { ProgramEvent, RunOptions } from '../events';
import { Runner } from './runner';
import { verificationText } from './verificationText';

const ROOT = join(import.meta.dirname, '..', '..');

async function start(extra: readonly ExtraPass[] = []): Promise<Runner> {
  const [pyodide, compiler] = await Promise.all([
    startPython(ROOT),
    nodeParser(ROOT).then((parser) => createCompiler(parser, extra)),
  ]);
  return Runner.create(pyodide, readPackages(ROOT), {
    compiler,
    openEngine: (kind, events) => openNodeEngine(kind, events, () => {}),
  });
}

const HEAD = 'import torch\nimport triton\nimport triton.language as tl\n\n';
const IN_PLACE = `${HEAD}
@triton.jit
def scale(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0) * 3.0
    tl.store(x_ptr + at, x, mask=at < n)
    tl.atomic_add(total_ptr, tl.sum(x, axis=0))

x = torch.arange(1000, device="cuda", dtype=torch.float32)
total = torch.zeros(1, device="cuda")
for _ in range(2):
    scale[(8,)](x, total, 1000, BLOCK=128)
`;
/** 2^20 programs of 64 steps: more than are interpreted. */
const LARGE = `${HEAD}
@triton.jit
def fill(out_ptr, seen_ptr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    value = pid * 3
    for i in range(64):
        value = value * 3 + i
    tl.store(out_ptr + pid, value)
    tl.atomic_add(seen_ptr, 1)

out = torch.empty(2**18, device="cuda", dtype=torch.int32)
seen = torch.zeros(1, device="cuda", dtype=torch.int32)
fill[(2**18,)](out, seen, BLOCK=1)
`;
const TICKETS = `${HEAD}
@triton.jit
def tickets(out_ptr, next_ptr):
    place = tl.atomic_add(next_ptr, 1)
    tl.store(out_ptr + place, tl.program_id(0))

out = torch.empty(64, device="cuda", dtype=torch.int32)
tickets[(64,)](out, torch.zeros(1, device="cuda", dtype=torch.int32))
`;
/** Each sum cancels: what is left is rounding. */
const CANCELS = `${HEAD}
@triton.jit
def centred(x_ptr, mean_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.load(mean_ptr + row)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * N + at) * 3.0 - (mean + mean + mean)
    tl.store(out_ptr + row, tl.sum(total, axis=0))

x = torch.randn(8, 4096, device="cuda").to(torch.DTYPE) + 3
x[0, 0] = 3.0
out = torch.empty(8, device="cuda")
centred[(8,)](x, x.float().mean(1), out, 4096, BLOCK=512)
`;
/** More than are interpreted, all of them by atomics. */
const COUNTS = `${HEAD}
@triton.jit
def count(out_ptr):
    place = tl.program_id(0)
    for i in range(64):
        place = (place * 3 + i) & 15
    tl.atomic_add(out_ptr + place, 1)

count[(2**18,)](torch.zeros(16, device="cuda", dtype=torch.int32))
`;

async function verified(
  runner: Runner,
  program: string,
): Promise<Extract<ProgramEvent, { type: 'verification' }>[]> {
  const events: ProgramEvent[] = [];
  const options: RunOptions = {
    ...{ adapter: 'webgpu', maxBytes: null, check: false, seed: 0 },
    verify: { sample: 16, seed: 5 },
  };
  await runner.run({ 'p.py': program }, 'p.py', options, (event) => void events.push(event));
  expect(events.find((event) => event.type === 'started')?.adapter.kind).toBe('webgpu');
  expect(events.filter((event) => event.type === 'diagnostic')).toEqual([]);
  return events.filter((event) => event.type === 'verification');
}

it('verifies launches in place, with atomics, by a sample, and whatever their order', async () => {
  const runner = await start();
  const [first, second, ...more] = await verified(runner, IN_PLACE);
  expect(more).toEqual([]);
  for (const each of [first, second])
    expect(each).toMatchObject({ programs: 8, of: 8, report: null, reason: null });
  expect(['same', 'rounding']).toContain(second!.verdict);
  const [large] = await verified(runner, LARGE);
  expect(large).toMatchObject({ verdict: 'same', programs: 16, of: 2 ** 18, seed: 5, left: 1 });
  expect(verificationText(large!)).toContain('16 of 262144 programs, seed 5; 1 elements');
  // The software adapter may run programs in the interpreter's order, and may not.
  const [tickets] = await verified(runner, TICKETS);
  expect(['same', 'undecided']).toContain(tickets!.verdict);
  const [counts] = await verified(runner, COUNTS);
  expect(counts).toMatchObject({ verdict: 'undecided', programs: 16, left: expect.any(Number) });
  expect(counts!.reason).toBe('the programs of its sample store by atomics alone');
  for (const dtype of ['float32', 'float16']) {
    const [cancels] = await verified(runner, CANCELS.replace('DTYPE', dtype));
    expect(cancels).toMatchObject({ programs: 8, report: null });
    // Sums of float16 values may be the same in every order.
    expect(dtype === 'float32' ? ['rounding'] : ['same', 'rounding']).toContain(cancels!.verdict);
  }
  runner.dispose();
});

it('finds a fault that is planted into the WGSL, and reports what shows it again', async () => {
  const emit = PIPELINE.findIndex(({ name }) => name === 'emit');
  const planted: ExtraPass = {
    name: 'planted',
    into: emit,
    runText: (kernel) => {
      const wgsl = kernel.wgsl.replaceAll('3.0f', '3.5f').replaceAll('* 3i', '* 5i');
      return { ...kernel, wgsl: wgsl === kernel.wgsl ? wgsl.replaceAll('* 3', '* 5') : wgsl };
    },
  };
  const runner = await start([planted]);
  const [inPlace] = await verified(runner, IN_PLACE);
  expect(inPlace).toMatchObject({ verdict: 'different', kernel: 'scale' });
  expect(inPlace!.first).toMatchObject({ argument: 'x_ptr', index: 1, before: 3, after: 3.5 });
  expect(inPlace!.program).toEqual([0, 0, 0]);
  expect(inPlace!.report).toContain('x_ptr[1]: 3 by the interpreter, 3.5 by the GPU, program 0');
  expect(inPlace!.report).toContain('def scale(x_ptr');
  const [large] = await verified(runner, LARGE);
  expect(large).toMatchObject({ verdict: 'different', programs: 16, reason: null });
  expect(verificationText(large!)).toContain('a fault of Hippocamp or of the driver');
  for (const dtype of ['float32', 'float16']) {
    const [cancels] = await verified(runner, CANCELS.replace('DTYPE', dtype));
    expect(cancels).toMatchObject({ verdict: 'different', kernel: 'centred' });
  }
  runner.dispose();
});

it('draws a sample by its seed, with the first and the last program', () => {
  expect(drawn(1000, 10, 1)).toEqual(drawn(1000, 10, 1));
  expect(drawn(1000, 10, 1)).not.toEqual(drawn(1000, 10, 2));
  expect(drawn(1000, 10, 1)).toHaveLength(10);
  expect(drawn(1000, 10, 1)).toEqual(expect.arrayContaining([0, 999]));
  expect(drawn(3, 10, 1)).toEqual([0, 1, 2]);
});
