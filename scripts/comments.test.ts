/**
 * Comments are in plain order, subject first, and within 100 columns. A comment that opens with
 * “What …”, “Of …” or “Where …” names its subject last or never: “What a launch moves” is “The
 * bytes of a launch”, “Where there is no adapter, launches wait” is “Launches wait without an
 * adapter”.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const FOLDERS = 'compiler app scripts bench conformance e2e public'.split(' ');
const WIDTH = 100;

/** Lines that begin or continue a comment; `#` does in Python and in shells only. */
const COMMENT = /^\s*(?:\{?\/\*|\/\/|\*[ /])/;
const HASH_COMMENT = /^\s*#/;
/** The opening words of a comment, or of a line of one, in inverted order. */
const INVERTED = /^\s*(?:\{?\/\*\*?|\/\/|\*|#:?) (?:What|Of|Where) [a-z`]/;

/** The faults of a line of a file, `python` where `#` begins comments. */
function faults(line: string, python: boolean): string[] {
  if (!(python ? HASH_COMMENT : COMMENT).test(line)) return [];
  const found: string[] = [];
  if (INVERTED.test(line)) found.push('the subject comes first');
  if (line.length > WIDTH && !/https?:\/\//.test(line)) found.push(`over ${WIDTH} columns`);
  return found;
}

describe('a comment', () => {
  it.each([
    '/** What a launch moves. */',
    ' * Where addresses depend on a table, the loop carries it.',
    '    // Of an aligned run, the first element decides.',
    `// ${'word '.repeat(20)}`,
  ])('is refused: %s', (line) => {
    expect(faults(line, false)).not.toEqual([]);
  });
  it.each([
    '/** The bytes of a launch. */',
    ' * What? A question, in a quotation.',
    "const text = '// What a string holds';",
    ' * Of $ELSEWHERE nothing is read.',
    `  ${'a * '.repeat(30)}`,
  ])('is accepted: %s', (line) => {
    expect(faults(line, false)).toEqual([]);
  });
  it('of Python begins with #', () => {
    expect(faults('  # Where it is contiguous, nothing is kept.', true)).not.toEqual([]);
    expect(faults('  #L3 = #linear<{register = [[0, 1]]}>', false)).toEqual([]);
  });
});

it('every comment keeps to that', () => {
  const files = execFileSync('git', ['ls-files', ...FOLDERS], { encoding: 'utf8' })
    .split('\n')
    // Programs of others, and generated ones, are test data.
    .filter((file) => /\.(tsx?|mjs|css|py|sh)$/.test(file) && !file.includes('/testdata/'))
    .filter((file) => file !== 'scripts/comments.test.ts');
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        faults(line, /\.(py|sh)$/.test(file)).map((fault) => `${file}:${i + 1}: ${fault}: ${line}`),
      ),
  );
  expect(found).toEqual([]);
});
