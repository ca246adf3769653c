import { expect, it } from 'vitest';
import { expandedHint } from './expanded';

it('names the shape, the strides and how many elements memory holds', () => {
  expect(expandedHint('g_ptr', [4, 300], [1, 0])).toBe(
    'g_ptr is an expanded tensor of shape [4, 300] and strides [1, 0]: memory holds 4 of its 1200 ' +
      'elements. Pass `.contiguous()` of it, or its strides.',
  );
});

it('has nothing to say of other tensors', () => {
  expect(expandedHint('x', [4, 300], [300, 1])).toBeNull();
  // The stride of one element is never used.
  expect(expandedHint('x', [1, 300], [0, 1])).toBeNull();
  expect(expandedHint('x', [], [])).toBeNull();
  expect(expandedHint('x', null, null)).toBeNull();
});
