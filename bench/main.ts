/**
 * The benchmark: ours against hand-written WGSL and against the libraries that run on WebGPU, on
 * one adapter in one run, every result checked. `README.md` says how to read it.
 *
 *   npm run bench -- [--quick] [--json] [--out FILE] [--only PART,…] [--in dawn,chromium]
 *                    [--peers tfjs,onnxruntime-web,jax-js] [--without-wgsl] [--shaders FOLDER]
 *                    [--toggles default,halves,trusted] [--unchecked] [--rounds N] [--seed N]
 *                    [--facts | --report FILE | --sweep FILE | --merge FILE …]
 *
 * `--quick` takes sizes that a software adapter finishes; `--json` prints one line of JSON a row
 * and nothing else on standard output; `--facts` measures compile time and what a launch costs the
 * CPU; `--report` writes a device report, as `device.html` makes it; `--shaders` keeps the WGSL
 * that the peers (and we) hand to Dawn, one file each, to read where one is faster; `--sweep` tries
 * the configurations and choices of distribution that a file lists (`sweep.ts`).
 */
import { randomInt } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dawnInstance, findSoftwareAdapter } from '../app/cli/dawn';
import { hasGpuDevice } from '../app/cli/gpuDevices';
import { calibrate } from '../app/runtime/gpu/calibration';
import { findChromium } from '../scripts/chromium';
import type { BenchDevice } from './device';
import { compareWork } from './compare';
import { reportText } from './deviceText';
import { compileTime } from './facts';
import { openFrontend } from './frontend';
import { merged } from './merge';
import { openBenchDevice, TOGGLES, type ToggleChoice } from './open';
import { measureOverhead, realGpu } from './overhead';
import { keepShaders } from './keepShaders';
import { ORT_FOLDER } from './peers/ortWasm';
import type { Peer } from './peers/peer';
import { measurePythonLaunches } from './pythonLaunch';
import { digits, line, table, type Row } from './report';
import { sweep, type Trial } from './sweep';
import { works } from './works';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    in: { type: 'string', default: 'dawn,chromium' },
    peers: { type: 'string', default: 'tfjs,onnxruntime-web,jax-js' },
    toggles: { type: 'string', default: 'default' },
    'without-wgsl': { type: 'boolean', default: false },
    shaders: { type: 'string' },
    unchecked: { type: 'boolean', default: false },
    software: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seed: { type: 'string' },
    facts: { type: 'boolean', default: false },
    report: { type: 'string' },
    sweep: { type: 'string' },
    /** Rows of an earlier run (`--out`), and what the programs printed under real Triton. */
    merge: { type: 'string', multiple: true },
    /** Set by run.ts. */
    root: { type: 'string', default: '' },
    page: { type: 'string', default: '' },
  },
});

const { quick } = values;
const wgsl = !values['without-wgsl'];
const rounds = Number(values.rounds ?? (quick ? 9 : 16));
const seed = Number(values.seed ?? randomInt(2 ** 30));
const only = values.only.split(',').filter((part) => part !== '');
const asked = values.peers.split(',').filter((name) => name !== '');
const rows: Row[] = [];

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
if (values.out) writeFileSync(values.out, '');
/** As they come, so that a run that is cut short keeps what it has. */
function record(row: Row): void {
  rows.push(row);
  if (values.out) appendFileSync(values.out, `${JSON.stringify(row)}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify(row)}\n`);
  else process.stdout.write(`${line(row)}\n`);
}
function chosen<T extends string>(text: string, all: readonly T[]): T[] {
  return text.split(',').map((name) => {
    const found = all.find((one) => one === name);
    if (found) return found;
    say(`There is no ${name}; there are ${all.join(', ')}.`);
    process.exit(2);
  });
}
if (values.merge) {
  process.stdout.write(`${merged(values.merge.map((file) => readFileSync(file, 'utf8')))}\n`);
  process.exit(0);
}
const places = chosen(values.in, ['dawn', 'chromium']);
const toggles = chosen(values.toggles, Object.keys(TOGGLES) as ToggleChoice[]);

// The Vulkan loader reads its environment once: this goes first.
const hardware = hasGpuDevice();
const software = values.software || (process.platform === 'linux' && !hardware);
if (software) {
  const found = findSoftwareAdapter();
  if (found.kind === 'missing') throw new Error(found.reason);
}
say(`seed ${seed}`);
const frontend = await openFrontend();

if (values.facts) {
  const compile = compileTime(frontend, quick);
  say(`compile of attention, parse to WGSL, warm: ${digits(compile.median)} ms (${compile.note})`);
  const roofs = await calibrate(await realGpu(toggles[0]));
  if (roofs) {
    const { adapter, bytesPerSecond, f32PerSecond, f16PerSecond } = roofs;
    const rates = [
      `copy ${digits(bytesPerSecond / 1e9)} GB/s`,
      `f32 ${digits(f32PerSecond / 1e9)} GFLOP/s`,
    ];
    if (f16PerSecond !== null) rates.push(`f16 ${digits(f16PerSecond / 1e9)} GFLOP/s`);
    say(`the roofs of ${adapter}: ${rates.join(', ')}`);
  }
  const launches = [
    ...(await measureOverhead(frontend, !software)),
    // Pyodide is not in the bundle.
    ...(values.root ? await measurePythonLaunches(frontend, values.root) : []),
  ];
  for (const { what, median, low, high } of launches)
    say(`a launch, ${what}: ${digits(median)} µs of CPU (${digits(low)} … ${digits(high)})`);
  process.exit(0);
}
if (values.report) {
  const { nodeReport } = await import('./nodeReport');
  const report = await nodeReport(frontend, toggles[0]!, { seed, rounds, say });
  writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
  say(reportText(report).replace(/<details>[^]*/, ''));
  process.exit(report.failures.length > 0 ? 1 : 0);
}
if (values.sweep) {
  const bench = await openBenchDevice(toggles[0]!, quick);
  const trials = JSON.parse(readFileSync(values.sweep, 'utf8')) as Trial[];
  const checkBounds = !values.unchecked;
  await sweep(frontend, bench, trials, { quick, seed, checkBounds, toggles: toggles[0]! });
  process.exit(0);
}

/**
 * Of Dawn with these toggles. Peers keep the device that they opened first, so they are compared
 * with one choice of toggles a run: the first.
 */
async function peersOf(bench: BenchDevice, choice: ToggleChoice): Promise<Peer[]> {
  if (asked.length === 0) return [];
  const { peersInNode } = await import('./peers/node');
  const folders = [...(values.root ? [join(values.root, ORT_FOLDER)] : []), import.meta.dirname];
  const all = await peersInNode(await dawnInstance(TOGGLES[choice]), bench.device, folders);
  return all.filter(({ name }) => asked.includes(name));
}

let failed = false;
for (const choice of places.includes('dawn') ? toggles : []) {
  const bench = await openBenchDevice(choice, quick);
  say(`Dawn on ${bench.target.name}, toggles ${choice}, a clock of ${bench.quantum} ns`);
  const peers = choice === toggles[0] ? await peersOf(bench, choice) : [];
  // Behind the peers' opening: what is set to the prototype is theirs, too.
  if (values.shaders && choice === toggles[0]) keepShaders(bench.device, values.shaders);
  for (const { name, make } of works(bench.target, quick, seed, !quick || only.length > 0)) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    const item = make();
    // With libraries alone there is nothing to compare it with.
    if (!wgsl && peers.length > 0 && item.shape.kind === 'ours') continue;
    try {
      await compareWork(frontend, bench, item, {
        rounds,
        checkBounds: !values.unchecked,
        wgsl,
        peers,
        where: 'dawn',
        toggles: values.unchecked ? `${choice}, unchecked` : choice,
        record,
        say,
      });
    } catch (error) {
      say(`${item.name} FAILED: ${String(error)}`);
      failed = true;
    }
  }
}
if (places.includes('chromium')) {
  const { runInBrowser } = await import('./browser');
  const chromium = findChromium();
  if (!chromium) say('No Chromium found, so no peers: set HIPPOCAMP_CHROMIUM to one.');
  else {
    try {
      const request = {
        quick,
        rounds,
        seed,
        checkBounds: !values.unchecked,
        wgsl,
        peers: asked,
        only,
      };
      const { root, page } = values;
      await runInBrowser({
        root,
        chromium: chromium.path,
        script: page,
        software,
        request,
        record,
        say,
      });
    } catch (error) {
      say(`Chromium FAILED: ${String(error)}`);
      failed = true;
    }
  }
}
say(`took ${(performance.now() / 1000).toFixed(0)} s`);
if (!values.json) process.stdout.write(`\n${table(rows)}\n`);
process.exit(failed || process.exitCode ? 1 : 0);
