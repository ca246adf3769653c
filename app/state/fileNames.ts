/**
 * Names that files of a program may have, wherever they come from: typed, imported, a link, an
 * embed, kept by an earlier visit. Every file that is accepted stays inside the program's folder
 * and can be shared.
 */
import { HIDDEN } from './visibleText';

export const MOST_FILES = 100;
const LONGEST_NAME = 199;
const LONGEST_TITLE = 200;

/**
 * Control characters, and those that reorder or break a line: a name with them reads as another.
 */
const UNREADABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uD800-\uDFFF]/u;

/** Two names that differ by these look the same; between letters, joiners are among them. */
const UNSEEN = new RegExp(
  `[${HIDDEN}]|(?<![^.\\w/-])[\\u200C\\u200D]|[\\u200C\\u200D](?=[.\\w/-]|$)`,
  'gu',
);

/** A program's title as it can be read. */
export function readableTitle(title: string): string {
  return title
    .slice(0, 10 * LONGEST_TITLE)
    .replaceAll(new RegExp(UNREADABLE, 'gu'), '')
    .replaceAll(UNSEEN, '')
    .trim()
    .slice(0, LONGEST_TITLE)
    .replace(/[\uD800-\uDBFF]$/, '');
}

/** A relative path without `.` and `..`, of characters that every system takes. */
export function isFileName(name: string): boolean {
  return (
    name.length <= LONGEST_NAME &&
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
    !name.includes('\\') &&
    !UNREADABLE.test(name) &&
    name.search(UNSEEN) < 0
  );
}

/**
 * The name that a file of an archive or an older record gets: backslashes separate folders, as
 * Windows writes them; roots, `.` and `..` are dropped, and characters that draw nothing. Null
 * where no name is left, or it is too long.
 */
export function fileNameFrom(given: string): string | null {
  const name = given.replaceAll(UNSEEN, '');
  const parts = name.replaceAll('\\', '/').split('/');
  const kept = parts.filter((part) => part !== '' && part !== '.' && part !== '..').join('/');
  return kept !== '' && isFileName(kept) ? kept : null;
}

/** Why a program cannot have so many files; null where it can. */
export function countProblem(count: number): string | null {
  return count > MOST_FILES
    ? `A program holds at most ${MOST_FILES} files; this one has ${count}.`
    : null;
}
