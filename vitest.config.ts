/**
 * Three groups of tests. `unit` needs nothing; `gpu` needs Dawn and a software adapter, for which
 * `scripts/test.ts` sets the environment; `e2e` drives a real Chromium over the production build.
 */
import { defineConfig } from 'vitest/config';

/** Files that open Dawn. */
const GPU = ['app/{cli,runtime}/**/*.test.ts', '{app,compiler,bench}/**/*.gpu.test.ts'];

export default defineConfig({
  test: {
    // Also where there are two cores: the tests wait for nobody.
    maxWorkers: '100%',
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
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // A page and its workers use two cores by themselves, and some tests measure time.
          fileParallelism: false,
          maxConcurrency: 2,
        },
      },
    ],
  },
});
