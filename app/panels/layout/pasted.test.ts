/** Layouts that are pasted: what is drawn, and the sentence where nothing is. */
import { expect, it } from 'vitest';
import { pastedTile } from './pasted';

const ROWS = 'gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])';

it('have the shape in which nothing repeats, unless one is given', () => {
  expect(pastedTile(ROWS, '')).toMatchObject({ tile: { shape: [16, 32] } });
  expect(pastedTile(`#blocked = ${ROWS}`, '32x64')).toMatchObject({ tile: { shape: [32, 64] } });
  expect(pastedTile(`SliceLayout(1, ${ROWS})`, '')).toMatchObject({ tile: { shape: [16] } });
  const linear = '#ttg.linear<{register = [[1]], lane = [[2], [4]], warp = [[8]], block = []}>';
  const layout = { register: [[1]], lane: [[2], [4]], subgroup: [[8]] };
  expect(pastedTile(linear, '')).toMatchObject({ tile: { shape: [16], layout } });
  expect(pastedTile('  ', '64')).toEqual({ empty: true });
});

it.each([
  [ROWS, '32', 'The layout has 2 dimensions, the shape 1.'],
  [ROWS, '24x32', 'powers of two'],
  [ROWS, '4096x4096', 'at most 1,048,576'],
  [ROWS, 'wide', 'a shape is sizes'],
  ['blocked', '', 'not read as a layout: it is neither'],
  ['BlockedLayout([1, 4], [4, 8], [4, 1])', '', 'lacks order'],
  ['#ttg.linear<{register = [], lane = [[1], [3]], warp = [], block = []}>', '', 'not drawn'],
])('%s of shape "%s" is refused', (text, shape, words) => {
  expect(pastedTile(text, shape)).toMatchObject({
    refused: expect.stringContaining(words) as string,
  });
});
