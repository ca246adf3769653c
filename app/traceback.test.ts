/** What Python prints of exceptions is known for it. */
import { expect, it } from 'vitest';
import { isTraceback } from './traceback';

const PLAIN = 'Traceback (most recent call last):\n  File "a.py", line 2\nValueError: x\n';

it.each([
  ['an exception', PLAIN],
  ['one that came from a library’s', `KeyError: 'k'\n\nThe above exception was …:\n\n${PLAIN}`],
  ['a group', '  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: two\n'],
  ['a syntax error', '  File "a.py", line 2\n    (\nSyntaxError: x\n'],
])('%s', (_, text) => expect(isTraceback(text)).toBe(true));

it('but no hint', () => {
  expect(isTraceback('Try the other.')).toBe(false);
  expect(isTraceback('One line\nand another: File "a.py"\nTraceback')).toBe(false);
});
