/**
 * Programs that must fail well, one after the other in one page: each is reported at its line, in a
 * sentence with what to do; the text stays; and a good program runs right after it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keptText, openSite, output, ready, runToEnd, tab, visit, type Site } from './page';

interface Expectation {
  /** Text of the line that the diagnostic stands at. */
  readonly line?: string;
  readonly words?: readonly string[];
  readonly succeeds?: boolean;
  /** 'Warning' where the program succeeds, else 'Error'. */
  readonly severity?: string;
  readonly endless?: boolean;
}

const BAD = join(import.meta.dirname, 'programs', 'bad');
const GOOD = `import torch
import triton
import triton.language as tl


@triton.jit
def fill(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets, mask=offsets < n)


out = torch.zeros(100, dtype=torch.int32, device="cuda")
fill[(4,)](out, 100, BLOCK=32)
print("still well:", int(out.sum()))
`;
const all = Object.entries(
  JSON.parse(readFileSync(join(BAD, 'expected.json'), 'utf8')) as Record<string, Expectation>,
).map(([file, expectation]) => ({ file, ...expectation }));

let site: Site;
let page: Page;
let errors: string[];
beforeAll(async () => {
  site = await openSite({ gpu: true });
  ({ page, errors } = await visit(site, { text: GOOD }));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await ready(page);
  await page.locator('.editor .view-line').first().waitFor();
});
afterAll(() => site.close());

/** As a visitor brings a program: select all, paste. */
async function paste(text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+v');
  await expect.poll(() => keptText(page)).toBe(text);
}

async function runsWell(): Promise<void> {
  await paste(GOOD);
  await runToEnd(page);
  expect(await output(page).innerText()).toContain('still well: 4950');
}

const ordinary = all.filter(({ endless }) => !endless);
it.each(ordinary)('$file says what is wrong, and where', async (program) => {
  const text = readFileSync(join(BAD, program.file), 'utf8');
  await paste(text);
  await runToEnd(page);
  await tab(page, 'Output').click();
  const cards = await output(page).getByRole('alert').allInnerTexts();
  const marks = await page.locator('[data-passed=false]').count();
  const lines = text.split('\n');
  const said = cards.filter((card) =>
    [...card.matchAll(/vector_add\.py:(\d+)/g)].some(([, line]) =>
      lines[Number(line) - 1]?.includes(program.line ?? ''),
    ),
  );
  expect(said, JSON.stringify(cards)).not.toEqual([]);
  for (const word of program.words ?? []) expect(said.join('\n')).toContain(word);
  for (const card of said)
    expect(card).toMatch(program.severity ?? (program.succeeds ? 'Warning' : 'Error'));
  expect(marks).toBe(0);
  // The text is as it was pasted, also for the next visit.
  expect(await keptText(page)).toBe(text);
  await runsWell();
  expect(errors).toEqual([]);
});

it('endless_python.py ends with Stop', async () => {
  await paste(readFileSync(join(BAD, 'endless_python.py'), 'utf8'));
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('about to spin').waitFor();
  await page.keyboard.press('Escape');
  await ready(page);
  await runsWell();
  expect(errors).toEqual([]);
});
