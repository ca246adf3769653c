import { expect, it } from 'vitest';
import { decodeSource } from './sourceText';

/** Letters are bytes. */
const read = (text: string) =>
  decodeSource(
    Uint8Array.from(text, (one) => one.charCodeAt(0)),
    'a.py',
  );
const BOM = '\xef\xbb\xbf';

it('decodes as Python does', () => {
  expect(read('x = "\xc3\xa9"\n')).toEqual({ text: 'x = "é"\n' });
  expect(read(`${BOM}print(1)\n`)).toEqual({ text: 'print(1)\n' });
  expect(read(`${BOM}${BOM}x\n`)).toEqual({ text: '\uFEFFx\n' });
  expect(read('# -*- coding: latin-1 -*-\nx = "\xe9\x80"\n')).toMatchObject({
    text: expect.stringContaining('é\x80') as string,
  });
  expect(read('#!/x\n# vim: set fileencoding=latin_1 :\nx = "\xe9"\n')).toMatchObject({
    text: expect.stringContaining('é') as string,
  });
  expect(read('# coding: cp1252\nx = "\x80"\n')).toMatchObject({
    text: expect.stringContaining('€') as string,
  });
});

it('refuses what Python refuses, in its words and at its line', () => {
  const undeclared =
    "Non-UTF-8 code starting with '\\xe9' in file a.py on line 2, but no encoding declared; " +
    'see https://peps.python.org/pep-0263/ for details';
  expect(read('x = 1\ny = "\xe9"\n')).toEqual({ message: undeclared, line: 2 });
  expect(read('x = 1\n# coding: latin-1\nx = "\xe9"\n')).toMatchObject({ line: 3 });
  expect(read(`${BOM}# coding: latin-1\n`)).toEqual({
    message: 'encoding problem: latin-1 with BOM',
    line: 1,
  });
  expect(read('# coding: foo\n')).toEqual({ message: 'encoding problem: foo', line: 1 });
  expect(read('# coding: ascii\nx = "\xe9"\n')).toEqual({
    message: 'encoding problem: ascii',
    line: 1,
  });
  expect(read('# coding: utf-8\n\nx = "\xe9"\n')).toEqual({
    message: "(unicode error) 'utf-8' codec can't decode byte 0xe9",
    line: 3,
  });
});
