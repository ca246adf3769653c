import { expect, it } from 'vitest';
import { fileNameFrom, isFileName } from './fileNames';

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
