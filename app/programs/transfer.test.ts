import { expect, it } from 'vitest';
import { MOST_FILES } from '../state/fileNames';
import { entryOf } from '../open/entry';
import { fileName, nothingRead, problemOf, take, withoutCommonFolder } from './transfer';

it('finds the file that runs', () => {
  expect(entryOf({ 'a.py': '', 'main.py': '' })).toBe('main.py');
  expect(entryOf({ 'a.py': 'X = 1', 'b.py': 'if __name__ == "__main__":\n    pass' })).toBe('b.py');
  expect(entryOf({ 'a.py': 'X = 1', 'z.py': 'kernel[(1,)](x)' })).toBe('z.py');
  expect(entryOf({ 'reference.py': 'k[(1,)](x)', 'start.py': '' })).toBe('start.py');
  expect(entryOf({ 'reference.py': '' })).toBe('reference.py');
  expect(entryOf({ 'lib/a.py': 'kernel[(1,)](x)', 'run.py': 'import lib.a' })).toBe('run.py');
  expect(entryOf({ 'only.py': '' })).toBe('only.py');
});

it('takes the folder away that holds everything, and no other', () => {
  expect(withoutCommonFolder({ 'p/a.py': '1', 'p/q/b.py': '2' })).toEqual({
    'a.py': '1',
    'q/b.py': '2',
  });
  expect(withoutCommonFolder({ 'p/a.py': '1', 'b.py': '2' })).toEqual({
    'p/a.py': '1',
    'b.py': '2',
  });
});

it('makes names that every file system takes', () => {
  expect(fileName('Vector add: 2 (copy)')).toBe('Vector_add_2_copy');
  expect(fileName('../..')).toBe('program');
});

it('takes files of archives into the program’s folder, each once', () => {
  const read = nothingRead();
  const bytes = new TextEncoder().encode('x = 1\n');
  const long = `${'n'.repeat(300)}.py`;
  for (const name of [
    'lib\\two.py',
    '../../lib/hippocamp/torch.py',
    '/a.py',
    'a.py',
    long,
    'b.bin',
  ])
    take(read, name, bytes);
  expect(Object.keys(read.files)).toEqual(['lib/two.py', 'lib/hippocamp/torch.py', 'a.py']);
  expect(read.odd).toEqual(['a.py', long]);
  expect(read.left).toEqual(['b.bin']);
});

it('says why Python refuses the encoding of a file', () => {
  const read = nothingRead();
  const latin = new Uint8Array([...new TextEncoder().encode('x = 1\n# caf'), 0xe9, 10]);
  take(read, 'latin.py', latin);
  take(read, 'odd.py', new TextEncoder().encode('# coding: klingon\n'));
  take(read, 'binary.py', new Uint8Array([0xff, 0, 1]));
  expect(read.files).toEqual({});
  expect(read.left).toEqual(['binary.py']);
  expect(read.undecodable).toHaveLength(2);
  expect(read.undecodable[0]).toMatch(/^latin\.py, line 2: .*'\\xe9'/);
  expect(read.undecodable[1]).toBe('odd.py, line 1: encoding problem: klingon.');
});

it('takes no web page for Python', () => {
  const read = nothingRead();
  const page = '<!-- saved -->\n<html lang="en"><title>Sign in</title>';
  take(read, 'page.py', new TextEncoder().encode(page));
  take(read, 'text.py', new TextEncoder().encode(`page = '''${page}'''\n`));
  expect([read.pages, Object.keys(read.files)]).toEqual([['page.py'], ['text.py']]);
});

it('says of a file in UTF-16 that Python does not read it', () => {
  const text = 'import torch\n';
  const units = Uint16Array.from(
    [0xfeff, ...text].map((c) => (typeof c === 'number' ? c : c.charCodeAt(0))),
  );
  const little = new Uint8Array(units.buffer);
  for (const bytes of [little, little.map((_, i) => little[i ^ 1]!)]) {
    const read = nothingRead();
    take(read, 'dump.py', bytes);
    expect(read.undecodable).toEqual([
      'dump.py is UTF-16, which Python does not read: save it as UTF-8.',
    ]);
    expect(read.files).toEqual({});
  }
});

it('says why files cannot be one program', () => {
  const some = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}.py`, 'x']));
  expect(problemOf('p', some(MOST_FILES))).toBeNull();
  expect(problemOf('p', some(120))).toContain('at most 100 files; this one has 120');
  expect(problemOf('p', {})).toBe('No Python file in p.');
  expect(problemOf('p', { 'a.py': 'x'.repeat(9e6) })).toContain('million characters');
});
