/**
 * A GPU that is lost at random calls of every phase, in one page: a handful of the two hundred that
 * `npm run losses` makes. `LOSSES` is how many.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Losses } from './losses/hook';
import { Losing } from './losses/losing';
import { PHASES } from './losses/phases';
import { openSite, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true, ownBrowser: true });
});
afterAll(() => site.close());

const COUNT = Number(process.env['LOSSES'] ?? PHASES.length);
const SEED = 20261126;

it(
  'survives a lost device in every phase, with its text, and says what it cost',
  {
    timeout: 120_000 + COUNT * 20_000,
  },
  async () => {
    const losses = new Losses();
    const { page, errors } = await visit(site, { prepare: (context) => losses.prepare(context) });
    const losing = Losing.of(page, losses, errors, SEED);
    await losing.begin();
    let made = 0;
    for (let i = 0; i < COUNT; i++) {
      const lost = await losing.lose(PHASES[i % PHASES.length]!);
      expect(lost.faults, JSON.stringify(lost)).toEqual([]);
      if (lost.lost) made++;
    }
    // Few runs have fewer calls than the one before them.
    expect(made).toBeGreaterThan(COUNT / 2);
    await page.context().close();
  },
);
