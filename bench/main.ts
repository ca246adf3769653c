/**
 * The benchmark: compile time, memory bandwidth and matmul, ours against hand-written WGSL on the same
 * adapter, every result checked.
 *
 *   npm run bench -- [--quick] [--software] [--json FILE] [--only compile,memory,matmul,sweep]
 *                    [--toggles default,trusted] [--checks on,off] [--samples N]
 *
 * `--quick` takes sizes that a software adapter finishes in a minute; `--software` asks for that adapter.
 * The figures that count are those with default toggles and our bounds checks on, as in the page;
 * `trusted` (shaders without WebGPU's checks) and `off` (without ours) are shown beside them on request.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findSoftwareAdapter } from '../app/cli/dawn';
import { BenchDevice, TOGGLES, type ToggleChoice } from './gpu';
import { BASELINE_TARGET } from '../compiler/target';
import { openFrontend } from './frontend';
import { print, type Figure } from './report';
import { compileSuite, matmulSuite, memorySuite, sweepSuite, type Settings } from './suites';

const SUITES = ['compile', 'memory', 'matmul', 'sweep'] as const;
/** A GPU as visitors have: compile time must not depend on the adapter that is here. */
const COMPILE_TARGET = { ...BASELINE_TARGET, subgroupSize: 32, maxWorkgroupBytes: 32_768 } as const;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    software: { type: 'boolean', default: false },
    json: { type: 'string' },
    toggles: { type: 'string', default: 'default' },
    only: { type: 'string', default: 'compile,memory,matmul' },
    samples: { type: 'string' },
    checks: { type: 'string', default: 'on' },
  },
});

const quick = values.quick;
const samples = Number(values.samples ?? (quick ? 3 : 16));
const suites = chosen(values.only, SUITES);
const choices = chosen(values.toggles, Object.keys(TOGGLES) as ToggleChoice[]);
const checks = chosen(values.checks, ['on', 'off']).map((choice) => choice === 'on');
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

const frontend = await openFrontend();
let adapter = '';
const settings = (toggles: ToggleChoice): Settings => ({ quick, samples, toggles, checks, record });

if (values.software) {
  const found = findSoftwareAdapter();
  if (found.kind === 'missing') throw new Error(found.reason);
}
if (suites.includes('compile')) compileSuite(frontend, COMPILE_TARGET, settings('default'));
if (suites.some((suite) => suite !== 'compile')) {
  for (const toggles of choices) {
    const bench = await BenchDevice.open(toggles, quick);
    adapter = bench.opened.target.name;
    console.log(`\n${adapter}, toggles ${toggles}, clock of ${bench.quantum} ns`);
    if (suites.includes('memory')) await memorySuite(frontend, bench, settings(toggles));
    if (suites.includes('matmul')) await matmulSuite(frontend, bench, settings(toggles));
    if (suites.includes('sweep')) await sweepSuite(frontend, bench, settings(toggles));
  }
}
if (values.json) {
  const report = { adapter, node: process.versions.node, quick, figures };
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
process.exit(process.exitCode ?? 0);
