import { expect, it } from 'vitest';
import { formatBytes } from './errors';

it('writes bytes for people', () => {
  expect([512, 1536, 2 ** 31].map(formatBytes)).toEqual(['512 bytes', '1.5 KiB', '2 GiB']);
});
