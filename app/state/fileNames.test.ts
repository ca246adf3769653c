import { expect, it } from 'vitest';
import { fileNameFrom, isFileName, readableTitle } from './fileNames';

it('takes names that stay inside the program and read as what they are', () => {
  for (const name of ['a.py', 'lib/a.py', 'a b.py', 'größe.py', '🐎.py', `${'x'.repeat(196)}.py`])
    expect(isFileName(name), name).toBe(true);
  const wrong = ['', '/a.py', '../a.py', 'a/../b.py', './a.py', 'a//b.py', 'a\\b.py', 'a\nb.py'];
  wrong.push('a\0.py', 'yp.\u202Ea', 'a\u2028.py', '\uD800.py', `${'x'.repeat(300)}.py`, 'a/');
  for (const name of wrong) expect(isFileName(name), JSON.stringify(name)).toBe(false);
});

it('brings names of archives into the program', () => {
  expect(fileNameFrom('lib\\two.py')).toBe('lib/two.py');
  expect(fileNameFrom('../../lib/hippocamp/torch.py')).toBe('lib/hippocamp/torch.py');
  expect(fileNameFrom('/etc/a.py')).toBe('etc/a.py');
  expect(fileNameFrom('C:\\a.py')).toBe('C:/a.py');
  expect(fileNameFrom('./a//b.py')).toBe('a/b.py');
  for (const lost of ['', '..', '/', `${'x'.repeat(300)}.py`, 'a\nb.py'])
    expect(fileNameFrom(lost)).toBeNull();
});

/** Each looks like `main.py` where it is shown. */
const UNSEEN = [
  'ma\u200Bin.py', // zero-width space
  'main\u200D.py', // joiner behind the name
  '\u200Cmain.py',
  'ma\u00ADin.py', // soft hyphen
  '\uFEFFmain.py',
  'ma\u2060in.py', // word joiner
  'ma\u3164in.py', // Hangul filler
  'ma\u{E0061}in.py', // tag
  'ma\u180Ein.py',
];
it.each(UNSEEN)('has no two names that look the same: %j', (name) => {
  expect(isFileName(name)).toBe(false);
  expect(fileNameFrom(name)).toBe('main.py');
  expect(readableTitle(name)).toBe('main.py');
});

it('leaves the joiners of scripts and emoji', () => {
  for (const name of ['می\u200Cخواهم.py', '👩\u200D💻.py', '❤\uFE0F.py']) {
    expect(isFileName(name), name).toBe(true);
    expect(fileNameFrom(name)).toBe(name);
    expect(readableTitle(name)).toBe(name);
  }
});

it('makes titles of any text, none of them long', () => {
  expect(readableTitle('a\u202Eb\nc\0d ')).toBe('abcd');
  expect(readableTitle('n'.repeat(10_000))).toHaveLength(200);
  expect(readableTitle(`${'n'.repeat(199)}🐎`)).toBe('n'.repeat(199));
  expect(readableTitle('\u200B\u202E')).toBe('');
});
