/** The gallery's groups and its search. */
import type { Example } from '../state/document';

export interface GalleryGroup {
  readonly name: string;
  readonly examples: readonly Example[];
}

/** In the order of the list. */
export function groupsOf(examples: readonly Example[]): GalleryGroup[] {
  const names = [...new Set(examples.map(({ group }) => group))];
  return names.map((name) => ({ name, examples: examples.filter(({ group }) => group === name) }));
}

/** Hyphens are spaces: who looks for split-K may write it either way. */
const plain = (text: string): string => text.toLowerCase().replaceAll('-', ' ');

/** Examples that have every word somewhere; those with a word in the title first. */
export function search(examples: readonly Example[], query: string): readonly Example[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return examples;
  const found = examples.filter((example) => {
    const text = plain(Object.values(example).join(' '));
    return words.every((word) => text.includes(word));
  });
  const inTitle = (example: Example): boolean =>
    words.some((word) => plain(example.title).includes(word));
  return [...found.filter(inTitle), ...found.filter((example) => !inTitle(example))];
}
