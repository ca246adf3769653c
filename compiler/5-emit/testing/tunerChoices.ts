/**
 * For tests: what the tuner of `app/python/triton/runtime/tuning.py` may choose, read from its text, so that a
 * choice added there is tried here too. It tries one after the other, each beside the best of those before: here
 * each stands alone, and those of a list together, in turn.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Choices } from '../../4-distribute/index';

const TUNING = join(import.meta.dirname, '../../../app/python/triton/runtime/tuning.py');

/** In the tuner's order. @throws where its text has no such table. */
function candidates(): { readonly name: string; readonly values: readonly number[] }[] {
  const text = readFileSync(TUNING, 'utf8');
  const body = /^CHOICES = \(\n(?<body>.*?)^\)/ms.exec(text)?.groups?.['body'] ?? '';
  const found = body
    .trim()
    .split('\n')
    .map((line) => {
      const [, name, values] = /^\("(\w+)", \(([\d, ]+)\)\),$/.exec(line.trim()) ?? [];
      if (!name || !values) throw new Error(`tuning.py: not a choice: ${line}`);
      return {
        name,
        values: values
          .split(',')
          .flatMap((value) => value.trim() || [])
          .map(Number),
      };
    });
  return found;
}

export interface Variant {
  readonly text: string;
  readonly numWarps: number;
  readonly choices: Partial<Choices>;
}

export function tunerVariants(): Variant[] {
  const all = candidates();
  const variant = (numWarps: number, choices: Partial<Choices>): Variant => {
    return { text: `num_warps ${numWarps} ${JSON.stringify(choices)}`, numWarps, choices };
  };
  const longest = Math.max(...all.map(({ values }) => values.length));
  return [
    ...[1, 2, 4, 8].map((warps) => variant(warps, {})),
    ...all.flatMap(({ name, values }) => values.map((value) => variant(4, { [name]: value }))),
    ...Array.from({ length: longest }, (_, i) =>
      variant(
        4,
        Object.fromEntries(all.map(({ name, values }) => [name, values[i % values.length]!])),
      ),
    ),
  ];
}
