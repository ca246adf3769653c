/**
 * `npm run bench:eager`: torch on the CPU, as the page runs it, against CPU PyTorch on one thread.
 * It runs `bench/eager/operations.py` with `hippocamp run` and prints each row's time, PyTorch's
 * recorded time of the same machine (`bench/eager/pytorch.json`) and the ratio: ours ÷ PyTorch's,
 * so less is better.
 *
 *   npm run bench:eager -- --only exp,add --dtypes float32,int64 --sizes 4000000
 *   npm run bench:eager -- --json FILE          keeps the rows
 *   npm run bench:eager -- --record PYTHON      PYTHON has torch: records its times, one thread
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(import.meta.dirname, 'eager');
const RECORDED = join(FOLDER, 'pytorch.json');

interface Row {
  readonly operation: string;
  readonly dtype: string;
  readonly size: number;
  readonly seconds?: number;
  readonly estimated?: boolean;
  readonly error?: string;
}
interface Recorded {
  readonly machine: string;
  readonly date: string;
  readonly torch: string;
  /** Seconds by 'operation dtype size'. */
  readonly rows: Readonly<Record<string, number>>;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    dtypes: { type: 'string', default: '' },
    sizes: { type: 'string', default: '' },
    json: { type: 'string' },
    record: { type: 'string' },
  },
});
const list = (text: string): string[] => text.split(',').filter(Boolean);
const keyOf = (row: Row): string => `${row.operation} ${row.dtype} ${row.size}`;

/** Runs the table. @param python absent: Hippocamp. */
function measure(python?: string): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'eager-'));
  try {
    copyFileSync(join(FOLDER, 'operations.py'), join(folder, 'operations.py'));
    const main = join(folder, 'main.py');
    const [only, dtypes] = [list(values.only), list(values.dtypes)].map((each) =>
      JSON.stringify(each),
    );
    const call = `operations.measure(${only}, ${dtypes}, [${list(values.sizes).join(', ')}])`;
    writeFileSync(main, `import torch\ntorch.set_num_threads(1)\nimport operations\n\n${call}\n`);
    const runner = join(ROOT, 'app', 'cli', 'hippocamp.mjs');
    const command = python ?? process.execPath;
    const args = python ? [main] : [runner, 'run', folder, '--adapter', 'interpreter'];
    const options = { encoding: 'utf8', cwd: ROOT, maxBuffer: 1 << 28 } as const;
    const { stdout, stderr } = spawnSync(command, args, options);
    const rows = stdout.split('\n').filter((line) => line.startsWith('{'));
    if (!rows.length) throw new Error(`${command} printed no row:\n${stderr.slice(-2000)}`);
    return rows.map((line) => JSON.parse(line) as Row);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function record(python: string): void {
  const rows = measure(python).flatMap((row) => (row.seconds ? [[keyOf(row), row.seconds]] : []));
  const version = ['-c', 'import torch; print(torch.__version__)'];
  const made: Recorded = {
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} cores, one thread used`,
    date: new Date().toISOString().slice(0, 10),
    torch: spawnSync(python, version, { encoding: 'utf8' }).stdout.trim(),
    rows: Object.fromEntries(rows) as Record<string, number>,
  };
  writeFileSync(RECORDED, `${JSON.stringify(made, null, 1)}\n`);
}

const milliseconds = (seconds: number): string => (seconds * 1000).toPrecision(3);

function report(rows: readonly Row[], recorded: Recorded): void {
  const found = rows.flatMap((row) => {
    const theirs = recorded.rows[keyOf(row)];
    if (theirs === undefined) return [];
    return [{ row, theirs, ratio: row.seconds === undefined ? Infinity : row.seconds / theirs }];
  });
  for (const { row, theirs, ratio } of found) {
    const ours = row.seconds === undefined ? row.error : `${milliseconds(row.seconds)} ms`;
    const note = row.estimated ? ', estimated from fewer elements' : '';
    console.log(
      `${keyOf(row)}: ${ours}, PyTorch's ${milliseconds(theirs)} ms, ratio ${ratio.toFixed(1)}${note}`,
    );
  }
  console.log(`\nPyTorch ${recorded.torch}, ${recorded.machine}, ${recorded.date}`);
  for (const size of new Set(found.map(({ row }) => row.size))) {
    const ratios = found.filter(({ row }) => row.size === size).map(({ ratio }) => ratio);
    ratios.sort((a, b) => a - b);
    const within = (limit: number): number => ratios.filter((ratio) => ratio <= limit).length;
    const [median, last] = [ratios[ratios.length >> 1]!, ratios.at(-1)!];
    console.log(
      `${size} elements: ${ratios.length} rows, ${within(4)} within 4 times, ${within(8)} within 8, ` +
        `median ${median.toFixed(1)}, worst ${last.toFixed(1)}`,
    );
  }
}

if (values.record) record(values.record);
else {
  const rows = measure();
  if (values.json) writeFileSync(values.json, `${JSON.stringify(rows)}\n`);
  report(rows, JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded);
}
