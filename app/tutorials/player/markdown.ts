/**
 * Markdown with formulas to clean HTML: marked, KaTeX and DOMPurify, loaded with the first lesson.
 */
import 'katex/dist/katex.min.css';
import DOMPurify from 'dompurify';
import katex from 'katex';
import { Marked, type TokenizerAndRendererExtension } from 'marked';

function formula(name: string, open: string, rule: RegExp, display: boolean) {
  const extension: TokenizerAndRendererExtension = {
    name,
    level: display ? 'block' : 'inline',
    start: (source) => {
      const at = source.indexOf(open);
      return at < 0 ? undefined : at;
    },
    tokenizer(source) {
      const match = rule.exec(source);
      return match ? { type: name, raw: match[0], text: match[1]!.trim() } : undefined;
    },
    renderer: (token) =>
      katex.renderToString(String(token['text']), { displayMode: display, throwOnError: false }),
  };
  return extension;
}

const marked = new Marked({
  extensions: [
    formula('formulaBlock', '$$', /^\$\$([\s\S]+?)\$\$(?:\n|$)/, true),
    // A dollar that a digit follows on both sides is money, not a formula; none of ours is.
    formula('formula', '$', /^\$([^$\n]+?)\$/, false),
  ],
});

export function toHtml(markdown: string): string {
  const html = marked.parse(markdown, { async: false });
  // Lessons have no pictures, and nothing on the page loads one from elsewhere.
  return DOMPurify.sanitize(html, { ADD_TAGS: ['semantics', 'annotation'], FORBID_TAGS: ['img'] });
}
