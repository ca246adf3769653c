/**
 * Marks letters of other alphabets that pass for Latin ones, as Monaco does on desktops: those in a
 * word with Latin letters, digits or underscores (`аdmin` with a Cyrillic а is another name), and
 * words that consist of nothing else (`сору`, all Cyrillic). Words of another language have letters
 * that look like no Latin one, and are not marked; nor are comments, where nothing is misread.
 */
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView } from '@codemirror/view';

/** Greek, Cyrillic, Armenian, Cherokee and full-width letters that touch Latin ones. */
const FOREIGN = '[\\u0370-\\u058F\\u13A0-\\u13FF\\uFF21-\\uFF5A]+';
const INSIDE = new RegExp(`(?<=[A-Za-z0-9_])${FOREIGN}|${FOREIGN}(?=[A-Za-z0-9_])`, 'g');

/** Those of these letters that are drawn as a Latin one is; the list is Monaco's. */
const ALIKE =
  'ͺͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορσυϒϜϱϲϳϹϺЅІЈАВЕЗКМНОРСТУХЬагеорсухѕіјѡѴѵҮүһҽӀӏӠԁԌԛԜԝՍՏՕագհոռսցքօ' +
  'ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᎾᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴՅՁզ\uFF21-\uFF3A\uFF41-\uFF5A';
/** A word of such letters only. */
const WHOLLY = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])[${ALIKE}]+(?![\\p{L}\\p{M}\\p{N}_])`, 'gu');

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The letters of this part of the text that pass for Latin ones, in its order. */
export function lookalikesIn(state: EditorState, { from, to }: Range): readonly Range[] {
  const [start, end] = [state.doc.lineAt(from).from, state.doc.lineAt(to).to];
  const text = state.doc.sliceString(start, end);
  const tree = syntaxTree(state);
  return [...text.matchAll(INSIDE), ...text.matchAll(WHOLLY)]
    .map(({ 0: found, index }) => ({ from: start + index, to: start + index + found.length }))
    .filter((range) => tree.resolveInner(range.from, 1).name !== 'Comment')
    .sort((a, b) => a.from - b.from);
}

const MARK = Decoration.mark({
  class: 'cm-lookalike',
  attributes: { title: 'A letter of another alphabet that looks like a Latin one' },
});
function marksOf({ state, visibleRanges }: EditorView): DecorationSet {
  const ranges = visibleRanges.flatMap((part) => lookalikesIn(state, part));
  return Decoration.set(
    ranges.map((range) => MARK.range(range.from, range.to)),
    true,
  );
}

export const lookalikes = ViewPlugin.define(
  (view) => ({
    marks: marksOf(view),
    update({ docChanged, viewportChanged, startState, state, view: changed }) {
      // Comments are known once that part of the text is parsed.
      const parsed = syntaxTree(startState) !== syntaxTree(state);
      if (docChanged || viewportChanged || parsed) this.marks = marksOf(changed);
    },
  }),
  { decorations: ({ marks }) => marks },
);
