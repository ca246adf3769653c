/** Letters that pass for Latin ones are marked wherever a program may be misread. */
import { python } from '@codemirror/lang-python';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import { lookalikesIn } from './lookalikes';

/** A part of Monaco without types. */
const STRINGS = 'monaco-editor/base/common/strings.js';
const { AmbiguousCharacters } = (await import(STRINGS)) as {
  AmbiguousCharacters: {
    getInstance(locales: ReadonlySet<string>): {
      readonly confusableDictionary: ReadonlyMap<number, number>;
    };
  };
};

/** The marks of a program. */
function marked(doc: string): readonly string[] {
  const state = EditorState.create({ doc, extensions: python() });
  const ranges = lookalikesIn(state, { from: 0, to: state.doc.length });
  return ranges.map(({ from, to }) => doc.slice(from, to));
}

it.each([
  ['one letter among Latin ones', 'user = \u0430dmin', ['\u0430']],
  [
    'a name of such letters only',
    '\u0441\u043e\u0440\u0443 = copy + 1',
    ['\u0441\u043e\u0440\u0443'],
  ],
  ['a name of one letter', 'a = 1\nprint(\u0430)', ['\u0430']],
  ['one in a string', 'x["\u0430\u0440"]', ['\u0430\u0440']],
  ['full-width letters', '\uff43\uff4f\uff50\uff59 = 1', ['\uff43\uff4f\uff50\uff59']],
  ['in the order of the text', '\u0430 = b\u0441', ['\u0430', '\u0441']],
])('marks %s', (_, text, found) => {
  expect(marked(text)).toEqual(found);
});

it.each([
  [
    'words of another language',
    'print("\u043f\u0440\u0438\u0432\u0435\u0442, \u03bb\u03cc\u03b3\u03bf\u03c2")',
  ],
  ['comments', 'x = 1  # \u0430 \u0441 \u0441\u043e\u0440\u0443 \u0430dmin'],
  ['accents of Latin letters', 'caf\u00e9 = na\u00efve'],
])('leaves %s alone', (_, text) => {
  expect(marked(text)).toEqual([]);
});

it('marks every letter that Monaco marks', () => {
  const monaco = AmbiguousCharacters.getInstance(new Set());
  const missing = [...monaco.confusableDictionary]
    .filter(([, latin]) => /[A-Za-z]/.test(String.fromCodePoint(latin)))
    .map(([letter]) => String.fromCodePoint(letter))
    .filter((letter) => /^[\u0370-\u058F\u13A0-\u13FF\uFF21-\uFF5A]$/.test(letter))
    .filter((letter) => marked(`${letter} = 1`).length === 0);
  expect(missing).toEqual([]);
});
