import { Marked } from 'marked';
import { expect, it } from 'vitest';
import { plain } from './plain';

it('shows a program’s words in Markdown as they are', () => {
  const text = (html: string): string =>
    html
      .replaceAll(/<\/?p>|\n$/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  const words = [
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1)) ![b](/c/d)',
    '# not a heading',
    '- not a list',
    '`code` *bold* _it_ __init__ ~~gone~~ add_kernel',
    '&lt;script&gt; \\ "quoted"',
    '> not a quote',
    'x: float32 [3, 4]',
  ];
  for (const word of words) {
    const html = new Marked().parse(plain(word), { async: false });
    expect(html.match(/<(?!\/?p>)/g), word).toBeNull();
    expect(text(html), word).toBe(word);
  }
  expect(plain('two\nlines\u202E')).toBe('two lines\\[U+202E\\]');
});
