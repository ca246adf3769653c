/**
 * The page as part of another page: which panels, whether it can be edited, in which theme. The
 * options stand behind the link, in the hash: `#/s/…?embed=1&panels=output,wgsl&readonly=1`.
 */
import type { Route } from '../state/route';
import { THEME_CHOICES, type ThemeChoice } from '../state/settings';
import { PANELS, type PanelName } from '../state/view';

export interface Embed {
  /** Null for all of them. */
  readonly panels: readonly PanelName[] | null;
  readonly readOnly: boolean;
  /** The program's text is shown. */
  readonly editor: boolean;
  readonly theme: ThemeChoice;
}

export function embedOf(route: Route): Embed | null {
  if (route.kind !== 'link') return null;
  const query = new URLSearchParams(route.query);
  if (query.get('embed') !== '1') return null;
  const names = (query.get('panels') ?? '').split(',');
  const panels = PANELS.filter((name) => names.includes(name));
  const theme = THEME_CHOICES.find((choice) => choice === query.get('theme')) ?? 'system';
  return {
    panels: panels.length > 0 ? panels : null,
    readOnly: query.get('readonly') === '1',
    editor: query.get('editor') !== '0',
    theme,
  };
}

/** The same options always make the same text. */
export function embedQuery(embed: Embed): string {
  const query = new URLSearchParams({ embed: '1' });
  if (embed.panels) query.set('panels', embed.panels.join(','));
  if (embed.readOnly) query.set('readonly', '1');
  if (!embed.editor) query.set('editor', '0');
  if (embed.theme !== 'system') query.set('theme', embed.theme);
  return `?${query.toString().replaceAll('%2C', ',')}`;
}

const quoted = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** A link as Markdown has it: for an issue, a README, a chat. */
export function markdownLink(address: string, title: string): string {
  return `[${title.replaceAll(/([\\[\]])/g, '\\$1')}](${address})`;
}

/** HTML to paste into a page, as oEmbed's `html` would be. */
export function iframeSnippet(address: string, title: string, height: number): string {
  return (
    `<iframe src="${quoted(address)}" title="${quoted(title)}" width="100%" height="${height}" ` +
    `style="border:1px solid #c3cdcc;border-radius:6px" loading="lazy" ` +
    `allow="cross-origin-isolated; clipboard-write"></iframe>`
  );
}

/** The same as an element, which holds the program as text that people can read. */
export function elementSnippet(page: string, text: string, embed: Embed, height: number): string {
  const attributes = [
    embed.panels ? ` panel="${embed.panels.join(',')}"` : '',
    embed.readOnly ? ' readonly' : '',
    embed.editor ? '' : ' editor="no"',
    embed.theme === 'system' ? '' : ` theme="${embed.theme}"`,
    ` height="${height}"`,
  ].join('');
  const safe = text.replaceAll('</script', '<\\/script');
  return (
    `<script type="module" src="${quoted(new URL('embed.js', page).href)}"></script>\n` +
    `<hippocamp-kernel${attributes}>\n<script type="text/x-python">\n${safe}` +
    `${safe.endsWith('\n') ? '' : '\n'}</script>\n</hippocamp-kernel>`
  );
}
