/**
 * Names that files of a program may have, wherever they come from: typed, imported, a link, an
 * embed, kept by an earlier visit. Every file that is accepted stays inside the program's folder
 * and can be shared.
 */
export const MOST_FILES = 100;
const LONGEST_NAME = 199;

/**
 * Control characters, and those that reorder or break a line: a name with them reads as another.
 */
const UNREADABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uD800-\uDFFF]/u;

/** A program's title as it can be read. */
export function readableTitle(title: string): string {
  return title.replaceAll(new RegExp(UNREADABLE, 'gu'), '').trim();
}

/** A relative path without `.` and `..`, of characters that every system takes. */
export function isFileName(name: string): boolean {
  return (
    name.length <= LONGEST_NAME &&
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
    !name.includes('\\') &&
    !UNREADABLE.test(name)
  );
}

/**
 * The name that a file of an archive or an older record gets: backslashes separate folders, as
 * Windows writes them; roots, `.` and `..` are dropped. Null where no name is left, or it is too
 * long.
 */
export function fileNameFrom(name: string): string | null {
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
