/** Assertions on an editor; apart from `page.ts`, which a benchmark uses outside of vitest, too. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { codeIn, STEP } from './page';

/** Awaits a matcher of the code: an editor draws a frame after a key, or later. */
export const expectCode = (page: Page, within: string) =>
  expect.poll(() => codeIn(page, within), { timeout: STEP });
