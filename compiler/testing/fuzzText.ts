/**
 * Throws text at the compiler and counts: `npm run fuzz:text`. A worker compiles; this thread
 * watches it, so that an input that does not end is found, named and left behind.
 *
 *   npm run fuzz:text -- [--count N] [--seed S] [--corpus DIR] [--limit CPU_SECONDS] [--only INPUT]
 *                        [--seconds N]
 *   npm run fuzz:text -- --hostile [--only NAME]
 *
 * The corpus is our examples and the library, and every .py file of DIR. `--only` runs one input of
 * the seed again; `--save DIR` writes inputs that were found. `--hostile` runs the programs of
 * `hostile.ts` and says how long each took.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import treeSitterWasm from 'web-tree-sitter/web-tree-sitter.wasm';
import pythonWasm from 'tree-sitter-python/tree-sitter-python.wasm';
import { createParser } from '../1-parse/parser';
import type { WasmSource } from '../1-parse/parser';
import { createCompiler } from '../pipeline';
import { seededRandom } from '../ir/seededRandom';
import { corpusOf, mutate } from './badText';
import { compileText, isFault } from './compileText';
import { HOSTILE } from './hostile';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    corpus: { type: 'string', multiple: true, default: [] },
    limit: { type: 'string', default: '10' },
    only: { type: 'string' },
    save: { type: 'string' },
    hostile: { type: 'boolean', default: false },
    seconds: { type: 'string', default: 'Infinity' },
  },
});

/** The worker's report of a batch: up to where it came, and what went wrong. */
interface Message {
  readonly next: number;
  readonly kernels: number;
  readonly compiled: number;
  readonly diagnostics: number;
  readonly findings: readonly { readonly input: number | string; readonly what: string }[];
  readonly slowest: { readonly input: number; readonly milliseconds: number };
}

function pythonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size < 200_000);
}

function readCorpus(): string[] {
  const root = process.cwd();
  const folders = ['public/examples', 'e2e/programs', 'compiler/2-lower/library'];
  const own = folders.map((folder) => join(root, folder));
  const files = [...own, ...values.corpus].flatMap(pythonFiles).sort();
  return corpusOf(files.map((path) => readFileSync(path, 'utf8')));
}

const corpus = values.hostile ? [] : readCorpus();
const seed = Number(values.seed);
const textOf = (input: number): string =>
  mutate(corpus, seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(input, 0x85ebca6b)));

const BATCH = 50;
const shared = isMainThread ? new SharedArrayBuffer(8) : (workerData as SharedArrayBuffer);
/** Which input is being compiled, for when it does not end. */
const current = new Int32Array(shared);

async function work(): Promise<void> {
  // The bundler gives bytes where the types of the page say an address.
  const bytes = (source: unknown): WasmSource => source as Uint8Array;
  const parser = await createParser(bytes(treeSitterWasm), bytes(pythonWasm));
  const compiler = createCompiler(parser);
  parentPort!.on('message', (from: number) => {
    let [kernels, compiled, diagnostics] = [0, 0, 0];
    let slowest = { input: from, milliseconds: 0 };
    const findings: { input: number; what: string }[] = [];
    const to = Math.min(from + BATCH, Number(values.count));
    for (let input = from; input < to; input++) {
      Atomics.store(current, 0, input);
      const start = performance.now();
      try {
        const result = compileText(parser, compiler, textOf(input));
        kernels += result.kernels;
        compiled += result.compiled;
        diagnostics += result.diagnostics.length;
        const fault = result.diagnostics.find(isFault);
        if (fault) {
          const [note] = fault.notes;
          findings.push({ input, what: `${fault.message}\n${note?.message ?? ''}` });
        }
      } catch (error) {
        findings.push({
          input,
          what: error instanceof Error ? (error.stack ?? '') : String(error),
        });
      }
      const milliseconds = performance.now() - start;
      if (milliseconds > slowest.milliseconds) slowest = { input, milliseconds };
    }
    parentPort!.postMessage({ next: to, kernels, compiled, diagnostics, findings, slowest });
  });
  parentPort!.postMessage(null);
}

/** One input of the seed, again: its text, what the compiler says, and how long it took. */
async function once(input: number): Promise<void> {
  const bytes = (source: unknown): WasmSource => source as Uint8Array;
  const parser = await createParser(bytes(treeSitterWasm), bytes(pythonWasm));
  const compiler = createCompiler(parser);
  const text = textOf(input);
  if (values.save) writeFileSync(join(values.save, `${seed}-${input}.py`), text);
  const start = performance.now();
  const { diagnostics, compiled, kernels } = compileText(parser, compiler, text);
  const fault = diagnostics.find(isFault);
  if (fault) console.log(`FAULT ${fault.message}\n${fault.notes[0]?.message}`);
  const milliseconds = Math.round(performance.now() - start);
  console.log(
    `input ${input} of seed ${seed}: ${text.length} characters, ${kernels} kernels, ` +
      `${compiled} compiled, ${diagnostics.length} diagnostics, ${milliseconds} ms`,
  );
}

async function hostile(): Promise<void> {
  const bytes = (source: unknown): WasmSource => source as Uint8Array;
  const parser = await createParser(bytes(treeSitterWasm), bytes(pythonWasm));
  const compiler = createCompiler(parser);
  for (const [name, make] of Object.entries(HOSTILE)) {
    if (values.only && !name.includes(values.only)) continue;
    const text = make();
    process.stdout.write(`${name}: `);
    const start = process.cpuUsage();
    let said: string;
    try {
      const { diagnostics, compiled } = compileText(parser, compiler, text);
      const [first] = diagnostics;
      const fault = diagnostics.find(isFault);
      said = `${compiled ? 'compiled' : 'refused'}, ${diagnostics.length} diagnostics`;
      if (first) said += `, first ${first.code} line ${first.location.line}: ${first.message}`;
      if (fault) said += `\n  FAULT ${fault.message}\n${fault.notes[0]?.message}`;
    } catch (error) {
      said = `THREW ${error instanceof Error ? error.stack : String(error)}`;
    }
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
    const { user, system } = process.cpuUsage(start);
    console.log(`${Math.round((user + system) / 1000)} ms, ${memory} MB, ${said.slice(0, 600)}`);
  }
}

/** CPU time of this process: on a machine that is busy elsewhere nothing takes longer by it. */
function milliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function watch(): void {
  const count = Number(values.count);
  const limit = Number(values.limit) * 1000;
  const started = performance.now();
  const total = { kernels: 0, compiled: 0, diagnostics: 0, findings: 0 };
  let slowest = { input: 0, milliseconds: 0 };
  let reported = started;
  let last = { input: -1, since: 0 };
  const seen = new Set<string>();
  const find = (input: number | string, what: string): void => {
    total.findings++;
    // The same fault again: by its message and the place that threw.
    const key = what.split('\n').slice(0, 2).join('\n').replace(/\d+/g, 'N');
    if (seen.has(key)) return;
    seen.add(key);
    console.log(`FOUND input ${input} of seed ${seed}: ${what}\n`);
    if (values.save && typeof input === 'number')
      writeFileSync(join(values.save, `${seed}-${input}.py`), textOf(input));
  };
  const say = (done: number): void => {
    const seconds = (performance.now() - started) / 1000;
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
    console.log(
      `${done} inputs, ${(done / seconds).toFixed(0)}/s, ${total.kernels} kernels seen, ` +
        `${total.compiled} compiled, ${total.diagnostics} diagnostics, ${total.findings} findings; ` +
        `slowest ${Math.round(slowest.milliseconds)} ms (input ${slowest.input}); ${memory} MB`,
    );
  };
  const start = (from: number): void => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: shared,
      argv: process.argv.slice(2),
    });
    const timer = setInterval(() => {
      const input = Atomics.load(current, 0);
      if (input !== last.input) last = { input, since: milliseconds() };
      else if (milliseconds() - last.since > limit)
        again(input, `no end after ${values.limit} s of CPU`);
    }, 500);
    const again = (input: number, what: string): void => {
      clearInterval(timer);
      find(input, what);
      void worker.terminate();
      start(input + 1);
    };
    last = { input: -1, since: milliseconds() };
    worker.on('error', (error) => again(Atomics.load(current, 0), `the worker died: ${error}`));
    worker.on('message', (message: Message | null) => {
      if (message) {
        total.kernels += message.kernels;
        total.compiled += message.compiled;
        total.diagnostics += message.diagnostics;
        for (const { input, what } of message.findings) find(input, what);
        if (message.slowest.milliseconds > slowest.milliseconds) slowest = message.slowest;
        from = message.next;
      }
      last = { input: -1, since: milliseconds() };
      if (performance.now() - reported > 30_000) {
        reported = performance.now();
        say(from);
      }
      if (from < count && performance.now() - started < Number(values.seconds) * 1000) {
        worker.postMessage(from);
        return;
      }
      clearInterval(timer);
      void worker.terminate();
      say(from);
      process.exitCode = total.findings ? 1 : 0;
    });
  };
  console.log(`seed ${seed}, a corpus of ${corpus.length} texts`);
  start(0);
}

if (values.hostile) await hostile();
else if (values.only) await once(Number(values.only));
else if (isMainThread) watch();
else await work();
