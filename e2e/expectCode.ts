/** Assertions that wait; apart from `page.ts`, which a benchmark uses outside of vitest, too. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { codeIn } from './page';

/** Awaits a matcher of the code: an editor draws a frame after a key, or later. */
export const expectCode = (page: Page, within: string) => expect.poll(() => codeIn(page, within));

/**
 * Awaits a matcher of what is read again and again: after a click or a key the code of a panel may
 * still be loading.
 */
export const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
