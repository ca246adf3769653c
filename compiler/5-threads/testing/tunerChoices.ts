/**
 * For tests: what the tuner of `app/python/triton/runtime/tuning.py` may choose, read from its
 * text, so that a choice added there is tried here too. It tries one after the other, each beside
 * the best of those before: here each stands alone, and those of a list together, in turn.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Choices } from '../../4-distribute/index';

const TUNING = join(import.meta.dirname, '../../../app/python/triton/runtime/tuning.py');

/**
 * In the tuner's order. @throws where its text has no such table, or a line that is not understood.
 */
function candidates(): Partial<Choices>[] {
  const text = readFileSync(TUNING, 'utf8');
  const body = /^TRIES = \(\n(?<body>.*?)^\)/ms.exec(text)?.groups?.['body'];
  if (!body) throw new Error('tuning.py: no table of tries');
  return body
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => {
      const [, each, variable, values] =
        /^\*\((\{.*\}) for (\w+) in \(([\d, ]+)\)\),$/.exec(line) ?? [];
      if (each && variable && values) {
        const list = values.split(',').flatMap((value) => value.trim() || []);
        return list.map((value) => choicesIn(each.replace(`: ${variable}`, `: ${value}`)));
      }
      const [, one] = /^(\{.*\}),$/.exec(line) ?? [];
      if (!one) throw new Error(`tuning.py: not a try: ${line}`);
      return [choicesIn(one)];
    });
}

/** A dictionary of Python's. */
function choicesIn(text: string): Partial<Choices> {
  return JSON.parse(
    text.replaceAll('True', 'true').replaceAll('False', 'false'),
  ) as Partial<Choices>;
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
  // Each alone, and those that differ in what they choose together: the first of each name, the
  // second, …
  const named = new Map<string, Partial<Choices>[]>();
  for (const choices of all) {
    const key = Object.keys(choices).join();
    named.set(key, [...(named.get(key) ?? []), choices]);
  }
  const lists = [...named.values()];
  const longest = Math.max(...lists.map((list) => list.length));
  return [
    ...[1, 2, 4, 8].map((warps) => variant(warps, {})),
    ...all.map((choices) => variant(4, choices)),
    ...Array.from({ length: longest }, (_, i) =>
      variant(4, Object.assign({}, ...lists.map((list) => list[i % list.length]))),
    ),
  ];
}
