import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{app,compiler}/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
  },
});
