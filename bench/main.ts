/**
 * The benchmark: compile time, memory bandwidth and matmul, ours against hand-written WGSL on the same
 * adapter, every result checked.
 *
 *   npm run bench -- [--quick] [--json FILE] [--toggles default,trusted] [--only compile,memory,matmul]
 *
 * `--quick` takes sizes that a software adapter finishes in a minute. The figures that count are those
 * with default toggles; `trusted` (shaders without bounds checks) is shown beside them on request.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findSoftwareAdapter } from '../app/cli/dawn';
import { BenchDevice, TOGGLES, type ToggleChoice } from './gpu';
import { print, rate, type Figure } from './report';
import { matmulProblem, measureCopy, measureMatmul } from './yardsticks';

const SUITES = ['compile', 'memory', 'matmul'] as const;
type Suite = (typeof SUITES)[number];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    software: { type: 'boolean', default: false },
    json: { type: 'string' },
    toggles: { type: 'string', default: 'default' },
    only: { type: 'string', default: SUITES.join(',') },
    samples: { type: 'string' },
  },
});

const quick = values.quick;
const samples = Number(values.samples ?? (quick ? 3 : 16));
const suites = chosen(values.only, SUITES);
const choices = chosen(values.toggles, Object.keys(TOGGLES) as ToggleChoice[]);
const figures: Figure[] = [];

function chosen<T extends string>(text: string, all: readonly T[]): T[] {
  return text.split(',').map((name) => {
    const found = all.find((one) => one === name);
    if (!found) {
      console.error(`There is no ${name}; there are ${all.join(', ')}.`);
      process.exit(2);
    }
    return found;
  });
}

function record(figure: Figure): void {
  figures.push(figure);
  print(figure);
}

async function memory(bench: BenchDevice, toggles: ToggleChoice): Promise<void> {
  const bytes = quick ? 2 ** 24 : 2 ** 28;
  const copy = await measureCopy(bench, bytes, samples);
  record({
    name: `copy of ${bytes / 2 ** 20} MiB, yardstick`,
    toggles,
    ...rate(copy.bytes, copy.measured, 'bytes'),
  });
}

async function matmul(bench: BenchDevice, toggles: ToggleChoice): Promise<void> {
  const size = quick ? 256 : 4096;
  const problem = matmulProblem(bench, size);
  const yardstick = await measureMatmul(bench, problem, samples);
  record({
    name: `f32 matmul ${size}³, yardstick`,
    toggles,
    ...rate(2 * size ** 3, yardstick.measured, 'flops'),
    error: yardstick.error,
    note: `unrolled by ${yardstick.variant.unroll}, ${yardstick.variant.arrangement}`,
  });
}

if (values.software) {
  const adapter = findSoftwareAdapter();
  if (adapter.kind === 'missing') throw new Error(adapter.reason);
}
const gpuSuites = suites.filter((suite: Suite) => suite !== 'compile');
let adapter = '';
if (gpuSuites.length > 0) {
  for (const toggles of choices) {
    const bench = await BenchDevice.open(toggles);
    adapter = bench.opened.target.name;
    console.log(`\n${adapter}, toggles ${toggles}, clock of ${bench.quantum} ns`);
    if (gpuSuites.includes('memory')) await memory(bench, toggles);
    if (gpuSuites.includes('matmul')) await matmul(bench, toggles);
  }
}
if (values.json) {
  const report = { adapter, node: process.versions.node, quick, figures };
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
process.exit(process.exitCode ?? 0);
