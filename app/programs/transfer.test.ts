import { expect, it } from 'vitest';
import { entryOf, fileName, withoutCommonFolder } from './transfer';

it('finds the file that runs', () => {
  expect(entryOf({ 'a.py': '', 'main.py': '' })).toBe('main.py');
  expect(entryOf({ 'a.py': 'X = 1', 'b.py': 'if __name__ == "__main__":\n    pass' })).toBe('b.py');
  expect(entryOf({ 'a.py': 'X = 1', 'z.py': 'kernel[(1,)](x)' })).toBe('z.py');
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
