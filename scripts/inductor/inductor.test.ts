/**
 * Modules that PyTorch 2.13's Inductor wrote from our programs (`testdata/`, made by `write.py`)
 * run as they are, and return what PyTorch returned.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../../app/runtime/runner';
import { moduleNames, playFiles, playModule, startModules } from './play';

const FOLDER = join(import.meta.dirname, 'testdata');

/** NaN, zeros of both signs and equals, in a row that is padded. */
const SORT = `
import torch, triton, triton.language as tl
from torch._inductor.runtime import triton_helpers
@triton.jit
def sort(x, y, places, n, DOWN: tl.constexpr):
    i = tl.arange(0, 16)
    v = tl.load(x + i, i < n, other=0)
    a, b = triton_helpers.sort_with_index(v, i.to(tl.int16), n, 0, stable=True, descending=DOWN)
    tl.store(y + i, a, i < n)
    tl.store(places + i, b, i < n)
inf, nan = float("inf"), float("nan")
x = torch.tensor([3, 1, nan, 1, -2, inf, 3, nan, 0, -0.0, 5, -inf, 2], device="cuda")
found = []
for down in (False, True):
    y, places = torch.empty_like(x), torch.empty(13, dtype=torch.int64, device="cuda")
    sort[(1,)](x, y, places, 13, down)
    _, expected = torch.sort(x.cpu(), stable=True, descending=down)
    found.append(places.tolist() == expected.tolist())
print("AGREES" if found == [True, True] else "DIFFERS")
`;

describe('a module that Inductor wrote', () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startModules();
  }, 60_000);

  it.each(moduleNames(FOLDER))('%s returns what PyTorch returned', async (name) => {
    const { verdict, message, launches } = await playModule(runner, FOLDER, name, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
    expect(launches).toBeGreaterThan(0);
  });

  it('sorts with the helper as torch.sort does', async () => {
    const { verdict, message } = await playFiles(runner, { 'main.py': SORT }, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });
});
