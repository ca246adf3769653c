/**
 * A problem that came by a link: its program is checked in the page by what stands in
 * `reference.py`; the verdict, the times, and a result that is checked again.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseResult, problemDigest, resultText } from '../app/judge/result';
import { encode } from '../app/share/codec';
import { openSite, ready, tab, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

const REFERENCE = `import matplotlib.pyplot
from judge import randn

FUNCTION = "double"


def double(x):
    return 2 * x


def cases():
    for n in (1, 64, 100):
        yield f"{n} elements", (randn(n),)


def timing():
    return (randn(1 << 16),)
`;
const STATEMENT = `# Double

Write \`double(x)\`, $y = 2x$. <style>body { display: none }</style><img src="https://example.org/a.png">
[Triton](https://triton-lang.org) <input placeholder="password"><script>document.title = 'forged'</script>
`;
const KERNEL = `import matplotlib.pyplot as plt
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


def double(x):
    out = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
`;

async function opened(text: string, width = 1440): Promise<Page> {
  const files = { 'main.py': text, 'reference.py': REFERENCE, 'statement.md': STATEMENT };
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page } = await visit(site, { permissions, viewport: { width, height: 900 } });
  await page.goto('about:blank');
  await page.goto(`${site.address}#/s/${encode({ name: 'double', entry: 'main.py', files })}`);
  await ready(page);
  const problem = page.getByRole('region', { name: 'Problem' });
  await problem.getByRole('heading', { name: 'Double' }).waitFor();
  expect(await problem.locator('style, img, .statement input, script').count()).toBe(0);
  expect(await problem.locator('math').count()).toBe(1);
  await page.getByText('Nothing ran yet.').waitFor();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Nothing ran yet.').waitFor({ state: 'detached' });
  return page;
}
const pictures = join(import.meta.dirname, '..', '.cache', 'pictures');

it('checks a program by its reference, and gives a result that is checked again', async () => {
  const page = await opened(KERNEL);
  const section = page.getByRole('region', { name: 'Check', exact: true });
  await section.getByRole('button', { name: 'Copy the result' }).click();
  await section.getByText('copied').waitFor();
  expect(await section.locator('.sign.pass').count()).toBe(4);
  await section.getByText('Accepted').waitFor();
  await section.getByText('4 of 4 checks held').waitFor();
  await section.getByText(/median of \d+, at least [\d.]+ [µm]s by memory/).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const result = parseResult(text);
  expect(result).toMatchObject({ entry: 'main.py', outcome: 'accepted' });
  expect(result.files).toEqual({ 'main.py': KERNEL });
  expect(result.problem).toBe(await problemDigest({ reference: REFERENCE, checks: null }));

  const problem = page.getByRole('region', { name: 'Problem' });
  await problem.getByText('Check a result again').click();
  const field = problem.getByLabel('Text of a result');
  await field.fill(text.slice(0, -9));
  await problem.getByRole('button', { name: 'Check it again' }).click();
  await problem.getByText('The result is cut off or was changed on the way.').waitFor();
  await field.fill(resultText({ ...result, problem: '0' }));
  await problem.getByRole('button', { name: 'Check it again' }).click();
  await problem.getByText('of another problem').waitFor();
  await field.fill(text);
  await problem.getByRole('button', { name: 'Check it again' }).click();
  await section.getByText('The same as the result').waitFor();
  expect(await section.getByText('not of the one in view').count()).toBe(0);
  // A result whose program is refused now, whatever it states.
  const forged = KERNEL.replace('2 * tl.load', '3 * tl.load');
  await field.fill(resultText({ ...result, files: { 'main.py': forged } }));
  await problem.getByRole('button', { name: 'Check it again' }).click();
  await page.getByText('A hidden check compared these.').waitFor();
  await tab(page, 'Output').click();
  await section
    .getByText('the result says accepted; checked again, the program is refused')
    .waitFor();
  await section.getByText('of the result’s program, not of the one in view').waitFor();
  // Its launches stand at lines of its own program: none of them is a link.
  await tab(page, 'Timing').click();
  await page.getByRole('tabpanel', { name: 'Timing' }).getByText('double_kernel').first().waitFor();
  expect(await page.getByRole('button', { name: 'show it in the program' }).count()).toBe(0);
  await tab(page, 'Output').click();
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, 'check-1440.png') });
  await page.context().close();
});

it('shows the statement first on a phone, the program and the results a tap away', async () => {
  const files = { 'main.py': KERNEL, 'reference.py': REFERENCE, 'statement.md': STATEMENT };
  const { page } = await visit(site, { viewport: { width: 390, height: 844 } });
  await page.goto('about:blank');
  await page.goto(`${site.address}#/s/${encode({ name: 'double', entry: 'main.py', files })}`);
  const heading = page.getByRole('heading', { name: 'Double' });
  await heading.waitFor();
  const place = (await heading.boundingBox())!;
  expect(place.y + place.height).toBeLessThan(844 / 2);
  const halves = page.getByRole('group', { name: 'Which half to show' });
  await halves.getByRole('button', { name: 'Program' }).click();
  await page.getByText('def double_kernel').waitFor();
  expect(await heading.isVisible()).toBe(false);
  await halves.getByRole('button', { name: 'Problem' }).click();
  await heading.waitFor();
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, 'statement-390.png') });
  await page.context().close();
});

it('refuses torch’s work, and says so', async () => {
  const page = await opened('import torch\n\n\ndef double(x):\n    return 2 * x\n', 390);
  const section = page.getByRole('region', { name: 'Check', exact: true });
  await section.getByText('torch computed the result').waitFor();
  await section.getByText('100 elements').waitFor();
  await section.getByRole('button', { name: 'Copy the result' }).waitFor();
  await page.screenshot({ path: join(pictures, 'check-390.png') });
  await page.context().close();
});

/** A program that sends events in the harness's name, and ends before any answer. */
const FORGES = `import sys

import _hippocamp_bridge as bridge

best = {"bytesPerSecond": 1e30, "f32": 1e30, "f16": None, "launchMicroseconds": 0.0, "kept": False}
time = {"name": "time", "clock": "gpu", "milliseconds": 1e-9, "least": 1e-9, "samples": 100, "bytes": 1}
bridge.emit({"type": "calibration", "calibration": best})
bridge.emit({"type": "measured", **time})
bridge.emit({"type": "verdict", "index": 0, "total": 1, "name": "all", "passed": True, "message": None})


def double(x):
    sys.exit(0)
`;

it('believes no verdict, time or rate of the program, and waits for what the harness reports', async () => {
  const page = await opened(FORGES);
  const section = page.getByRole('region', { name: 'Check', exact: true });
  await section.getByText('Refused').waitFor();
  await page.screenshot({ path: join(pictures, 'check-forged.png') });
  await section.getByText('the program ended before it answered').waitFor();
  expect(await section.getByText('median of').count()).toBe(0);
  expect(await section.locator('.sign.pass').count()).toBe(0);
  await page.context().close();
});
