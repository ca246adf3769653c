import { Marked } from 'marked';
import { expect, it } from 'vitest';
import { docMarkdown } from './docMarkdown';

it('leaves no image in what a program wrote', () => {
  const html = (text: string): string =>
    new Marked().parse(docMarkdown(text).value, { async: false });
  const docs = [
    '![](http://a/b)',
    '\\![x](http://a/b)',
    '[![x](http://a/b)](http://a)',
    '![x][ref]\n\n[ref]: http://a/b',
    '```\n![x](http://a/b)\n```\n![x](http://a/b)',
    '!!![x](http://a/b)',
  ];
  for (const doc of docs) expect(html(doc), doc).not.toContain('<img');
  expect(html('Adds `a` and *b*.')).toContain('<code>a</code>');
});
