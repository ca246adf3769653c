/**
 * `npm run diagnostics`: writes `compiler/codes.ts` from the pages of `docs/diagnostics`, which are
 * the source of every code, its meaning and the templates of its messages.
 *
 * A page opens with `# HC0203: The meaning.`. Under `## Messages` it lists templates as
 * `` - `name`: text with {parameters} ``. Everything else is for the reader, and for the test that
 * runs the examples (`scripts/diagnostics.test.ts`).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const PAGES = join(import.meta.dirname, '..', 'docs', 'diagnostics');
export const TABLE = join(import.meta.dirname, '..', 'compiler', 'codes.ts');

export interface DiagnosticPage {
  readonly code: string;
  /** The title: what the code means. */
  readonly meaning: string;
  readonly text: string;
  readonly messages: readonly { readonly name: string; readonly template: string }[];
}

export function readPages(): DiagnosticPage[] {
  return readdirSync(PAGES)
    .filter((name) => /^HC\d{4}\.md$/.test(name))
    .sort()
    .map((file) => {
      const text = readFileSync(join(PAGES, file), 'utf8');
      const code = file.slice(0, -3);
      const meaning = new RegExp(`^# ${code}: (.+\\.)\n`).exec(text)?.[1];
      if (!meaning) throw new Error(`${file} must open with "# ${code}: …."`);
      const list = text.split('\n## Messages\n')[1]?.split('\n## ')[0] ?? '';
      const messages = [...list.matchAll(/^- `(\w+)`: (.+(?:\n {2}.+)*)/gm)].map(
        ([, id = '', template = '']) => ({ name: id, template: template.replaceAll(/\n */g, ' ') }),
      );
      if (new Set(messages.map(({ name }) => name)).size < messages.length)
        throw new Error(`${file} has two messages of one name`);
      return { code, meaning, text, messages };
    });
}

/** The text of `compiler/codes.ts`. */
export function table(pages: readonly DiagnosticPage[]): string {
  const titles = pages.map(({ code, meaning }) => `  ${code}: ${quoted(meaning)},\n`);
  const groups = pages
    .filter(({ messages }) => messages.length > 0)
    .map(({ code, messages }) => {
      const functions = messages.map(({ name, template }) => `    ${name}: ${method(template)},\n`);
      return `  ${code}: {\n${functions.join('')}  },\n`;
    });
  return `/**
 * Every diagnostic: its stable code, what it means, and its messages. A code never changes its
 * meaning and is never used again. Generated from docs/diagnostics/*.md by \`npm run diagnostics\`:
 * edit those.
 */

export const CODES = {
${titles.join('')}} as const;
export type Code = keyof typeof CODES;

type Text = string | number | bigint;

/** Templates of messages, by code. */
export const MESSAGES = {
${groups.join('')}} as const;
`;
}

function method(template: string): string {
  const names = [...new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))];
  if (names.length === 0) return `() => ${quoted(template)}`;
  const text = template
    .replaceAll(/[\\`]|\$(?=\{)/g, String.raw`\$&`)
    .replaceAll(/\{(\w+)\}/g, '${p.$1}');
  return `(p: { ${names.map((name) => `readonly ${name}: Text`).join('; ')} }) => \`${text}\``;
}
function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`;
}

if (import.meta.main) {
  const { format, resolveConfig } = await import('prettier');
  const options = (await resolveConfig(TABLE)) ?? {};
  writeFileSync(TABLE, await format(table(readPages()), { ...options, parser: 'typescript' }));
}
