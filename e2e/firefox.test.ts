/**
 * The page in a real Firefox, where there is one (`HIPPOCAMP_FIREFOX`, or `firefox` on the PATH):
 * with WebGPU or without, a program runs, its comparison holds, every panel has something to show,
 * and Stop stops.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFirefox, openFirefox, type Firefox } from './bidi';
import { openSite, type Site } from './page';

const program = findFirefox();
const STATUS = 'document.querySelector("[role=status]")';
const READY = `${STATUS}?.dataset.phase === 'ready'`;
const PANEL = 'document.querySelector(".tabpanel[data-state=active]")?.innerText';
/** Radix's tabs listen to the mouse, buttons to clicks. */
const click = (element: string): string => `(() => {
  const element = ${element};
  element.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }));
  element.click();
})()`;
const run = click('document.querySelector(".run-button")');
const tab = (name: string): string =>
  click(`[...document.querySelectorAll('[role=tab]')].find((tab) =>
    tab.textContent.startsWith('${name}'))`);

describe.skipIf(program === null)('Firefox', () => {
  let site: Site;
  let firefox: Firefox;
  beforeAll(async () => {
    site = await openSite({ gpu: false });
    firefox = await openFirefox(program!);
  }, 60_000);
  afterAll(async () => {
    await firefox.close();
    await site.close();
  });

  it('edits, compiles, runs and looks into a launch', async () => {
    await firefox.goto(site.address);
    await firefox.until('document.querySelector(".editor .view-line")', 30_000);
    await firefox.until(READY, 120_000);
    console.log(
      `Firefox ${firefox.version}: ${String(await firefox.evaluate(`${STATUS}.innerText`))}`,
    );
    await firefox.evaluate(run);
    await firefox.until(`${STATUS}.dataset.ended === '1' && ${READY}`, 120_000);
    await firefox.until(`${PANEL}.includes('as PyTorch computes it: True')`, 5_000);
    const shown = {
      Compare: '1 passed',
      Timing: 'vector-add',
      Passes: 'eliminate_dead_code',
      WGSL: '@workgroup_size',
      Memory: 'x_ptr',
      Layout: '%offsets',
      Debugger: 'Step over',
    };
    for (const [name, text] of Object.entries(shown)) {
      await firefox.evaluate(tab(name));
      await firefox.until(`${PANEL}.replaceAll('\\u00a0', ' ').includes('${text}')`, 20_000);
    }
    expect(firefox.errors).toEqual([]);
  });

  it('stops a program that does not end', async () => {
    await firefox.evaluate(`new Promise((done) => {
      const request = indexedDB.deleteDatabase('hippocamp-programs');
      request.onsuccess = request.onerror = request.onblocked = () => done(true);
    })`);
    await firefox.evaluate(`localStorage.clear();
      localStorage.setItem('hippocamp:current', 'vector_add.py');
      localStorage.setItem('hippocamp:text:vector_add.py', 'while True:\\n    pass\\n');`);
    await firefox.goto(`${site.address}?again`);
    await firefox.until(READY, 120_000);
    await firefox.evaluate(run);
    await firefox.until(`${STATUS}.dataset.phase === 'running'`, 10_000);
    await firefox.evaluate('new Promise((done) => setTimeout(done, 500))');
    await firefox.evaluate(click('document.querySelector("[aria-label=Stop]")'));
    await firefox.until(READY, 30_000);
    expect(firefox.errors).toEqual([]);
  });
});
