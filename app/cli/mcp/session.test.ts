/**
 * The session of docs/mcp.md, replayed by the protocol's client library: an agent mends an
 * attention kernel with nothing but the tools. The page's files are written into a folder, its
 * calls made in order, its edits applied, and the lines that it shows are found in the answers.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, connect } from './testing/client';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');
const STEPS = [
  ...PAGE.matchAll(/<!-- (file|call|answer|edit)(?:: (\S+))? -->\s+```\w+\n([^]*?)```/g),
].map(([, kind = '', name = '', text = '']) => ({ kind, name, text }));

let folder = '';
let client: Client;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hippocamp-session-'));
  client = await connect(folder);
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces the lines of a diff that start with `-`, which are in the file once. */
function edit(name: string, diff: string): void {
  const path = join(folder, name);
  const text = readFileSync(path, 'utf8');
  const lines = (sign: string): string =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  expect(text.split(lines('-')), name).toHaveLength(2);
  writeFileSync(path, text.replace(lines('-'), lines('+')));
}

it('mends an attention kernel with the tools alone', { timeout: 400_000 }, async () => {
  expect(STEPS.filter(({ kind }) => kind === 'call').map(({ name }) => name)).toEqual([
    ...['run', 'prove', 'compile', 'prove', 'compare'],
  ]);
  let answer = '';
  for (const { kind, name, text } of STEPS) {
    switch (kind) {
      case 'file':
        writeFileSync(join(folder, name), text);
        copyFileSync(join(folder, name), join(folder, name.replace('.py', '_before.py')));
        break;
      case 'edit':
        edit(name, text);
        break;
      case 'call':
        answer = (await call(client, name, JSON.parse(text) as Record<string, unknown>)).text;
        break;
      default: {
        let at = 0;
        for (const line of text.trimEnd().split('\n')) {
          const found = answer.indexOf(line, at);
          expect(found, `“${line}” is not found in:\n${answer.slice(at)}`).toBeGreaterThanOrEqual(
            0,
          );
          at = found + line.length;
        }
      }
    }
  }
});
