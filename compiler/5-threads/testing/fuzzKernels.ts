/**
 * Random kernels by the thousand: `npm run fuzz`. What differs is shrunk and printed with its seed
 * and the first pass behind which it does.
 *
 *   npm run fuzz -- [--count N] [--seed S] [--elements N] [--statements N] [--kind text|ir]
 *                   [--adapter FILE.json] [--keep-going] [--emit DIR]
 *                   [--seconds N] [--ring]
 *
 * `--adapter` is a Vulkan driver's manifest; SwiftShader's is found beside Chromium. `none` checks
 * the passes alone, on the interpreter, which is many times as fast. `--emit` writes kernels with
 * what our interpreter makes of them, for `compareWithTriton.py`, and runs nothing else. `--ring`
 * computes floats in the ring of `hippocamp prove`, where results must be equal bit for bit:
 * on each adapter those of the interpreter. `--count` is of kernels that are compared.
 * Without `--keep-going` it ends at the first fault.
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import treeSitterWasm from 'web-tree-sitter/web-tree-sitter.wasm';
import pythonWasm from 'tree-sitter-python/tree-sitter-python.wasm';
import { findSoftwareAdapter, openDawn } from '../../../app/cli/dawn';
import { createParser } from '../../1-parse/parser';
import type { WasmSource } from '../../1-parse/parser';
import { checkCase } from './checkCase';
import { emitCase } from './emitCase';
import { fuzzInputs } from './fuzzCase';
import type { FuzzInput } from './fuzzCase';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    elements: { type: 'string', default: '1024' },
    statements: { type: 'string', default: '10' },
    kind: { type: 'string' },
    adapter: { type: 'string' },
    emit: { type: 'string' },
    seconds: { type: 'string', default: 'Infinity' },
    'keep-going': { type: 'boolean', default: false },
    ring: { type: 'boolean', default: false },
  },
});
/** Kernels of one seed: a fault costs a batch its rest. */
const BATCH = 20;
/** Shrinking takes this long at the most. */
const SHRINK_MS = 60_000;

const alone = values.adapter === 'none' || values.emit !== undefined;
if (values.adapter && !alone) process.env['VK_ICD_FILENAMES'] = values.adapter;
const software = findSoftwareAdapter();
if (software.kind === 'missing' && !alone) throw new Error(software.reason);
const bytes = (source: unknown): WasmSource => source as Uint8Array;
const parser = await createParser(bytes(treeSitterWasm), bytes(pythonWasm));
const gpu = alone ? undefined : await openDawn();
const options = {
  elements: Number(values.elements),
  statements: Number(values.statements),
  ring: values.ring,
};
const [count, seed] = [Number(values.count), Number(values.seed)];
console.log(`${gpu?.target.name ?? 'passes alone'}, seed ${seed}, ${JSON.stringify(options)}`);

if (values.emit) {
  const kernels = fuzzInputs(options).filter(({ kind }) => kind === 'text');
  const inputs = fc.sample(kernels, { seed, numRuns: count });
  inputs.forEach((input, i) => emitCase(input, parser, options, values.emit!, i));
  console.log(`${inputs.length} kernels in ${values.emit}`);
  process.exit(0);
}

const started = performance.now();
const timeIsUp = (): boolean => performance.now() - started > Number(values.seconds) * 1000;
let faults = 0;
let done = 0;
/** Kernels that the compiler refused, so that they were not compared. */
let refused = 0;
/** Kernels that were compared. */
const compared = (): number => done - refused;
for (let batch = 0; compared() < count && !timeIsUp(); batch++) {
  const runs = Math.min(BATCH, count - compared());
  const fitting = fuzzInputs(options).filter(({ kind }) => !values.kind || kind === values.kind);
  let last: FuzzInput | undefined;
  let failedAt = Infinity;
  const property = fc.asyncProperty(fitting, async (input) => {
    if (performance.now() - failedAt > SHRINK_MS) return;
    last = input;
    try {
      if (!(await checkCase(input, gpu, parser, options))) refused++;
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    }
  });
  const result = await fc.check(property, { seed: seed + batch, numRuns: runs });
  done += runs;
  if (result.failed) {
    faults++;
    const error = result.errorInstance;
    console.log(
      `FAULT in seed ${seed + batch}, shrunk ${result.numShrinks} times to ` +
        `${JSON.stringify(result.counterexample?.[0] ?? last)}\n` +
        `${error instanceof Error ? error.message : String(error)}\n`,
    );
    if (!values['keep-going']) break;
  }
  if (batch % 2 === 1 || compared() >= count || timeIsUp()) {
    const seconds = (performance.now() - started) / 1000;
    console.log(
      `${compared()} kernels, ${(compared() / seconds).toFixed(1)}/s, ${faults} faults, ${refused} refused`,
    );
  }
}
process.exit(faults > 0 ? 1 : 0);
