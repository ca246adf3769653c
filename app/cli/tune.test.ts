/**
 * `hippocamp run --tune` on a software adapter: what a program prints, computes and reports is what
 * it is without, also where a kernel would do something else the second time.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { tryReadProgram } from './programs';
import { createNodeRunner } from './programProcess';
import { exitCode } from './run';
import { ofType } from './testing/programs';

const folder = mkdtempSync(join(tmpdir(), 'hippocamp-tune-'));
// Nothing is kept of an earlier run.
process.env['XDG_CACHE_HOME'] = folder;
const runner = createNodeRunner(join(import.meta.dirname, '..', '..'), () => {});
afterAll(async () => {
  (await runner).dispose();
  rmSync(folder, { recursive: true });
});

async function tuned(text: string): Promise<readonly ProgramEvent[]> {
  const path = join(folder, 'a.py');
  writeFileSync(path, `import torch, triton, triton.language as tl\n${text}`);
  const { files, entry } = tryReadProgram(path, (said) => expect.unreachable(said))!;
  const events: ProgramEvent[] = [];
  const options = { adapter: 'webgpu', maxBytes: null, check: false, seed: 0 } as const;
  const tuning = { tuneChoices: true, tuneSeconds: 60 };
  await (await runner).run(files, entry, { ...options, ...tuning }, (event) => events.push(event));
  return events;
}
const printed = (events: readonly ProgramEvent[]): string =>
  ofType(events, 'print')
    .map(({ text }) => text)
    .join('');
const schedules = (events: readonly ProgramEvent[]) =>
  ofType(events, 'autotune').filter(({ schedule, done }) => schedule && done);

it('neither prints again nor reports what only its own launches do', async () => {
  // A second launch stores behind the end of `out`: each adds to the counter.
  const events = await tuned(`
@triton.constexpr_function
def twice(n):
    print("asked")
    return n * 2

@triton.jit
def append(x, out, counter, B: tl.constexpr):
    tl.static_print("B is", B)
    i = tl.arange(0, twice(B))
    at = tl.load(counter)
    tl.store(out + at + i, tl.load(x + i))
    tl.store(counter, at + 2 * B)

x = torch.arange(64, device='cuda', dtype=torch.float32)
out = torch.zeros(64, device='cuda')
counter = torch.zeros(1, device='cuda', dtype=torch.int32)
append[(1,)](x, out, counter, B=32)
print(int(out.sum().item()), counter.item())
`);
  expect(ofType(events, 'diagnostic')).toEqual([]);
  expect(printed(events)).toBe('B is 32\nasked\n2016 64\n');
  expect(exitCode(events)).toBe(0);
  const [found] = schedules(events);
  expect(found?.configurations.length).toBeGreaterThan(1);
  expect(ofType(events, 'launch')).toHaveLength(1);
});

it('leaves alone a kernel whose loop each launch makes longer', async () => {
  const events = await tuned(`
@triton.jit
def grow(n, x, B: tl.constexpr):
    i = tl.arange(0, B)
    k = tl.load(n)
    v = tl.load(x + i)
    for j in range(k):
        v = v * 0.5 + j
    tl.store(x + i, v)
    tl.store(n, k * 2)

x = torch.arange(64, device='cuda', dtype=torch.float32)
n = torch.ones(1, device='cuda', dtype=torch.int32)
grow[(1,)](n, x, B=64)
print(int(x.sum().item()), n.item())
`);
  expect(printed(events)).toBe('1008 2\n');
  expect(schedules(events)[0]?.configurations).toMatchObject([
    { state: 'skipped', error: 'it reads what it writes, and the end of a loop depends on data' },
  ]);
});

it('throws an error of an earlier launch at the line that it would be thrown at', async () => {
  const events = await tuned(`
@triton.jit
def check(x):
    tl.device_assert(tl.load(x) > 0, "positive")
@triton.jit
def inc(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i) + 1)

x = torch.zeros(64, device='cuda')
check[(1,)](x, debug=True)
try:
    inc[(1,)](x, B=64)
    torch.cuda.synchronize()
    print("no error")
except RuntimeError as error:
    print("positive" in str(error) or "assert" in str(error))
`);
  expect(printed(events)).toBe('True\n');
});
