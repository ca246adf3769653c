/**
 * For tests: kernels of our own that are right, and mistakes in them (`app/prove/kernels`). A
 * mistake is a replacement in a right program, with the check that shows it, the line, and words of
 * the message.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FOLDER = join(process.cwd(), 'app', 'prove', 'kernels');

export interface KernelCase {
  /** `softmax: no maximum subtracted`. */
  readonly name: string;
  readonly text: string;
}
export interface WrongKernel extends KernelCase {
  readonly check: string;
  /** The line that the finding names, from 1. */
  readonly line: number;
  readonly message: string;
}

interface Row {
  readonly program: string;
  readonly name: string;
  readonly replace: string;
  readonly by: string;
}
interface WrongRow extends Row {
  readonly check: string;
  /** A part of the line, in the changed program. */
  readonly at: string;
  readonly message: string;
}

function read(program: string): string {
  return readFileSync(join(FOLDER, `${program}.py`), 'utf8');
}

function changed({ program, name, replace, by }: Row): KernelCase {
  const text = read(program);
  if (!text.includes(replace)) throw new Error(`${program} has no ${replace}`);
  return { name: `${program}: ${name}`, text: text.replace(replace, () => by) };
}

function lineOf(text: string, part: string): number {
  const found = text.split('\n').findIndex((line) => line.includes(part));
  if (found < 0) throw new Error(`no line has ${part}`);
  return found + 1;
}

const rows = JSON.parse(readFileSync(join(FOLDER, 'table.json'), 'utf8')) as {
  readonly wrong: readonly WrongRow[];
  readonly right: readonly Row[];
};

export const RIGHT: readonly KernelCase[] = [
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith('.py'))
    .sort()
    .map((file) => ({ name: file.slice(0, -3), text: read(file.slice(0, -3)) })),
  ...rows.right.map(changed),
];

export const WRONG: readonly WrongKernel[] = rows.wrong.map((row) => {
  const { name, text } = changed(row);
  return { name, text, check: row.check, line: lineOf(text, row.at ?? ''), message: row.message };
});
