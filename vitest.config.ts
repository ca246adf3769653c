/**
 * Groups of tests. `unit` needs nothing; `gpu` needs Dawn and a software adapter, for which
 * `scripts/test.ts` sets the environment; `e2e` drives a real Chromium over the production build,
 * and so does `e2e-alone`, one file after the other.
 */
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './scripts/slowFirst.ts';

/** Files that open Dawn. */
const GPU = ['app/{cli,runtime}/**/*.test.ts', '{app,compiler,bench}/**/*.gpu.test.ts'];
/** Files that hold the page to times: no other one runs beside them. */
const ALONE = ['frames', 'open', 'output', 'run', 'stop'].map((name) => `e2e/${name}.test.ts`);
/** Files of a worker share its browser (`e2e/page.ts`), so they share its modules. */
const BROWSER = {
  isolate: false,
  setupFiles: ['e2e/screenshots.ts'],
  // As long as a locator waits: a second is little for a page beside another one.
  expect: { poll: { timeout: 60_000 } },
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // A busy machine may make a page too slow for a bound once; what is wrong is so twice.
  retry: 1,
};

export default defineConfig({
  test: {
    // Also where there are two cores: the tests wait for nobody.
    maxWorkers: '100%',
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{app,compiler,conformance,scripts,bench}/**/*.test.{ts,tsx}'],
          exclude: [...GPU, '**/node_modules/**'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'gpu',
          include: GPU,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...BROWSER,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: ALONE,
          // A visit waits as often as it computes: two at once use two cores.
          maxWorkers: 2,
          maxConcurrency: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...BROWSER,
          name: 'e2e-alone',
          include: ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
