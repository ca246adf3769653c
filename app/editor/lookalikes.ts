/**
 * Marks letters of other alphabets inside Latin names: `аdmin` with a Cyrillic а is another name.
 */
import { Decoration, MatchDecorator, ViewPlugin } from '@codemirror/view';

/** Greek, Cyrillic, Armenian, Cherokee and full-width letters that touch Latin ones. */
const FOREIGN = '[\\u0370-\\u058F\\u13A0-\\u13FF\\uFF21-\\uFF5A]+';
const INSIDE = new RegExp(`(?<=[A-Za-z0-9_])${FOREIGN}|${FOREIGN}(?=[A-Za-z0-9_])`, 'g');

const matcher = new MatchDecorator({
  regexp: INSIDE,
  decoration: Decoration.mark({
    class: 'cm-lookalike',
    attributes: { title: 'A letter of another alphabet that looks like a Latin one' },
  }),
});

export const lookalikes = ViewPlugin.define(
  (view) => ({
    marks: matcher.createDeco(view),
    update(update) {
      this.marks = matcher.updateDeco(update, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);
