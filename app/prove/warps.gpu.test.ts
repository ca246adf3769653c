/** Launches with other numbers of warps, compared by a proof on the software adapter. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import type { Runner } from '../runtime/runner';
import { startLessons } from '../tutorials/testing';
import { algebraSection, type Run } from './algebra';

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

const program = (store: string): string => `import torch
import triton
import triton.language as tl
from triton.language import atomic_add as add
from triton.language.extra.cuda import num_threads as threads


@triton.jit
def move(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    ${store}


x = torch.randn(1024, device="cuda")
y = torch.zeros(1024, device="cuda")
move[lambda meta: (1,)](x, y, 1024, BLOCK=1024)
assert torch.equal(y, y)
`;

/** Prints of kernels in the last two runs. */
const printed: string[] = [];

async function findings(text: string) {
  printed.length = 0;
  const run = async (ring: boolean): Promise<Run> => {
    const events: ProgramEvent[] = [];
    const options = { adapter: 'webgpu', maxBytes: null, check: false, seed: 0 } as const;
    await runner.run(
      { 'main.py': text },
      'main.py',
      { ...options, measures: false, compareConfigurations: true, ...(ring ? { ring } : {}) },
      (event) => {
        events.push(event);
        if (event.type === 'device-print') printed.push(event.kernel);
      },
    );
    runner.tidy();
    return { engine: 'the adapter', events };
  };
  const [ordinary, ring] = [await run(false), await run(true)];
  const section = algebraSection({
    ...{ ordinary, usesOf: () => undefined, milliseconds: 0 },
    rings: [{ engine: 'the interpreter', events: [] }, ring],
  });
  return section.findings.flatMap(({ subject, verdict, message, location }) =>
    subject.kind === 'comparison' && subject.call?.startsWith('num_warps')
      ? [{ call: subject.call, verdict, message, line: location?.line }]
      : [],
  );
}

it('finds the same where a kernel is right', { timeout: 300_000 }, async () => {
  const found = await findings(program('tl.store(y_ptr + i, x + tl.sum(x))'));
  expect(found).toEqual(
    [8, 2].map((warps) => ({
      call: `num_warps of move(y_ptr with num_warps: ${warps}, y_ptr with num_warps: 4)`,
      verdict: 'holds',
      message: 'equal in the ring, bit for bit, on the adapter',
      line: 17,
    })),
  );
});

it('names the number of warps that changes a result', { timeout: 300_000 }, async () => {
  const found = await findings(program('tl.store(y_ptr + i, x + threads())'));
  const of = (warps: number): unknown => expect.stringContaining(`y_ptr with num_warps: ${warps}`);
  expect(found).toMatchObject([
    { call: of(8), verdict: 'fails', line: 17 },
    { call: of(2), verdict: 'fails', line: 17 },
  ]);
});

it('compares no launch with atomics', { timeout: 300_000 }, async () => {
  for (const store of ['tl.atomic_add(y_ptr + i, x)', 'add(y_ptr + i, x)'])
    expect(await findings(program(store))).toEqual([]);
});

it('prints once in each run what the kernel prints', { timeout: 300_000 }, async () => {
  const found = await findings(program('tl.store(y_ptr + i, x)\n    tl.device_print("n", n)'));
  expect(found.map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
  expect(printed).toEqual(['move', 'move']);
});
