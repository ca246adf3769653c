/**
 * `hippocamp bench`: measures what a program measures itself, several times, and prints the tables.
 * A program without benchmarks is run several times, and its launches are timed. Exit codes: 0 the
 * program passed and something was measured, 1 it did not, 2 wrong usage.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramEvent, RunOptions } from '../events';
import { adapterOf, errorsOf, judged, passed } from '../passed';
import {
  benchCsv,
  benchText,
  chartTables,
  comparedWith,
  csvNames,
  launchTable,
  type BenchReport,
  type BenchTable,
} from '../profile/benchReport';
import type { RunWheel } from '../workers/protocol';
import type { ReadProgram } from './files';
import type { BenchCommand } from './options';
import { readWheels } from './packages';
import { openProgram } from './programs';
import { Report } from './report';
import { runInProcess } from './run';
import { benchOutput } from './schema/outputs';
import { write } from './standardOutput';

/** Bytes of an earlier report. */
const LARGEST = 64 * 2 ** 20;
/** Samples of a launch, each time that the program runs. */
const ROUNDS = 20;

export async function benchCommand(command: BenchCommand, root: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const before = command.against === null ? null : readReport(command.against);
  if (typeof before === 'string') {
    say(`hippocamp: ${command.against} ${before}`);
    return 2;
  }
  const program = await openProgram(command.file, say);
  if (!program) return 2;
  let wheels: readonly RunWheel[] = [];
  try {
    if (command.csv !== null) mkdirSync(command.csv, { recursive: true });
    if (command.packages !== undefined) wheels = readWheels(command.packages, program, say);
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
  const measured = await bench(command, program, root, wheels, say);
  const report = before ? comparedWith(measured, before) : measured;
  await write(command.json ? `${JSON.stringify(report)}\n` : benchText(report));
  if (report.tables.length === 0)
    say(
      `hippocamp: nothing was measured: ${command.file} has no perf_report, no do_bench outside of ` +
        'one, and no launch with a time',
    );
  if (command.csv !== null && !writeTables(command.csv, report.tables, say)) return 1;
  return report.passed ? 0 : 1;
}

/** @returns why the file is no report, else it. */
function readReport(file: string): BenchReport | string {
  try {
    const { size } = statSync(file);
    if (size > LARGEST) return `has ${size} bytes; bench --json writes at most ${LARGEST}`;
    const read = benchOutput.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    return `is no output of bench --json: ${issue?.path.join('.') || 'the object'}: ${issue?.message}`;
  } catch (error) {
    if (error instanceof SyntaxError) return 'is no JSON: --against takes what bench --json wrote';
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function bench(
  command: BenchCommand,
  program: ReadProgram,
  root: string,
  wheels: readonly RunWheel[],
  say: (text: string) => void,
): Promise<BenchReport> {
  const { repeats, warmup, rep } = command;
  const runOnce = async (more: Partial<RunOptions>, shown: boolean): Promise<ProgramEvent[]> => {
    const events: ProgramEvent[] = [];
    // Standard output is the tables': what the program prints goes to the other.
    const report = shown && !command.json ? new Report(process.stderr, process.stderr) : null;
    await runInProcess(
      root,
      { ...command, check: false },
      program,
      (event) => {
        if (event.type !== 'print') events.push(event);
        if (event.type !== 'benchmark') report?.event(event);
        return report ? process.stderr.writableLength : 0;
      },
      (text) => {
        if (shown && text && !command.json) say(text);
      },
      more,
      undefined,
      undefined,
      wheels,
    );
    return events;
  };
  const times = {
    repeats,
    ...(warmup === null ? {} : { warmup }),
    ...(rep === null ? {} : { rep }),
  };
  const first = await runOnce({ bench: times }, true);
  let tables = chartTables(first);
  const ran = passed(judged(first));
  let runs = [first];
  if (tables.length === 0 && ran && first.some(({ type }) => type === 'launch')) {
    if (!command.json) say('no benchmarks: times the launches');
    runs = [];
    const sample = { rounds: ROUNDS };
    do runs.push(await runOnce({ sample }, false));
    while (runs.length < repeats && passed(judged(runs.at(-1)!)));
    const table = launchTable(runs);
    tables = table ? [table] : [];
  }
  const last = runs.find((events) => !passed(judged(events))) ?? first;
  const finished = last.findLast((event) => event.type === 'finished');
  const errors = errorsOf(last);
  // The first run has shown its own.
  if (last !== first && !command.json) for (const { message } of errors) say(`error: ${message}`);
  return {
    version: 1,
    file: command.file,
    adapter: adapterOf(first),
    repeats,
    tables,
    against: null,
    outcome: finished?.outcome ?? 'error',
    passed: ran && last === first && tables.some(({ rows }) => rows.length > 0),
    errors,
  };
}

/** @returns whether the files are written. */
function writeTables(
  folder: string,
  tables: readonly BenchTable[],
  say: (text: string) => void,
): boolean {
  try {
    for (const [i, name] of csvNames(tables).entries())
      writeFileSync(join(folder, name), benchCsv(tables[i]!));
    return true;
  } catch (error) {
    say(`hippocamp: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
