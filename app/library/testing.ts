/** For tests: the worked examples of docs/package.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PAGE = readFileSync(join(import.meta.dirname, '../../docs/package.md'), 'utf8');
/** Files of the page, with what stands below them as their output. */
export const FILES = new Map(
  [...PAGE.matchAll(/<!-- file: (\S+) -->\s+```\w+\n([^]*?)```\n(?:\n```text\n([^]*?)```)?/g)].map(
    ([, name = '', text = '', output]) => [name, { text, output }],
  ),
);
