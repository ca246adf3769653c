import { expect, it } from 'vitest';
import { digest, stableJson } from './key';

it('writes equal objects alike', () => {
  expect(stableJson({ b: [1, { d: 2, c: undefined }], a: 'x' })).toBe('{"a":"x","b":[1,{"d":2}]}');
  expect(digest('a')).not.toBe(digest('b'));
});
