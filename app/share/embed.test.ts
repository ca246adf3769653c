import { expect, it } from 'vitest';
import { routeOf } from '../state/route';
import { dedentLines } from './dedent';
import {
  elementSnippet,
  embedOf,
  embedQuery,
  iframeSnippet,
  markdownLink,
  type Embed,
} from './embed';

const embed: Embed = { panels: ['output', 'wgsl'], readOnly: true, editor: false, theme: 'dark' };

it('says in the address what it is, and reads it back', () => {
  const query = embedQuery(embed);
  expect(query).toBe('?embed=1&panels=output,wgsl&readonly=1&editor=0&theme=dark');
  expect(embedOf(routeOf(`#/s/2.AA${query}`))).toEqual(embed);
  expect(embedOf(routeOf('#/s/2.AA'))).toBeNull();
  expect(embedOf(routeOf('#/learn?embed=1'))).toBeNull();
  expect(embedOf(routeOf('#/s/2.AA?embed=1&panels=nonsense&theme=pink'))).toEqual({
    panels: null,
    readOnly: false,
    editor: true,
    theme: 'system',
  });
});

it('is pasted without breaking the page around it', () => {
  const iframe = iframeSnippet('https://h/#/s/2.A?embed=1&x="', 'a "b" <c>', 300);
  expect(iframe).toContain('src="https://h/#/s/2.A?embed=1&amp;x=&quot;"');
  expect(iframe).toContain('title="a &quot;b&quot; &lt;c>"');
  const element = elementSnippet('https://h/app/', 'print("</script>")\n', embed, 300);
  expect(element).toContain('src="https://h/app/embed.js"');
  expect(element).toContain('panel="output,wgsl" readonly editor="no" theme="dark"');
  expect(element.match(/<\/script>/g)).toHaveLength(2);
});

it('is a link in Markdown whatever its name', () => {
  expect(markdownLink('https://h/#/s/2.A', 'a [b] \\ c')).toBe(
    '[a \\[b\\] \\\\ c](https://h/#/s/2.A)',
  );
});

it('takes the indentation of the page away from a program', () => {
  expect(dedentLines('\n\n    def f():\n        pass\n\n    f()\n  ')).toBe(
    'def f():\n    pass\n\nf()\n',
  );
  expect(dedentLines('print(1)')).toBe('print(1)\n');
});
