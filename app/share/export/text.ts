/**
 * A program as one text, for what takes text alone: a gist, a mail, an issue. One file is itself;
 * several stand one after the other, each behind a line with its name, the one that runs first. It
 * opens again as a file (`programs/transfer.ts`), and what was sent is what comes back.
 */
import type { ProgramFiles } from '../../events';

const HEAD =
  '# A Triton program of several files, from Hippocamp. Save it as a .py file to import it.';
const MARK = /^# ── file: (.+) ──$/;
const mark = (name: string): string => `# ── file: ${name} ──`;

export function textOf(program: { readonly entry: string; readonly files: ProgramFiles }): string {
  const { entry, files } = program;
  const others = Object.keys(files)
    .filter((name) => name !== entry)
    .toSorted();
  if (others.length === 0) return files[entry] ?? '';
  const parts = [entry, ...others].map((name) => `${mark(name)}\n${files[name] ?? ''}`);
  return `${HEAD}\n${parts.join('\n')}`;
}

/** The files of such a text, the one that runs first; null where it is a text like any other. */
export function filesOfText(text: string): { entry: string; files: ProgramFiles } | null {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const [head, ...rest] = lines;
  const first = MARK.exec(rest[0] ?? '');
  if (head !== HEAD || !first) return null;
  const parts: { readonly name: string; readonly lines: string[] }[] = [];
  for (const line of rest) {
    const name = MARK.exec(line)?.[1];
    if (name !== undefined) parts.push({ name, lines: [] });
    else parts.at(-1)!.lines.push(line);
  }
  return {
    entry: first[1]!,
    files: Object.fromEntries(parts.map((part) => [part.name, part.lines.join('\n')])),
  };
}
