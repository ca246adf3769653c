/** For tests: the lessons' folders in Node, and a Python that plays them one after another. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { applyPatch } from 'diff';
import { createNodeRunner } from '../cli/programProcess';
import type { ProgramEvent, ProgramFiles, RunOptions } from '../events';
import { judgeHere, type Judges } from '../judge/testing';
import type { Runner } from '../runtime/runner';
import { emptyRecord, fold, type RunRecord } from '../state/record';
import type { RunData } from '../workers/protocol';
import { createCompiler } from '../../compiler/pipeline';
import { settle } from '../../compiler/regroup';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { programName } from './course';
import { answerOf, irAnswerOf, irRequestOf, type AnswerSource } from './predict';

const FOLDER = import.meta.dirname;
export const LESSONS = join(FOLDER, 'lessons');
const ROOT = join(FOLDER, '..', '..');
export const EXAMPLES = join(ROOT, 'public', 'examples');

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

export interface LessonFolder {
  readonly slug: string;
  readonly text: string;
  readonly start: string;
  readonly solution: string;
  readonly checks: string;
  /**
   * Programs that must not pass, by name: each is the solution, changed as `wrong/NAME.diff` says.
   */
  readonly wrong: Readonly<Record<string, string>>;
}

function changed(solution: string, path: string): string {
  const program = applyPatch(solution, read(path));
  if (program === false) throw new Error(`${path} is of another solution`);
  return program;
}

export function readLessons(): LessonFolder[] {
  return readdirSync(LESSONS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const solution = read(LESSONS, name, 'solution.py');
      const wrong = join(LESSONS, name, 'wrong');
      const diffs = existsSync(wrong) ? readdirSync(wrong) : [];
      return {
        slug: name,
        text: read(LESSONS, name, 'lesson.md'),
        start: read(LESSONS, name, 'start.py'),
        solution,
        checks: read(LESSONS, name, 'checks.py'),
        wrong: Object.fromEntries(
          diffs.map((file) => [basename(file, '.diff'), changed(solution, join(wrong, file))]),
        ),
      };
    })
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** The programs of the gallery, in its order. */
export function galleryFiles(): string[] {
  const examples = JSON.parse(read(EXAMPLES, 'index.json')) as { file: string }[];
  return examples.map(({ file }) => file);
}

/** The files that a program of the gallery opens. */
export function galleryData(file: string): RunData[] {
  const examples = JSON.parse(read(EXAMPLES, 'index.json')) as { file: string; data?: string[] }[];
  const { data = [] } = examples.find((example) => example.file === file) ?? {};
  return data.map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(EXAMPLES, name))) }));
}

/** @param shouldStop ends launches on the interpreter where it is true */
export function startLessons(shouldStop?: () => boolean): Promise<Runner> {
  return createNodeRunner(ROOT, () => {}, shouldStop);
}

export async function playFiles(
  runner: Runner,
  files: ProgramFiles,
  entry: string,
  adapter: RunOptions['adapter'],
): Promise<RunRecord> {
  const record = emptyRecord(1, 1, '');
  const options: RunOptions = {
    adapter,
    maxBytes: null,
    chartSeconds: 1,
    tuneSeconds: 1,
    check: false,
    seed: 0,
  };
  const data = galleryData(entry);
  const given = data.length > 0 ? { ...options, data: runner.takeData(data) } : options;
  await runner.run(files, entry, given, (event: ProgramEvent) => fold(record, event));
  return record;
}

/** @param more Python that is appended to the harness's entry. */
export async function checkProgram(
  judges: Judges,
  { slug, checks }: LessonFolder,
  program: string,
  adapter: RunOptions['adapter'],
  more = '',
): Promise<RunRecord> {
  const problem = { reference: null, checks };
  const { harness, errors } = await judgeHere(judges, problem, program, adapter, 0, {
    name: programName(slug),
    more,
  });
  const record = emptyRecord(1, 1, '');
  for (const event of harness) fold(record, event);
  record.diagnostics.push(...errors);
  return record;
}

/** Prints what the harness noted of its comparisons, in the end. */
const MARK = 'shares of the tolerances: ';
const TELL = `\nimport json\nprint(${JSON.stringify(MARK)} + json.dumps(judge.shares))\n`;

/**
 * A hidden comparison: its name, and shares of what it allows at some element: of its error, and of
 * a result that is rounded to float16 (by 4 steps, where it is as narrow as that).
 */
export interface HiddenComparison {
  readonly what: string;
  readonly error: number;
  readonly coarse: number;
}

/** The lesson's checks on its solution, and what each of their comparisons reached. */
export async function measureChecks(
  judges: Judges,
  lesson: LessonFolder,
  adapter: RunOptions['adapter'],
): Promise<{ readonly record: RunRecord; readonly reached: readonly HiddenComparison[] }> {
  const record = await checkProgram(judges, lesson, lesson.solution, adapter, TELL);
  const printed = record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
  const [, shares = '[]'] = printed.split(MARK);
  const reached = (JSON.parse(shares) as [string, number, number][]).map(
    ([what, error, coarse]) => ({ what, error, coarse }),
  );
  return { record, reached };
}

/** As Run does. */
export function runProgram(
  runner: Runner,
  lesson: LessonFolder,
  program: string,
  adapter: RunOptions['adapter'],
): Promise<RunRecord> {
  const name = programName(lesson.slug);
  return playFiles(runner, { [name]: program }, name, adapter);
}

/** A run's answer to a prediction, as the page finds it; null where it has none. */
export async function saidBy(record: RunRecord, source: AnswerSource): Promise<string | null> {
  if (source.kind !== 'ir') return answerOf(record, source);
  const request = irRequestOf(record, source.kernel);
  if (!request) return null;
  const compiler = createCompiler(await testParser());
  return irAnswerOf(settle(compiler.compile, request).result, source.question);
}

/** Message where a program did not pass, or did. */
export function account(record: RunRecord): string {
  const verdicts = record.verdicts.map(
    ({ name, passed, message }) => `${passed ? 'ok' : 'NOT'} ${name} ${message ?? ''}`,
  );
  const diagnostics = record.diagnostics.map(({ code, message, location, notes }) =>
    [`${code} ${location.line}: ${message}`, ...notes.map((note) => note.message)].join('\n'),
  );
  return [record.outcome, ...verdicts, ...diagnostics].join('\n').slice(0, 3000);
}
