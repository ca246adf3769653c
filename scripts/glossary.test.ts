/**
 * Words of our own stay retired where the field has one, and code is not a person: it does not
 * tell, want, wish, know or ask. Identifiers are split into words, so that `cutScratch` is found.
 * General words are refused as whole identifiers of before; in sentences only the personified verbs
 * are, and only where no person is their subject: “who knows it”, “readers are told” stay.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PLACES = 'compiler app docs public bench conformance e2e scripts README.md'.split(' ');

/** Identifiers of before, each with the field's word. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  readAhead: 'prefetch',
  prefetchWords: 'prefetch',
  tablesAhead: 'indirectPrefetch',
  issueAtOnce: 'clusterLoads',
  maskedAhead: 'predicatedPrefetch',
  loadsTogether: 'mergeBoundsGuards',
  checkedOnce: 'loop versioning',
  overlapStores: 'overlapStoresWithMma',
  leanEnd: 'sinkIntoEpilogue',
  leaveEarly: 'loop rotation',
  wovenLanes: 'interleavedLanes',
  nearColumns: 'lanes along N',
  rowLanes: 'lanesAlongRow',
  kPiece: 'kSlice',
  sinceBarrier: 'Membar',
  scratchApart: 'nonAliasedScratch',
  cutScratch: 'sliceScratch',
  scratchParts: 'scratchSlabs',
  partBytes: 'slabBytes',
  partCounts: 'slabCounts',
  hoistedWords: 'hoistedRegisters',
  fragmentRounds: 'fragmentChunks',
  exchangeInStorage: 'sharedMemoryInStorage',
  exchangeBytes: 'sharedBytes',
  exchangeTooSmall: 'sharedMemoryTooSmall',
  isApart: 'isIndependent',
  reduce_late: 'delay_reductions',
  split_results: 'banded_epilogue',
  carry_fragments: 'keep_accumulators_in_fragments',
  place_barriers: 'insert_barriers',
};
/** Words that no identifier has among its own. */
const WORDS: Readonly<Record<string, string>> = {
  purse: 'budget',
  deed: 'undo entry',
  deeds: 'undo stack',
  woven: 'interleaved',
  wishes: 'layout anchors',
  suspects: 'deferred report',
  told: 'reported',
  tells: 'reports',
  wants: 'requires',
  knows: 'has',
};
/** Words of the compiler's own files and of the pages of its passes. */
const COMPILER_WORDS: Readonly<Record<string, string>> = {
  ahead: 'prefetched',
  piece: 'slice',
  pieces: 'slices',
};
/** Nouns that the same files have as verbs, or of angles. */
const COMPILER_PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:an?|each|every|one|second|per|many|few(?:er|est)?|more|most|of|in) rounds?\b/i,
    'chunk, iteration',
  ],
  [/\b(?:takes?|by) turns\b|\b(?:an?|each|every|one|per) turn\b/i, 'iteration, serialized'],
  [/\bexchange (?:in|through) storage\b|\bthreads exchange\b/i, 'shared memory, communicate'],
  [/\bheld (?:matri|fragment)/i, 'of the last step, carried'],
];
const COMPILER = /^(?:compiler\/(?:4-distribute|5-threads|6-emit|ir)|docs\/passes)\//;
const VERBS: Readonly<Record<string, string>> = {
  told: 'reported, shown, set',
  tells: 'reports, states, distinguishes',
  asks: 'queries, requests, requires',
  wants: 'requires, needs',
  wishes: 'requests',
  knows: 'has, finds, supports',
};

/** Subjects that may know and want: persons, and the pronouns that stand for them. */
const PERSON =
  /\b(?:who|whoever|whom|nobody|somebody|someone|anybody|everybody|one|you|we|they|visitors?|readers?|authors?|users?|people|persons?|teachers?|learners?|students?|colleagues?|owners?)(?:['’]s \w+)?(?: (?:is|are|was|were|be|been|has|have|had|not|never|always|only|really|already|also|once|first|then|must|may|can))* $/i;

const compound = (name: string): boolean => /[a-z][A-Z]|_[A-Za-z]/.test(name);
const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

/** The faults of a line. Quotations of output, in backticks, are not sentences. */
function faults(line: string, file = ''): string[] {
  const found: string[] = [];
  if (COMPILER.test(file)) {
    for (const word of wordsOf(line))
      if (Object.hasOwn(COMPILER_WORDS, word)) found.push(`${word} → ${COMPILER_WORDS[word]}`);
    for (const [pattern, word] of COMPILER_PHRASES) {
      const phrase = pattern.exec(line);
      if (phrase) found.push(`${phrase[0]} → ${word}`);
    }
  }
  for (const [name] of line.matchAll(/[A-Za-z_]\w*/g)) {
    if (Object.hasOwn(IDENTIFIERS, name)) found.push(`${name} → ${IDENTIFIERS[name]}`);
    else if (compound(name))
      for (const word of wordsOf(name))
        if (Object.hasOwn(WORDS, word)) found.push(`${name} → ${WORDS[word]}`);
  }
  for (const match of line.matchAll(/\b(told|tells|asks|wants|wishes|knows)\b/gi)) {
    if (PERSON.test(line.slice(0, match.index))) continue;
    found.push(`${match[0]} → ${VERBS[match[0].toLowerCase()]}`);
  }
  return found;
}

describe('a line', () => {
  it.each([
    'const cutScratch = 1;',
    '  tensor_hold(t, small_purse)',
    'const told = events;',
    '// The compiler asks the target for banks.',
    'A dot wants 16 rows.',
    'an access out of range is told with its line',
    'only the text knows',
  ])('is refused: %s', (line) => expect(faults(line)).not.toEqual([]));
  it.each([
    'tiles that are loaded ahead',
    'const kPieces = 2;',
    'works in rounds where scratch is small',
    'Everything else takes turns.',
    'where its threads exchange through memory',
  ])('is refused in the compiler: %s', (line) =>
    expect(faults(line, 'compiler/5-threads/index.ts')).not.toEqual([]),
  );
  it.each([
    'const sliceScratch = 1;',
    'Whoever asks first gets the answer.',
    'nobody knows which lane touches which word',
    'Readers are told the same.',
    'One who wants more threads sets `num_warps`.',
    'Three passes together; a part of the tile is ahead of the rest.',
  ])('is accepted: %s', (line) => expect(faults(line)).toEqual([]));
});

it('every file uses the words of the field', () => {
  const files = execFileSync('git', ['ls-files', ...PLACES], { encoding: 'utf8' })
    .split('\n')
    // Programs of others, and generated ones, are test data.
    .filter((file) => /\.(tsx?|mjs|css|py|sh|md|html)$/.test(file) && !file.includes('/testdata/'))
    .filter((file) => file !== 'scripts/glossary.test.ts');
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        faults(line, file).map((fault) => `${file}:${i + 1}: ${fault}: ${line.trim()}`),
      ),
  );
  expect(found).toEqual([]);
});
