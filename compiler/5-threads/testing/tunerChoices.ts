/**
 * For tests: what a tuning may choose (`4-distribute/tries.ts`). It tries one after the other, each
 * beside the best of those before: here each stands alone, and those of a list together, in turn.
 */
import type { Choices } from '../../4-distribute/index';
import { TRIES } from '../../4-distribute/tries';

export interface Variant {
  readonly text: string;
  /** Stated by the program; absent: the default. */
  readonly numWarps?: number | undefined;
  readonly choices: Partial<Choices>;
}

export function tunerVariants(): Variant[] {
  const all = TRIES;
  const variant = (numWarps: number | undefined, choices: Partial<Choices>): Variant => {
    const text = `num_warps ${numWarps ?? 'unstated'} ${JSON.stringify(choices)}`;
    return { text, numWarps, choices };
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
    ...[1, 2, 4, 8, 16].map((warps) => variant(warps, {})),
    ...all.map((choices) => variant(undefined, choices)),
    ...Array.from({ length: longest }, (_, i) =>
      variant(undefined, Object.assign({}, ...lists.map((list) => list[i % list.length]))),
    ),
  ];
}
