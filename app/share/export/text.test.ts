import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filesOfText, textOf } from './text';

it('leaves a single file as it is', () => {
  const files = { 'add.py': 'print(1)\n' };
  expect(textOf({ entry: 'add.py', files })).toBe('print(1)\n');
  expect(filesOfText('print(1)\n')).toBeNull();
});

it('puts the file that runs first, and gives back what was put in', () => {
  const files = { 'a.py': 'A = 1\n', 'run.py': 'import a\n', 'lib/two.py': '' };
  const text = textOf({ entry: 'run.py', files });
  expect(text.indexOf('file: run.py')).toBeLessThan(text.indexOf('file: a.py'));
  expect(filesOfText(text)).toEqual({ entry: 'run.py', files });
  expect(filesOfText(text.replaceAll('\n', '\r\n'))).toEqual({ entry: 'run.py', files });
});

it('gives back any files', () => {
  const name = fc.stringMatching(/^[a-z]{1,6}(\/[a-z]{1,6})?\.py$/);
  const content = fc.array(fc.constantFrom('x = 1', '', '  y', '# ── note ──'), { maxLength: 5 });
  const files = fc.dictionary(
    name,
    content.map((lines) => lines.join('\n')),
    { minKeys: 2, maxKeys: 4, noNullPrototype: true },
  );
  fc.assert(
    fc.property(files, (made) => {
      const entry = Object.keys(made)[0]!;
      expect(filesOfText(textOf({ entry, files: made }))).toEqual({ entry, files: made });
    }),
  );
});
