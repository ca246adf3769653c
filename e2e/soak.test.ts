/**
 * The meter of `npm run soak` sees what a page does not let go of: leaks that the test plants are
 * named, each by its quantity, and a page without one stays as it was. Then a page that is edited
 * fifty times a second.
 */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { doubling, openSite, ready, runToEnd, tab, visit, type Site } from './page';
import { faults, flood } from './soak/flood';
import { countable, grown, Meter, METER_FLAGS, type Reading } from './soak/meter';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true, ownBrowser: true, flags: METER_FLAGS });
});
afterAll(() => site.close());

/** Things that a page could keep, by the quantity that must show each. */
const LEAKS: Readonly<Partial<Record<keyof Reading, (page: Page) => Promise<unknown>>>> = {
  heap: (page) =>
    page.evaluate(() => {
      const kept = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
      Object.assign(self, { kept });
    }),
  nodes: (page) =>
    page.evaluate(() => {
      const parts = Array.from({ length: 3000 }, () => document.createElement('p'));
      Object.assign(self, { parts });
    }),
  listeners: (page) =>
    page.evaluate(() => {
      for (let i = 0; i < 500; i++) addEventListener('resize', () => i);
    }),
  workers: (page) =>
    page.evaluate(() => {
      const script = [...document.scripts].find(({ src }) => src !== '')!;
      const start = (): Worker => new Worker(script.src, { type: 'module' });
      Object.assign(self, { workers: [start(), start()] });
    }),
  gpuBuffers: (page) =>
    page
      .workers()
      .find((worker) => worker.url().includes('programWorker'))!
      .evaluate(() => {
        const scope = self as unknown as Record<symbol, unknown>;
        const device = scope[Symbol.for('soak:device')] as GPUDevice;
        scope[Symbol.for('kept')] = Array.from({ length: 200 }, () =>
          device.createBuffer({ size: 16, usage: 8 }),
        );
      }),
};

it(
  'names each leak that is planted, and none where there is none',
  { timeout: 300_000 },
  async () => {
    const { page } = await visit(site, { text: doubling(1), prepare: countable });
    await ready(page);
    await runToEnd(page);
    await tab(page, 'Output').click();
    // The spare worker.
    const programs = () => page.workers().filter((each) => each.url().includes('programWorker'));
    await expect.poll(() => programs().length).toBe(2);
    const meter = await Meter.of(page);
    const names = (from: Reading, to: Reading): string[] =>
      grown(from, to)
        .map(({ name }) => name)
        .filter((name) => name in LEAKS);
    // The pool of free buffers grows with the first runs.
    for (let i = 0; i < 30; i++) await runToEnd(page);
    let before = await meter.read(1);
    const next = async (): Promise<string[]> => {
      const last = before;
      before = await meter.read(1);
      return names(last, before);
    };
    await expect.poll(next).toEqual([]);
    await runToEnd(page);
    await runToEnd(page);
    expect(await next()).toEqual([]);
    for (const [name, plant] of Object.entries(LEAKS)) {
      await plant(page);
      expect(await next(), name).toContain(name);
    }
    await page.context().close();
  },
);

// How long a frame or a keystroke takes is the machine's, too: `npm run soak` bounds it.
it('takes every one of fifty edits a second, and shows the passes of the last text', async () => {
  const { page, errors } = await visit(site, { text: doubling(1) });
  await ready(page);
  const seconds = 8;
  const seen = await flood(page, seconds);
  expect(faults(seen, seconds), JSON.stringify(seen)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
