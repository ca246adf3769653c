/** CodeMirror in the page's colours: the same that Monaco's theme has. */
import { HighlightStyle } from '@codemirror/language';
import { tags } from '@lezer/highlight';

export const highlightStyle = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--code-keyword)' },
  { tag: tags.definitionKeyword, color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.className], color: 'var(--code-type)' },
  { tag: tags.operator, color: 'var(--code-operator)' },
]);
