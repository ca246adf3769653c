/**
 * Markdown with formulas to clean HTML: marked, KaTeX and DOMPurify, loaded with the first lesson.
 */
import 'katex/dist/katex.min.css';
import DOMPurify from 'dompurify';
import katex from 'katex';
import { Marked, type TokenizerAndRendererExtension } from 'marked';

type Output = 'htmlAndMathml' | 'mathml';

function formula(name: string, open: string, rule: RegExp, displayMode: boolean, output: Output) {
  const extension: TokenizerAndRendererExtension = {
    name,
    level: displayMode ? 'block' : 'inline',
    start: (source) => {
      const at = source.indexOf(open);
      return at < 0 ? undefined : at;
    },
    tokenizer(source) {
      const match = rule.exec(source);
      return match ? { type: name, raw: match[0], text: match[1]!.trim() } : undefined;
    },
    renderer: (token) =>
      katex.renderToString(String(token['text']), { displayMode, throwOnError: false, output }),
  };
  return extension;
}

const markedWith = (output: Output): Marked =>
  new Marked({
    extensions: [
      formula('formulaBlock', '$$', /^\$\$([\s\S]+?)\$\$(?:\n|$)/, true, output),
      // A dollar that a digit follows on both sides is money, not a formula; none of ours is.
      formula('formula', '$', /^\$([^$\n]+?)\$/, false, output),
    ],
  });
const marked = markedWith('htmlAndMathml');
/** Without styles, which KaTeX's HTML consists of. */
const plain = markedWith('mathml');

/**
 * Clean HTML of a text from a link: formulas as MathML, and none of its styles, controls and
 * pictures.
 */
export function untrustedHtml(markdown: string): string {
  const clean = DOMPurify.sanitize(plain.parse(markdown, { async: false }), {
    ADD_TAGS: ['semantics', 'annotation'],
    FORBID_TAGS: [
      'img',
      'picture',
      'style',
      'form',
      'input',
      'button',
      'select',
      'textarea',
      'svg',
      'video',
      'audio',
    ],
    FORBID_ATTR: ['style', 'id', 'name', 'class'],
  });
  return clean.replaceAll('<a ', '<a target="_blank" rel="noopener noreferrer" ');
}

export function toHtml(markdown: string): string {
  const html = marked.parse(markdown, { async: false });
  // Lessons have no pictures, and nothing on the page loads one from elsewhere.
  return DOMPurify.sanitize(html, { ADD_TAGS: ['semantics', 'annotation'], FORBID_TAGS: ['img'] });
}
