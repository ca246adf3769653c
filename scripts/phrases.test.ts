/**
 * Sentences of the page that a review replaced, each with what stands there now. They read as
 * translated, or as a command line's; this test keeps them from coming back.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Retired phrase → what says it better. */
const RETIRED: Readonly<Record<string, string>> = {
  'guessed from the text`': 'guessed (not run yet)',
  'Runs on<': 'Run on',
  'Look at $': 'Inspect K',
  'python ready': 'Python ready · SwiftShader (Google) · WebGPU',
  'walks over': 'loops over',
  'walk over': 'pass over, or loop over',
  'walks through': 'goes through',
  'only tried': 'tried only while autotuning or in a benchmark',
  'the time was spent': 'time budget used up',
  'was tuned in part': 'Autotuning stopped after N s: 4 of 16 configs measured',
  'do not go together': 'are incompatible',
  'Use the next one': 'Use 128, the next power of two, and mask the rest',
  'They gave 0': 'They returned 0',
  'They were left out; on': 'They were skipped; on',
  'called from here': 'called at FILE:LINE',
  'Launched here': 'launched at FILE:LINE',
  'Edited since this run': 'The code has changed since this run',
  'there without a GPU': 'works without a GPU',
  'random numbers begin, if': 'Default seed for torch, unless the program sets one',
  'Also autotune compiler options': 'Tune schedules',
  'One colour a line': 'Color-match lines with IR and WGSL',
  'shapes behind names': 'Show tile shapes inline',
  'Plain editor, for screen': 'Accessible plain-text editor',
  'No command has these': 'No matching commands',
  'Nothing is called that': 'No results',
  'edited, kept here': 'edited · saved in this browser',
  'kept by itself': 'Changes save automatically',
  'The same as the text now': 'Same as current',
  'not what runs': 'Can’t delete the entry file',
  'Run starts here': 'Set as entry file',
  'Nothing is known of what': 'No info here',
  'is passed by numbers': 'Lessons are checked numerically',
  'GPU lore': 'No GPU experience needed',
  'Back to the programs': 'Back to the editor',
  'Ask me again': 'Try again',
  'not what you said': 'not quite',
  'One piece, and a part': 'One full or partial block',
  'places behind the end': 'out-of-range lanes',
  'element that holds the text': 'As a web component',
  'its reader presses': 'Readers press Run to execute it',
  'every program that takes links': 'Short enough for any app',
  'goes where text goes': 'can be pasted anywhere',
  'that makes the pipeline': 'that creates the pipeline',
  'unless the address has it': 'optional if the URL contains it',
  'goes as it is to': 'Sends this program, unchanged, to',
  'that this page may talk to': 'How to start a compatible server',
  'with the run before': 'previous run',
  'To best': 'vs best',
  'arrival allows at the': 'aligned to when results arrived',
  'has to move at least once': 'minimum traffic',
  'This tolerance holds': 'Passes. atol ≥ … would pass too',
  'what the IR says': 'GPU result matches the IR',
  'Python is not there yet': 'Python is still loading',
  'which there is not': 'not available',
  'threads are taken for one': '32 lanes are assumed',
  'as a program of its own': 'as a new program',
  'the compiler stopped': 'compiler timed out',
  '(--tune-seconds)': 'no flag of the command line in a sentence of the page',
  '(--chart-seconds)': 'no flag of the command line in a sentence of the page',
  '(--max-bytes)': 'no flag of the command line in a sentence of the page',
};

it('retired phrases stay retired', () => {
  const files = execFileSync(
    'git',
    ['ls-files', 'app', 'compiler/codes.ts', 'compiler/language', 'public/examples'],
    {
      encoding: 'utf8',
    },
  );
  const found = files
    .split('\n')
    .filter((file) => /\.(tsx?|py|md|json)$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
      return Object.entries(RETIRED)
        .filter(([old]) => text.includes(old))
        .map(([old, better]) => `${file}: “${old}” → ${better}`);
    });
  expect(found).toEqual([]);
});
